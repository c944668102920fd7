// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { translate } from '../../static/i18n.js';
import { Problems } from '../../static/problems.js';

/** The notice, and words in a language that can be changed. */
function stage() {
  const text = { textContent: '' };
  const elements = { problem: { hidden: true }, 'problem-text': text, 'problem-close': { addEventListener: () => {} } };
  /** @type {(() => void)[]} */
  const listeners = [];
  const language = {
    code: /** @type {import('../../static/i18n.js').LanguageCode} */ ('en'),
    /** @param {import('../../static/i18n.js').Key} key @param {import('../../static/i18n.js').Parameters} [words] */
    say: (key, words) => translate(language.code, key, words),
    onChange: (/** @type {() => void} */ listener) => void listeners.push(listener),
  };
  const page = { getElementById: (/** @type {keyof typeof elements} */ id) => elements[id] };
  const problems = new Problems(/** @type {any} */ (page), /** @type {any} */ (language));
  const choose = (/** @type {'en' | 'zh'} */ code) => {
    language.code = code;
    for (const listener of listeners) listener();
  };
  return { problems, text, choose };
}

const REFUSED = "a word of the lexicon must be a word of 1 to 64 characters, not '{word}'.";

test('a pronunciation that the server refuses is told apart from the other settings, and named in its words', () => {
  const { problems, text, choose } = stage();
  problems.show('invalid-option', REFUSED);
  assert.ok(/did not accept a pronunciation.*“Reading”/.test(text.textContent));
  assert.ok(text.textContent.endsWith(REFUSED));
  choose('zh');
  assert.ok(/“读法”/.test(text.textContent));
  assert.ok(text.textContent.endsWith(REFUSED));
  problems.show('invalid-option', 'speed must be between 0.5 and 2, not 3.');
  assert.ok(/语速/.test(text.textContent));
});

test('a code without words of ours is told in the server’s', () => {
  const { problems, text } = stage();
  problems.show('constructor', 'Odd.');
  assert.equal(text.textContent, 'Odd.');
});
