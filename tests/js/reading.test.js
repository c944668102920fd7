// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Reading, READING_KEY } from '../../static/reading.js';

/** Storage of a browser that keeps what it is given, until it is full. */
class FakeStorage {
  /** @type {Map<string, string>} */
  kept = new Map();
  full = false;

  /** @param {string} key */
  getItem(key) {
    return this.kept.get(key) ?? null;
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    if (this.full) throw new Error('full');
    this.kept.set(key, value);
  }
}

test('as long as nothing is chosen, nothing is asked of the server', () => {
  assert.deepEqual(new Reading(() => new FakeStorage()).settings, {});
});

test('what is chosen is asked of the server, and is there at the next visit', () => {
  const storage = new FakeStorage();
  const reading = new Reading(() => storage);
  reading.pronunciations.set('afk', 'away');
  Object.assign(reading, { namesEmoji: true, plain: true });
  reading.save();
  const settings = { markup: 'plain', emoji: 'name', lexicon: { afk: 'away' } };
  assert.deepEqual(reading.settings, settings);
  assert.deepEqual(new Reading(() => storage).settings, settings);
});

test('another tab’s choices are taken over', () => {
  const storage = new FakeStorage();
  const [one, other] = [new Reading(() => storage), new Reading(() => storage)];
  one.pronunciations.set('afk', 'away');
  one.save();
  other.load();
  assert.deepEqual(other.settings, { lexicon: { afk: 'away' } });
});

test('where nothing can be kept, it says so and the choices hold for the page', () => {
  const reading = new Reading(() => {
    throw new Error('refused');
  });
  assert.ok(!reading.kept);
  reading.namesEmoji = true;
  reading.save();
  assert.ok(!reading.kept);
  assert.deepEqual(reading.settings, { emoji: 'name' });
});

test('a storage that is full is told of until there is room again', () => {
  const storage = new FakeStorage();
  const reading = new Reading(() => storage);
  storage.full = true;
  reading.save();
  assert.ok(!reading.kept);
  storage.full = false;
  reading.save();
  assert.ok(reading.kept);
});

test('what another version or half a write has left is no reason to begin with anything but nothing', () => {
  for (const left of ['{"pronun', 'null', '[]', '3', '{"pronunciations":7,"namesEmoji":"yes","plain":1}']) {
    const storage = new FakeStorage();
    storage.setItem(READING_KEY, left);
    const reading = new Reading(() => storage);
    assert.deepEqual([reading.settings, reading.kept], [{}, true], left);
  }
});
