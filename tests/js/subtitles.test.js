// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cuesOf, LONGEST_S, MOST_COLUMNS, srt, vtt, width } from '../../static/subtitles.js';
import { numbers } from './random.js';

const RATE = 48_000;

/**
 * A text as it is spoken: every word takes `perLetter` seconds a letter, and a sentence is a segment of its own.
 *
 * @param {string} text
 * @param {number} [perLetter]
 */
function spoken(text, perLetter = 0.07) {
  /** @type {import('../../static/spoken-line.js').Segment[]} */
  const segments = [];
  let now = 0;
  for (const { 0: sentence, index: offset } of text.matchAll(/\S[^.!?。！？]*[.!?。！？]*["”’]*/gu)) {
    const start = Math.round(now * RATE);
    const words = [...sentence.matchAll(/\S+/g)].map(({ 0: word, index }) => {
      const begin = now;
      now += word.length * perLetter;
      return {
        text: word, offset: offset + index, length: word.length,
        start: Math.round(begin * RATE), end: Math.round(now * RATE),
      };
    });
    segments.push({ text: sentence, offset, start, words });
    now += 0.3;
  }
  return { text, segments, samples: Math.round((now - 0.3) * RATE) };
}

/** @param {ReturnType<typeof spoken>} spoken */
const cues = ({ text, segments, samples }) => cuesOf(text, segments, samples);

/** @param {string} text */
const lines = (text) => cues(spoken(text)).map((cue) => cue.lines.join(' / '));

const STORY =
  'In a town by the sea, there was once a clock that said the time aloud. It had a fine voice, and it was never ' +
  'wrong, but it had one fault: it could not stop in the middle. “Begin,” she had read, “and go on.” So it did!';

test('a short line is one cue, from its first word until a moment after its last', () => {
  const line = spoken('How do you do?');
  const [cue, ...others] = cues({ ...line, samples: line.samples + RATE });
  assert.equal(others.length, 0);
  assert.deepEqual(cue.lines, ['How do you do?']);
  assert.equal(cue.start, 0);
  assert.ok(Math.abs(cue.end - (line.samples / RATE + 0.3)) < 1e-6);
});

test('cues end where sentences and clauses do', () => {
  for (const text of lines(STORY)) assert.ok(/[.,:!?]”?$/.test(text), text);
});

test('short sentences share a cue, each with its line where they need two', () => {
  assert.deepEqual(lines('No. Not now.'), ['No. Not now.']);
  assert.deepEqual(lines('I do not know why. You should ask him about it.'), [
    'I do not know why. / You should ask him about it.',
  ]);
});

test('a new paragraph is a new cue', () => {
  assert.deepEqual(lines('First of all\n\nand then some more words'), ['First of all', 'and then some more words']);
});

test('the two lines of a cue are alike in length, and cut at a clause where there is one', () => {
  const [cue] = cues(spoken('When it rains in the mountains, the river comes down here after two days', 0.05));
  assert.deepEqual(cue.lines, ['When it rains in the mountains,', 'the river comes down here after two days']);
  const [other] = cues(spoken('one two three four five six seven eight nine ten eleven', 0.05));
  assert.deepEqual(other.lines, ['one two three four five six', 'seven eight nine ten eleven']);
});

test('Chinese is cut between characters, never before a comma, and counted double', () => {
  const text = '在海边的一座小镇里，从前有一座会大声报时的钟。它的声音很好听，也从来没有报错过，可是它有一个毛病：说到一半停不下来。';
  const found = cues(spoken(text, 0.2));
  assert.equal(found.flatMap((cue) => cue.lines).join(''), text);
  for (const line of found.flatMap((cue) => cue.lines)) {
    assert.ok(width(line) <= MOST_COLUMNS, line);
    assert.ok(!/^[，。：]/.test(line), line);
  }
  assert.ok(found.length > 1);
  for (const { lines: [first] } of found.slice(1)) assert.ok(text[text.indexOf(first) - 1].match(/[，。：]/), first);
});

test('Chinese and English in one word stay together where they can', () => {
  const found = cues(spoken('请打开 README.md，然后运行 python3 run.py。', 0.1));
  assert.deepEqual(found.map((cue) => cue.lines), [['请打开 README.md，', '然后运行 python3 run.py。']]);
});

test('an address longer than a line is cut, and a picture is not', () => {
  const address = `https://example.org/${'a'.repeat(70)}`;
  for (const line of cues(spoken(address)).flatMap((cue) => cue.lines)) assert.ok(width(line) <= MOST_COLUMNS);
  assert.equal(cues(spoken(address)).flatMap((cue) => cue.lines).join(''), address);
  assert.deepEqual(lines('Look 👩‍🚀👍🏽 here'), ['Look 👩‍🚀👍🏽 here']);
});

test('a segment that tells no words shares its time among them', () => {
  const text = `${'word '.repeat(30)}end.`;
  const found = cuesOf(text, [{ text, offset: 0, start: 0, words: [] }], 12 * RATE);
  assert.ok(found.length > 1);
  assert.equal(found.flatMap((cue) => cue.lines).join(' '), text);
  assert.ok(Math.abs(found[1].start - (12 * text.indexOf('word', found[0].lines.join(' ').length)) / text.length) < 0.1);
});

test('nothing spoken is no cue', () => {
  assert.deepEqual(cuesOf('', [], 0), []);
  assert.equal(vtt([]), 'WEBVTT\n');
  assert.equal(srt([]), '');
});

test('whatever is said, every word is there once, in order, in time, and within the limits', () => {
  const chance = numbers(7);
  const pool = ['a', 'word', 'perhaps,', 'stop.', '“why”', 'incomprehensibilities', '3.14', '你好，', '世界。', '👍', '–', 'x\n'];
  for (let round = 0; round < 80; round += 1) {
    const count = 1 + Math.floor(chance() * 60);
    const text = Array.from({ length: count }, () => pool[Math.floor(chance() * pool.length)]).join(' ').trim();
    const line = spoken(text, 0.02 + chance() * 0.2);
    const found = cues(line);
    const without = (/** @type {string} */ words) => words.replace(/\s/g, '');
    assert.equal(without(found.flatMap((cue) => cue.lines).join('')), without(text));
    let before = 0;
    for (const { start, end, lines: [...rows] } of found) {
      assert.ok(start >= before && end > start, text);
      assert.ok(rows.length <= 2 && rows.every((row) => width(row) <= MOST_COLUMNS && row.trim() !== ''), text);
      assert.ok(end - start <= LONGEST_S + 1e-9, text);
      before = end;
    }
    assert.ok(before <= line.samples / RATE + 1e-6);
  }
});

const CUES = [
  { start: 0, end: 1.5, lines: ['Tom & <Jerry>', 'a --> b'] },
  { start: 3599.9996, end: 36_061.25, lines: ['你好。'] },
];

test('SRT counts its cues and has a comma before the milliseconds', () => {
  assert.equal(srt(CUES), [
    '1', '00:00:00,000 --> 00:00:01,500', 'Tom & <Jerry>', 'a → b', '',
    '2', '01:00:00,000 --> 10:01:01,250', '你好。', '',
  ].join('\n'));
});

test('WebVTT has a head, a point before the milliseconds, and escapes what it would take for markup', () => {
  assert.equal(vtt(CUES), [
    'WEBVTT', '', '00:00:00.000 --> 00:00:01.500', 'Tom &amp; &lt;Jerry&gt;', 'a --&gt; b', '',
    '01:00:00.000 --> 10:01:01.250', '你好。', '',
  ].join('\n'));
});
