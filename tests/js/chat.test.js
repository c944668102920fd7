// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './worker-shim.js';
import { Chat, MOST_SAID } from '../../static/chat.js';

/** @typedef {import('../../static/chat.js').Said} Said */
/** @typedef {import('../../static/speaker.js').Entry} Entry */

const SETTINGS = { voice: 'heart', speed: 1 };

/** A speaker that only remembers; `heard` is set by the test. */
class FakeSpeaker {
  /** @type {unknown[][]} */
  calls = [];
  /** @type {Entry | null} */
  entry = null;
  /** @type {number} */
  sample = 0;
  /** @type {(entry: Entry) => void} */
  onEntry = () => {};
  count = 0;
  taking = true;

  /** @param {Entry} entry */
  open(entry) {
    this.count += 1;
    this.entry = entry;
    this.calls.push(['open', entry.text]);
    return `u${this.count}`;
  }

  /** @param {string} name @param {string} text */
  append(name, text) {
    if (this.entry === null || !this.taking) return false;
    this.entry.text += text;
    this.calls.push(['append', name, text]);
    return true;
  }

  /** @param {string} name */
  finish(name) {
    this.calls.push(['finish', name]);
  }

  heard() {
    return this.entry === null ? null : { entry: this.entry, sample: this.sample };
  }

  stop() {
    const { entry } = this;
    if (entry === null) return false;
    this.become('stopped');
    return true;
  }

  /** @param {import('../../static/speaker.js').Status} status */
  become(status) {
    const entry = /** @type {Entry} */ (this.entry);
    if (status !== 'speaking') this.entry = null;
    entry.status = status;
    this.onEntry(entry);
  }
}

/** A model that writes when the test says so. */
class FakeModel {
  /** @type {import('../../static/chat-stream.js').ChatMessage[][]} */
  asked = [];
  /** @type {(piece: string | null | Error) => void} */
  write = () => {};

  /** @param {import('../../static/chat-stream.js').ChatMessage[]} messages @param {AbortSignal} signal */
  complete = async function* (/** @type {FakeModel} */ model, messages, signal) {
    model.asked.push(messages);
    for (;;) {
      const piece = await new Promise((resolve) => {
        model.write = resolve;
        signal.addEventListener('abort', () => resolve(null));
      });
      if (piece instanceof Error) throw piece;
      if (piece === null) return;
      yield piece;
    }
  };
}

function stage() {
  const speaker = new FakeSpeaker();
  const model = new FakeModel();
  /** @type {Set<Said>} */
  const shown = new Set();
  /** @type {unknown[]} */
  const failures = [];
  const lines = /** @type {Entry[]} */ ([]);
  const chat = new Chat(speaker, (messages, signal) => model.complete(model, messages, signal), {
    onSaid: (said) => shown.add(said),
    onDropped: (said) => shown.delete(said),
    onLine: (entry) => lines.push(entry),
    onFailure: (error) => failures.push(error),
  });
  speaker.onEntry = (entry) => chat.onEntry(entry);
  const write = async (/** @type {(string | null | Error)[]} */ ...pieces) => {
    for (const piece of pieces) {
      await settled();
      model.write(piece);
    }
    await settled();
  };
  const texts = () => [...shown].map(({ role, text, heard }) => [role, text, heard]);
  return { speaker, model, chat, shown, failures, lines, write, texts };
}

/** Let what is waiting go on. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Words of ten samples each. @param {string} text */
const segments = (text) => [{
  type: /** @type {const} */ ('segment'), utterance: 'u1', index: 0, text, offset: 0, start: 0,
  words: [...text.matchAll(/\S+/g)].map(({ 0: word, index }, place) => ({
    text: word, offset: index, length: word.length, start: place * 10, end: place * 10 + 10,
  })),
}];

test('an answer is one line, said piece by piece while it is being written', async () => {
  const { speaker, chat, lines, write, texts } = stage();
  const asked = chat.ask('Who?', SETTINGS);
  await write('It', ' is', ' me.');
  assert.ok(chat.writing);
  assert.deepEqual(speaker.calls, [['open', 'It'], ['append', 'u1', ' is'], ['append', 'u1', ' me.']]);
  await write(null);
  await asked;
  assert.ok(!chat.writing);
  assert.deepEqual(speaker.calls.at(-1), ['finish', 'u1']);
  assert.equal(lines.length, 1);
  assert.deepEqual(texts(), [['user', 'Who?', null], ['assistant', 'It is me.', null]]);
});

test('the model is told the whole conversation', async () => {
  const { speaker, model, chat, write } = stage();
  chat.ask('One?', SETTINGS);
  await write('First.', null);
  speaker.become('spoken');
  chat.ask('Two?', SETTINGS);
  await settled();
  assert.deepEqual(model.asked[1], [
    { role: 'user', content: 'One?' }, { role: 'assistant', content: 'First.' }, { role: 'user', content: 'Two?' },
  ]);
});

test('stopping cuts the answer to the words that were heard, and the server’s word counts more', async () => {
  const { speaker, model, chat, write, texts } = stage();
  chat.ask('Well?', SETTINGS);
  await write('one two three four');
  /** @type {Entry} */ (speaker.entry).segments = segments('one two three four');
  speaker.sample = 25;
  assert.ok(chat.stop());
  assert.deepEqual(texts().at(-1), ['assistant', 'one two three four', 'one two '.length]);
  chat.onMessage({ type: 'cancelled', utterance: 'u1', text_spoken: 'one ', text_remaining: 'two three four' });
  assert.deepEqual(texts().at(-1), ['assistant', 'one two three four', 'one '.length]);
  chat.ask('Go on', SETTINGS);
  await settled();
  assert.deepEqual(model.asked[1].map(({ content }) => content), ['Well?', 'one ', 'Go on']);
});

test('a question while it is still writing interrupts it, and is told what was heard', async () => {
  const { speaker, model, chat, write, shown } = stage();
  const first = chat.ask('Well?', SETTINGS);
  await write('one two', ' three');
  /** @type {Entry} */ (speaker.entry).segments = segments('one two');
  speaker.sample = 15;
  chat.ask('And?', SETTINGS);
  await first;
  await settled();
  assert.deepEqual(model.asked[1].map(({ content }) => content), ['Well?', 'one ', 'And?']);
  assert.equal([...shown].filter(({ writing }) => writing).length, 1);
  await write('Yes.', null);
  assert.deepEqual(speaker.calls.at(-1), ['finish', 'u2']);
});

test('an answer stopped before its first word leaves no trace', async () => {
  const { model, chat, write, texts } = stage();
  chat.ask('Well?', SETTINGS);
  await settled();
  assert.ok(chat.stop());
  assert.ok(!chat.stop());
  assert.deepEqual(texts(), [['user', 'Well?', null]]);
  await write('late');
  assert.deepEqual(texts(), [['user', 'Well?', null]]);
  chat.ask('Now?', SETTINGS);
  await settled();
  assert.deepEqual(model.asked[1].map(({ content }) => content), ['Well?', 'Now?']);
});

test('an answer heard to its end is whole, however often it is played again and stopped', async () => {
  const { speaker, chat, lines, write, texts } = stage();
  chat.ask('Well?', SETTINGS);
  await write('one two', null);
  speaker.become('spoken');
  chat.note({ entry: lines[0], sample: 5 });
  chat.stop();
  assert.deepEqual(texts().at(-1), ['assistant', 'one two', null]);
});

test('a line that was lost keeps what was heard, and takes no more', async () => {
  const { speaker, chat, write, texts } = stage();
  const asked = chat.ask('Well?', SETTINGS);
  await write('one two three');
  const entry = /** @type {Entry} */ (speaker.entry);
  entry.segments = segments('one two three');
  chat.note({ entry, sample: 20 });
  speaker.become('cut');
  await write(' four');
  await asked;
  assert.deepEqual(texts().at(-1), ['assistant', 'one two three', 'one two '.length]);
});

test('a model that breaks off is told of, and what it wrote is said', async () => {
  const { speaker, chat, failures, write, texts } = stage();
  const asked = chat.ask('Well?', SETTINGS);
  await write('one', new Error('gone'));
  await asked;
  assert.equal(failures.length, 1);
  assert.deepEqual(speaker.calls.at(-1), ['finish', 'u1']);
  assert.deepEqual(texts().at(-1), ['assistant', 'one', null]);
});

test('no answer is longer than what can be spoken', async () => {
  const { chat, write, texts } = stage();
  chat.limit = 10;
  const asked = chat.ask('Well?', SETTINGS);
  await write('12345', '67890', 'x');
  await asked;
  assert.deepEqual(texts().at(-1), ['assistant', '1234567890', null]);
});

test('a long conversation forgets its beginning', async () => {
  const { speaker, chat, shown, write } = stage();
  for (let turn = 0; turn < MOST_SAID; turn += 1) {
    chat.ask(`${turn}?`, SETTINGS);
    await write('Yes.', null);
    speaker.become('spoken');
  }
  assert.equal(shown.size, MOST_SAID);
  assert.equal(chat.messages.length, MOST_SAID);
});
