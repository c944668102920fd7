// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LONGEST_SAID, LONGEST_WORD, MOST_BYTES, MOST_ENTRIES, Pronunciations } from '../../static/pronunciations.js';
import { serialize } from '../../static/protocol.js';
import { Script } from '../../static/script.js';
import { numbers } from './random.js';

/** What a server reads at once. */
const MOST_MESSAGE_BYTES = 64 * 1024;

/** @param {[string, string][]} pairs */
const listOf = (...pairs) => Pronunciations.restore(pairs);

/** @param {Pronunciations} list */
const bytesOf = (list) => new TextEncoder().encode(JSON.stringify(list.lexicon)).length;

test('a pronunciation is taken as it is meant: without space around it, in one line', () => {
  const list = new Pronunciations();
  assert.equal(list.set('  afk ', 'away\tfrom \n keyboard\u0000'), null);
  assert.deepEqual(list.lexicon, { afk: 'away from keyboard' });
});

test('a word that is there already is said anew, and stands for itself only', () => {
  const list = listOf(['afk', 'away'], ['Utter', '/ˈʌtɚ/']);
  assert.equal(list.set('afk', 'gone'), null);
  assert.equal(list.set('AFK', 'a f k'), null);
  assert.deepEqual(list.pairs, [['afk', 'gone'], ['Utter', '/ˈʌtɚ/'], ['AFK', 'a f k']]);
});

test('what is changed takes the place of what it was, and of what it becomes', () => {
  const list = listOf(['afk', 'away'], ['brb', 'back soon']);
  assert.equal(list.set('brb', 'be right back', 'afk'), null);
  assert.deepEqual(list.lexicon, { brb: 'be right back' });
  assert.equal(list.set('gg', 'good game', 'brb'), null);
  assert.deepEqual(list.lexicon, { gg: 'good game' });
});

test('what no server takes is refused by what is wrong with it, and changes nothing', () => {
  const list = listOf(['afk', 'away']);
  /** @type {[string, string, import('../../static/pronunciations.js').Refusal][]} */
  const refused = [
    [' \u0007', 'away', 'wordMissing'],
    ['\ud83d', 'half', 'wordMissing'],
    ['afk', ' ', 'saidMissing'],
    ['w'.repeat(LONGEST_WORD + 1), 'long', 'wordTooLong'],
    ['afk', 's'.repeat(LONGEST_SAID + 1), 'saidTooLong'],
    ['afk', '/ˈʌtɚ', 'phonemesBroken'],
    ['afk', '/', 'phonemesBroken'],
    ['afk', '/ /', 'phonemesBroken'],
    ['afk', '/a/b/', 'phonemesBroken'],
  ];
  for (const [word, said, reason] of refused) assert.equal(list.set(word, said, 'afk'), reason, said);
  assert.deepEqual(list.lexicon, { afk: 'away' });
});

test('lengths count characters as the server does: an emoji is one', () => {
  assert.equal(new Pronunciations().set('🙂'.repeat(LONGEST_WORD), '🙃'.repeat(LONGEST_SAID)), null);
  assert.equal(new Pronunciations().set('and/or', 'and or either/or'), null);
});

test('a full list takes no more, but what it has can be changed and removed', () => {
  const list = new Pronunciations();
  for (let at = 0; at < MOST_ENTRIES; at += 1) assert.equal(list.set(`w${at}`, 'x'), null);
  assert.equal(list.set('more', 'x'), 'listFull');
  assert.equal(list.set('w1', 'y'), null);
  assert.equal(list.set('more', 'x', 'w2'), null);
  assert.equal(list.size, MOST_ENTRIES);
  list.remove('w3');
  list.remove('not there');
  assert.equal(list.set('w3', 'x'), null);
});

test('whatever is set, changed and removed, the bytes stay within the bound and are counted right', () => {
  const random = numbers(11);
  const list = new Pronunciations();
  const word = () => `${'汉"a\\🙂'[Math.floor(random() * 5)]}${Math.floor(random() * 400)}`;
  let full = 0;
  for (let round = 0; round < 3000; round += 1) {
    const deed = random();
    if (deed < 0.2) list.remove(word());
    else if (list.set(word(), '说'.repeat(1 + random() * 60), deed < 0.4 ? word() : null) === 'listFull') full += 1;
    assert.ok(bytesOf(list) <= MOST_BYTES + 2);
    assert.ok(list.size <= MOST_ENTRIES);
  }
  assert.ok(full > 0);
  assert.deepEqual(Pronunciations.restore(JSON.parse(JSON.stringify(list.pairs))).pairs, list.pairs);
  for (const [one] of list.pairs) list.remove(one);
  for (let at = 0; at < MOST_ENTRIES; at += 1) assert.equal(list.set(`w${at}`, 'x'), null);
});

test('the fullest list fits into one message beside the longest text', () => {
  const list = new Pronunciations();
  for (let at = 0; list.set(`${at}`, '说'.repeat(LONGEST_SAID)) === null; at += 1);
  for (let at = 0; list.set(`w${at}`, 'x') === null; at += 1);
  assert.ok(bytesOf(list) > MOST_BYTES - 20);
  const script = new Script('u'.repeat(64));
  const settings = { voice: 'v'.repeat(64), speed: 1.05, markup: /** @type {const} */ ('plain'), lexicon: list.lexicon };
  for (const message of script.append('\u0001'.repeat(20_000), settings)) {
    assert.ok(new TextEncoder().encode(serialize(message)).length <= MOST_MESSAGE_BYTES);
  }
});

test('what was kept and makes no sense is left out, and what was not asked for does not appear', () => {
  for (const kept of [null, 3, 'text', {}, [1, ['a'], ['a', 2], ['', 'x'], null]]) {
    assert.equal(Pronunciations.restore(kept).size, 0);
  }
  assert.deepEqual(Pronunciations.restore([['a', 'b'], ['/', '/']]).pairs, [['a', 'b']]);
});

test('a word may have any name', () => {
  const list = listOf(['__proto__', 'proto'], ['constructor', 'builder']);
  assert.equal(JSON.stringify(list.lexicon), '{"__proto__":"proto","constructor":"builder"}');
  assert.ok(!list.has('toString'));
});
