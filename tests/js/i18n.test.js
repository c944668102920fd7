// @ts-check
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { WORDS, isKey, preferredLanguage, translate } from '../../static/i18n.js';

const page = await readFile(new URL('../../static/index.html', import.meta.url), 'utf8');

/** @param {string} words */
const parameters = (words) => [...words.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test('both languages say the same things with the same parameters', () => {
  assert.deepEqual(Object.keys(WORDS.zh), Object.keys(WORDS.en));
  for (const [key, words] of Object.entries(WORDS.en)) {
    assert.ok(isKey(key));
    assert.deepEqual(parameters(WORDS.zh[key]), parameters(words), key);
  }
});

test('everything the page names has words, and the page itself holds the English ones', () => {
  for (const [, key] of page.matchAll(/data-say(?:-\w+)?="(\w+)"/g)) {
    assert.ok(isKey(key), key);
    assert.ok(page.includes(WORDS.en[key]), `${key}: ${WORDS.en[key]}`);
  }
});

test('the remembered language wins over the browser’s, and English stands in for the rest', () => {
  assert.equal(preferredLanguage(null, ['zh-TW', 'en']), 'zh');
  assert.equal(preferredLanguage(null, ['de-DE', 'en-GB', 'zh']), 'en');
  assert.equal(preferredLanguage('zh', ['en']), 'zh');
  assert.equal(preferredLanguage('tlh', ['fr']), 'en');
  assert.equal(preferredLanguage(null, []), 'en');
});

test('parameters are filled in, and a missing one is left to be seen', () => {
  assert.equal(translate('en', 'remaining', { count: 3, limit: 9 }), '3 of 9 characters');
  assert.equal(translate('en', 'retry'), 'Next try in {seconds} s');
});

test('the names of inherited properties are no keys', () => {
  assert.ok(!isKey('constructor'));
});
