// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakePage } from './fake-page.js';
import { heardLength, itemAt, pieces, SpokenLine } from '../../static/spoken-line.js';

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

/** Two segments of a text that goes on: words of 10 samples each, a silent dash, a pause before the second segment. */
const TEXT = 'Oh – well. And so on, and on.';
const FIRST = {
  text: 'Oh – well.', offset: 0, start: 0,
  words: [
    { text: 'Oh', offset: 0, length: 2, start: 0, end: 10 },
    { text: '–', offset: 3, length: 1, start: 10, end: 10 },
    { text: 'well.', offset: 5, length: 5, start: 20, end: 30 },
  ],
};
const SECOND = {
  text: 'And so on,', offset: 11, start: 50,
  words: [
    { text: 'And', offset: 11, length: 3, start: 50, end: 60 },
    { text: 'so', offset: 15, length: 2, start: 60, end: 70 },
    { text: 'on,', offset: 18, length: 3, start: 70, end: 80 },
  ],
};

function shown() {
  const page = new FakePage();
  const element = page.create('p');
  const line = new SpokenLine(/** @type {any} */ (element));
  const of = (/** @type {string} */ name) =>
    element.children.filter((span) => span.classList.contains(name)).map((span) => span.textContent).join('');
  return { element, line, heard: () => of('heard'), now: () => of('now') };
}

test('what was heard and the word being heard are marked, and a word without sound never is', () => {
  const { element, line, heard, now } = shown();
  for (const [sample, before, word] of /** @type {const} */ ([
    [0, 'Oh ', 'Oh'], [10, 'Oh – ', 'Oh'], [19, 'Oh – ', 'Oh'], [20, 'Oh – well.', 'well.'], [49, 'Oh – well.', 'well.'],
    [50, 'Oh – well. And ', 'And'], [75, 'Oh – well. And so on,', 'on,'], [5, 'Oh ', 'Oh'],
  ])) {
    line.show(TEXT, [FIRST, SECOND], sample);
    assert.deepEqual([heard(), now(), element.textContent], [before, word, TEXT]);
  }
});

test('a text that grows keeps what is shown, and no character is ever missing or twice', () => {
  const { element, line, now } = shown();
  line.show('Oh', [], 0);
  assert.equal(element.textContent, 'Oh');
  line.show('Oh – well. An', [FIRST], 25);
  const [first] = element.children;
  line.show('Oh – well. And so', [FIRST], 26);
  line.show(TEXT, [FIRST, SECOND], 27);
  assert.equal(element.textContent, TEXT);
  assert.equal(element.children[0], first);
  assert.equal(now(), 'well.');
});

test('a segment that is told again in another form, or another text, begins anew', () => {
  const { element, line, now } = shown();
  line.show(TEXT, [FIRST, SECOND], 70);
  line.show(TEXT, [FIRST, { ...SECOND, words: [] }], 70);
  assert.equal(element.textContent, TEXT);
  assert.equal(now(), 'well.');
  line.show('Another.', [], 70);
  assert.equal(element.textContent, 'Another.');
});

test('what is no slice of the text marks nothing, and the text is whole', () => {
  const { element, line } = shown();
  line.show(TEXT, [{ ...FIRST, text: 'Oh no' }, { ...SECOND, offset: 12 }], 70);
  assert.equal(element.textContent, TEXT);
});

test('a word being heard was not heard, and of a segment without words nothing, before the next', () => {
  const heard = (/** @type {number} */ sample) => TEXT.slice(0, heardLength([FIRST, SECOND], sample));
  assert.deepEqual([0, 9, 10, 29, 30, 50].map(heard), ['', '', 'Oh – ', 'Oh – ', 'Oh – well.', 'Oh – well.']);
  assert.deepEqual([51, 60, 80].map(heard), ['Oh – well. ', 'Oh – well. And ', 'Oh – well. And so on,']);
  assert.equal(heardLength([{ ...FIRST, words: [] }, SECOND], 40), 0);
  assert.equal(heardLength([{ ...FIRST, words: [] }, SECOND], 55), 11);
  assert.equal(heardLength([], 40), 0);
});
