// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { itemAt, pieces } from '../../static/spoken-line.js';

/**
 * @param {string} text
 * @param {[number, number][]} words - offset and length in the utterance's text
 * @param {number} [offset]
 */
const segment = (text, words, offset = 0) => ({
  text,
  offset,
  start: 0,
  words: words.map(([at, length], index) => ({
    text: '',
    offset: at,
    length,
    start: index * 10,
    end: index * 10 + 10,
  })),
});

test('the item at a sample is the last that has started', () => {
  const items = [{ start: 10 }, { start: 20 }, { start: 20 }, { start: 30 }];
  assert.deepEqual([0, 9, 10, 19, 20, 29, 30, 99].map((at) => itemAt(items, at)), [-1, -1, 0, 0, 2, 2, 3, 3]);
  assert.equal(itemAt([], 5), -1);
});

test('words and what stands between them are told apart', () => {
  assert.deepEqual(pieces(segment('Oh, “well”!', [[0, 3], [5, 4]])), [
    { text: 'Oh,', word: 0 },
    { text: ' “', word: -1 },
    { text: 'well', word: 1 },
    { text: '”!', word: -1 },
  ]);
});

test('word offsets count from the start of the utterance', () => {
  assert.deepEqual(pieces(segment('two', [[40, 3]], 40)), [{ text: 'two', word: 0 }]);
});

test('words outside the text or out of order mark nothing, and no character is lost', () => {
  for (const words of [[[2, 9]], [[3, 2], [0, 2]], [[-1, 2]], [[0, 3], [1, 2]]]) {
    const found = pieces(segment('abcdef', /** @type {[number, number][]} */ (words)));
    assert.equal(found.map(({ text }) => text).join(''), 'abcdef');
  }
});

test('a segment without words is one plain piece', () => {
  assert.deepEqual(pieces(segment('Hello.', [])), [{ text: 'Hello.', word: -1 }]);
});
