// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChatError, complete, Events } from '../../static/chat-stream.js';
import { integers } from './random.js';

/** @param {string} content */
const chunk = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const REQUEST = { model: 'm', messages: [{ role: /** @type {const} */ ('user'), content: 'Hi' }] };

/** A model that sends this, cut so, and keeps what it was asked. */
class FakeModel {
  /** @type {any} */
  asked = null;
  left = false;

  /** @param {Uint8Array[]} pieces @param {number} [status] */
  constructor(pieces, status = 200) {
    this.pieces = pieces;
    this.status = status;
  }

  /** @type {any} */
  fetch = async (/** @type {string} */ url, /** @type {any} */ options) => {
    this.asked = { url, ...options };
    const pieces = [...this.pieces];
    const body = {
      getReader: () => ({
        read: async () => (pieces.length > 0 ? { done: false, value: pieces.shift() } : { done: true }),
        cancel: async () => void (this.left = true),
      }),
    };
    return { ok: this.status < 400, status: this.status, body };
  };
}

/** @param {string} text @param {number} seed */
function cut(text, seed) {
  const bytes = new TextEncoder().encode(text);
  const next = integers(seed);
  const pieces = [];
  for (let at = 0; at < bytes.length; ) {
    const length = next(1, 12);
    pieces.push(bytes.slice(at, at + length));
    at += length;
  }
  return pieces;
}

/** @param {FakeModel} model */
async function all(model, signal = new AbortController().signal) {
  const pieces = [];
  for await (const piece of complete('url', REQUEST, signal, model.fetch)) pieces.push(piece);
  return pieces;
}

test('events are found wherever the text was cut, and whatever ends its lines', () => {
  const text = 'data: one\n\n: a comment\r\ndata:two\r\n\r\nevent: x\rdata: three\n\n';
  for (let seed = 1; seed < 40; seed += 1) {
    const events = new Events();
    const next = integers(seed);
    const found = [];
    for (let at = 0; at < text.length; ) {
      const length = next(1, 9);
      found.push(...events.push(text.slice(at, at + length)));
      at += length;
    }
    assert.deepEqual(found, ['one', 'two', 'three']);
  }
});

test('the answer comes piece by piece, in every script, however its bytes were cut', async () => {
  const pieces = ['Good', ' day', ', 你好', ' 👋', '.'];
  const text = chunk('') + pieces.map(chunk).join('') + DONE;
  for (let seed = 1; seed < 20; seed += 1) assert.deepEqual(await all(new FakeModel(cut(text, seed))), pieces);
});

test('the model is asked for a stream, in JSON, and left when its answer is over', async () => {
  const model = new FakeModel(cut(chunk('x') + DONE, 1));
  await all(model);
  assert.equal(model.asked.method, 'POST');
  assert.equal(model.asked.headers['Content-Type'], 'application/json');
  assert.deepEqual(JSON.parse(model.asked.body), { ...REQUEST, stream: true });
  assert.ok(model.left);
});

test('leaving the loop leaves the model', async () => {
  const model = new FakeModel(cut(chunk('one') + chunk('two') + DONE, 1));
  for await (const piece of complete('url', REQUEST, new AbortController().signal, model.fetch)) {
    assert.equal(piece, 'one');
    break;
  }
  assert.ok(model.left);
});

test('a refusal, an error, a broken answer and nonsense are failures', async () => {
  const failing = [
    new FakeModel([], 429),
    new FakeModel(cut(`data: ${JSON.stringify({ error: { message: 'no' } })}\n\n`, 1)),
    new FakeModel(cut(chunk('half'), 1)),
    new FakeModel(cut('data: {\n\n', 1)),
  ];
  for (const model of failing) await assert.rejects(all(model), ChatError);
  const away = { fetch: async () => Promise.reject(new TypeError('fetch failed')) };
  await assert.rejects(all(/** @type {any} */ (away)), ChatError);
});

test('what was aborted ends without a failure', async () => {
  const aborted = AbortSignal.abort();
  const model = { fetch: async () => Promise.reject(new DOMException('aborted', 'AbortError')) };
  assert.deepEqual(await all(/** @type {any} */ (model), aborted), []);
  assert.deepEqual(await all(new FakeModel(cut(chunk('half'), 1)), aborted), ['half']);
});
