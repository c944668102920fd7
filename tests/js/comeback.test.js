// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Comeback } from '../../static/comeback.js';
import { SessionStore } from '../../static/session-store.js';
import { Tabs } from '../../static/tabs.js';

/** @typedef {import('../../static/session-store.js').SavedSession} SavedSession */
/** @typedef {import('../../static/tabs.js').Channel} Channel */

/** @type {SavedSession} */
const SAVED = {
  session: 'token', next: 4, preRoll: 8, playing: 'u', played: 960, cancel: [],
  lines: [{ utterance: 'u', sent: true, script: { parts: [], held: '', ended: true } }],
};

/** One tab's storage. */
class FakeStorage {
  /** @type {Map<string, string>} */
  entries = new Map();

  getItem = (/** @type {string} */ key) => this.entries.get(key) ?? null;
  setItem = (/** @type {string} */ key, /** @type {string} */ value) => void this.entries.set(key, value);
  removeItem = (/** @type {string} */ key) => void this.entries.delete(key);

  /** What duplicating the tab gives. */
  copy() {
    const copy = new FakeStorage();
    copy.entries = new Map(this.entries);
    return copy;
  }
}

/** Tabs of one origin. What one says all others hear at once; time passes when told. */
class Browser {
  /** @type {Channel[]} */
  channels = [];
  /** @type {(() => void)[]} */
  timers = [];

  open() {
    /** @type {Channel} */
    const channel = {
      onmessage: null,
      postMessage: (data) => {
        for (const other of this.channels) {
          if (other !== channel) other.onmessage?.call(/** @type {any} */ (other), /** @type {any} */ ({ data }));
        }
      },
    };
    this.channels.push(channel);
    return channel;
  }

  pass() {
    for (const timer of this.timers.splice(0)) timer();
  }

  /** @param {FakeStorage} storage */
  tab(storage) {
    const store = new SessionStore(() => storage);
    const later = (/** @type {() => void} */ callback) => this.timers.push(callback);
    return new Comeback(store, (mine) => new Tabs(mine, () => this.open(), later));
  }
}

/** A tab that speaks, with what it has kept. @param {Browser} browser */
function speaking(browser) {
  const storage = new FakeStorage();
  const comeback = browser.tab(storage);
  const client = { session: /** @type {string | null} */ ('token'), save: () => /** @type {SavedSession | null} */ (SAVED) };
  comeback.hand(client);
  comeback.keep();
  return { storage, comeback, client };
}

test('a tab that has kept nothing goes on with nothing, and asks nobody', async () => {
  assert.equal(await new Browser().tab(new FakeStorage()).take(), null);
});

test('a page loaded again goes on at once with what its predecessor left', async () => {
  const browser = new Browser();
  const { storage, comeback } = speaking(browser);
  comeback.keep(true);
  browser.channels = [];
  assert.deepEqual(await browser.tab(storage).take(), SAVED);
  assert.deepEqual(browser.timers, []);
});

test('a page that was killed is followed once nobody has answered for it', async () => {
  const browser = new Browser();
  const { storage } = speaking(browser);
  browser.channels = [];
  const taken = browser.tab(storage).take();
  browser.pass();
  assert.deepEqual(await taken, SAVED);
});

test('a duplicated tab leaves the session to the first, and keeps nothing of it', async () => {
  const browser = new Browser();
  const { storage } = speaking(browser);
  const copy = storage.copy();
  assert.equal(await browser.tab(copy).take(), null);
  assert.equal(copy.entries.size, 0);
  assert.equal(storage.entries.size, 1);
});

test('a tab whose own session is another one, or over, does not answer', async () => {
  for (const session of ['other', null]) {
    const browser = new Browser();
    const { storage, client } = speaking(browser);
    client.session = session;
    const taken = browser.tab(storage.copy()).take();
    browser.pass();
    assert.deepEqual(await taken, SAVED);
  }
});

test('what was taken is kept until a client has it: the page may be loaded again before', async () => {
  const browser = new Browser();
  const { storage, comeback } = speaking(browser);
  comeback.keep(true);
  browser.channels = [];
  const second = browser.tab(storage);
  await second.take();
  // It is not left any more: a copy of this tab has to ask.
  assert.equal(await browser.tab(storage.copy()).take(), null);
  second.keep(true);
  browser.channels = [];
  assert.deepEqual(await browser.tab(storage).take(), SAVED);
});

test('nothing is kept any more when nothing is unheard', () => {
  const { storage, comeback, client } = speaking(new Browser());
  client.save = () => null;
  comeback.keep();
  assert.equal(storage.entries.size, 0);
});

test('a browser that keeps nothing, or something else, begins anew', async () => {
  const refuse = () => {
    throw new Error('refused');
  };
  const refused = new SessionStore(refuse);
  refused.save(SAVED);
  assert.equal(refused.load(), null);
  const storage = new FakeStorage();
  storage.setItem('utter.session', '{');
  assert.equal(new SessionStore(() => storage).load(), null);
});
