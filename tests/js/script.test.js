// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MOST_TEXT, Script } from '../../static/script.js';
import { integers } from './random.js';

const LETTERS = ['a', 'é', '你', '😀', '\ud83d', '\ude00', ' '];

/** @typedef {import('../../static/protocol.js').ClientMessage} ClientMessage */

/** The text of messages, as a server joins it. @param {ClientMessage[]} messages */
const textOf = (messages) => messages.map((message) => (message.type === 'text' ? message.text : '')).join('');

/** @param {ClientMessage[]} messages */
const pieces = (messages) => messages.filter(({ type }) => type === 'text').map((one) => textOf([one]));

/** @param {(low: number, high: number) => number} pick */
function randomPiece(pick) {
  return Array.from({ length: pick(0, 5) }, () => LETTERS[pick(0, LETTERS.length - 1)]).join('');
}

test('what is said at once is what was given, and no message ends inside a surrogate pair', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const pick = integers(seed);
    const script = new Script('u');
    const given = Array.from({ length: pick(1, 12) }, () => randomPiece(pick));
    const said = given.map((piece) => script.append(piece));
    const joints = pieces([...said.flat(), ...script.end()]);
    for (let i = 1; i < joints.length; i += 1) {
      const split = /[\ud800-\udbff]$/.test(joints[i - 1]) && /^[\udc00-\udfff]/.test(joints[i]);
      assert.ok(!split, `seed ${seed}`);
    }
    assert.equal(joints.join(''), given.join(''));
    assert.equal(script.text, given.join(''));
  }
});

test('said again from any code point, what was received and what is said again are the text', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const pick = integers(seed);
    const script = new Script('u');
    for (let piece = pick(1, 8); piece > 0; piece -= 1) {
      script.append(randomPiece(pick), pick(0, 2) === 0 ? { speed: pick(1, 2) } : {});
      if (pick(0, 2) === 0) script.flush();
    }
    script.end();
    const points = [...script.text];
    for (let received = 0; received <= points.length; received += 1) {
      const again = Script.restore('u', JSON.parse(JSON.stringify(script.save()))).again(received, false);
      assert.equal(points.slice(0, received).join('') + textOf(again), script.text, `seed ${seed}, from ${received}`);
      assert.equal(again.at(-1)?.type, 'end');
    }
    assert.ok(script.again(points.length, true).every(({ type }) => type !== 'end'));
  }
});

test('settings come with the text they began with, and only if a server may not have it', () => {
  const script = new Script('u');
  script.append('One ', { voice: 'a' });
  script.append('two ');
  script.append('three', { speed: 2 });
  assert.deepEqual(script.again(2, false), [
    { type: 'text', utterance: 'u', text: 'e two ' },
    { type: 'text', utterance: 'u', text: 'three', speed: 2 },
  ]);
  assert.deepEqual(script.settings, { voice: 'a' });
});

test('a flush is said again where it stood unless something behind it was received', () => {
  const script = new Script('u');
  script.append('ab');
  script.flush();
  script.append('cd');
  const types = (/** @type {number} */ received) => script.again(received, false).map(({ type }) => type);
  assert.deepEqual(types(1), ['text', 'flush', 'text']);
  assert.deepEqual(types(2), ['flush', 'text']);
  assert.deepEqual(types(3), ['text']);
});

test('a long text goes out in messages that a server reads at once', () => {
  const script = new Script('u');
  const text = `${'\u0001'.repeat(8191)}😀${'\u0001'.repeat(20_000)}`;
  const said = script.append(text, { voice: 'a' });
  assert.ok(said.every((message) => JSON.stringify(message).length < 64 * 1024));
  assert.equal(textOf(said), text);
  assert.equal(said.filter((message) => 'voice' in message).length, 1);
});

test('what is kept is bounded', () => {
  const script = new Script('u');
  script.append('x'.repeat(MOST_TEXT - 1));
  assert.ok(script.hasRoom('x'));
  assert.ok(!script.hasRoom('xx'));
});

test('a script that is spoken keeps no text and still converts offsets', () => {
  const script = new Script('u');
  script.append('😀 He');
  script.forget();
  assert.equal(script.text, '');
  const segment = { type: /** @type {const} */ ('segment'), utterance: 'u', index: 0, text: 'He', offset: 2, start: 0, words: [] };
  assert.equal(script.convert(segment).offset, 3);
});
