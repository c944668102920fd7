// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SpeechClient } from '../../static/client.js';
import { FakeClock, FakeSocket } from './fake-connection.js';
import { bytesOf } from './stream.js';

/** A client with everything around it. */
class Bench {
  clock = new FakeClock();
  /** @type {FakeSocket[]} */
  sockets = [];
  /** @type {any[]} */
  messages = [];
  /** @type {any[]} */
  states = [];

  constructor(settings = {}) {
    this.client = new SpeechClient({
      url: 'ws://host/v1/stream',
      onMessage: (message) => this.messages.push(message),
      onState: (state) => this.states.push(state),
      makeSocket: () => {
        this.sockets.push(new FakeSocket());
        return this.socket;
      },
      clock: this.clock,
      settings,
    });
  }

  get socket() {
    return /** @type {FakeSocket} */ (this.sockets.at(-1));
  }

  get state() {
    return this.states.at(-1);
  }
}

/** A connected bench. */
function connected(settings = {}) {
  const bench = new Bench(settings);
  bench.socket.greet();
  return bench;
}

/** One packet. @param {number} ordinal @param {number} [sequence] @param {number} [timestamp] @param {number} [flags] */
const audio = (ordinal, sequence = 0, timestamp = 0, flags = 1) => {
  const bytes = bytesOf(`01${'00'.repeat(11)}0300f8fffe`);
  const view = new DataView(bytes.buffer);
  view.setUint8(1, flags);
  view.setUint16(2, ordinal, true);
  view.setUint32(4, sequence, true);
  view.setUint32(8, timestamp, true);
  return bytes.buffer;
};

const started = (/** @type {string} */ utterance, /** @type {number} */ ordinal) =>
  ({ type: 'started', utterance, ordinal, voice: 'heart', pre_skip: 312 });

const done = (/** @type {string} */ utterance, samples = 0) => ({ type: 'done', utterance, samples, timings: {} });

test('a session starts with its settings and is open once the server is ready', () => {
  const bench = new Bench({ voice: 'heart', lead_ms: null });
  assert.equal(bench.state.state, 'connecting');
  assert.equal(bench.socket.binaryType, 'arraybuffer');
  bench.socket.greet();
  assert.deepEqual(bench.socket.sent, [{ type: 'start', voice: 'heart', lead_ms: null }]);
  assert.deepEqual(bench.states, [{ state: 'connecting', resuming: false }, { state: 'open' }]);
  assert.equal(bench.messages[0].type, 'ready');
});

test('speaking sends the text with its settings, then the end', () => {
  const bench = connected();
  const id = bench.client.speak('Hello.', { voice: 'heart', speed: 1.5 });
  assert.deepEqual(bench.socket.sent.slice(1), [
    { type: 'text', utterance: id, text: 'Hello.', voice: 'heart', speed: 1.5 },
    { type: 'end', utterance: id },
  ]);
  assert.equal(bench.client.speak('Named.', { utterance: 'mine' }), 'mine');
});

test('every id is new', () => {
  const { client } = connected();
  const ids = Array.from({ length: 100 }, () => client.newId());
  assert.equal(new Set(ids).size, 100);
  assert.ok(ids.every((id) => id.length <= 64));
});

test('what is spoken while connecting goes out behind the start, in order', () => {
  const bench = new Bench();
  const id = bench.client.speak('Early.');
  bench.client.flush(id);
  bench.socket.greet();
  assert.deepEqual(bench.socket.types, ['start', 'text', 'flush', 'end']);
});

test('too much said while connecting is refused, not kept', () => {
  const bench = new Bench();
  for (let i = 0; i < 40; i += 1) bench.client.speak('Early.', { utterance: `u${i}` });
  bench.socket.greet();
  assert.equal(bench.socket.sent.length, 1 + 2 * 32);
  const refused = bench.messages.filter(({ type }) => type === 'error').map(({ utterance }) => utterance);
  assert.deepEqual(refused, ['u32', 'u33', 'u34', 'u35', 'u36', 'u37', 'u38', 'u39']);
});

test('audio is handed on with its utterance and pre-skip', () => {
  const bench = connected();
  bench.client.speak('Hello.', { utterance: 'u' });
  bench.socket.say(started('u', 5));
  bench.socket.say(audio(5));
  const { utterance, preSkip, ordinal, packets } = bench.messages.at(-1);
  assert.deepEqual([utterance, preSkip, ordinal, packets.length], ['u', 312, 5, 1]);
});

test('after a cancel no audio and no segment of the utterance is handed on, whatever is in flight', () => {
  const bench = connected();
  bench.client.speak('One.', { utterance: 'u1' });
  bench.client.speak('Two.', { utterance: 'u2' });
  bench.socket.say(started('u1', 0));
  bench.client.cancel('u1', 960);
  bench.socket.say(audio(0));
  bench.socket.say({ type: 'segment', utterance: 'u1', index: 0, text: 'One.', offset: 0, start: 0, words: [] });
  bench.socket.say({ type: 'cancelled', utterance: 'u1', text_spoken: '', text_remaining: 'One.' });
  bench.socket.say(started('u2', 1));
  bench.socket.say(audio(1, 1));
  assert.deepEqual(bench.messages.map(({ type }) => type), ['ready', 'started', 'cancelled', 'started', 'audio']);
});

test('a cancel before the started drops what comes of it too', () => {
  const bench = connected();
  bench.client.speak('One.', { utterance: 'u1' });
  bench.client.cancel();
  bench.socket.say(started('u1', 0));
  bench.socket.say(audio(0));
  assert.ok(bench.messages.every(({ type }) => type !== 'audio'));
  assert.deepEqual(bench.socket.sent.at(-1), { type: 'cancel' });
});

test('an ordinal used again after a cancel belongs to its new utterance', () => {
  const bench = connected();
  bench.client.speak('One.', { utterance: 'u1' });
  bench.socket.say(started('u1', 0));
  bench.client.cancel('u1');
  bench.client.speak('Two.', { utterance: 'u2' });
  bench.socket.say(started('u2', 0));
  bench.socket.say(audio(0));
  assert.equal(bench.messages.at(-1).utterance, 'u2');
});

test('a segment is handed on in UTF-16 offsets', () => {
  const bench = connected();
  bench.client.text('u', '😀 He');
  bench.client.text('u', 'llo.');
  const word = { text: 'Hello.', offset: 2, length: 6, start: 0, end: 9 };
  bench.socket.say({ type: 'segment', utterance: 'u', index: 0, text: 'Hello.', offset: 2, start: 0, words: [word] });
  const { offset, words } = bench.messages.at(-1);
  assert.equal('😀 Hello.'.slice(offset), 'Hello.');
  assert.equal('😀 Hello.'.slice(words[0].offset, words[0].offset + words[0].length), 'Hello.');
});

test('two seconds of silence are answered with a ping, a third without a word is a loss', () => {
  const bench = connected();
  bench.clock.advance(1999);
  assert.deepEqual(bench.socket.types, ['start']);
  bench.clock.advance(1);
  assert.deepEqual(bench.socket.types, ['start', 'ping']);
  bench.clock.advance(999);
  assert.equal(bench.state.state, 'open');
  bench.clock.advance(1);
  assert.deepEqual(bench.states.at(-2), { state: 'waiting', reason: 'away', retrySeconds: 0, resuming: true });
  assert.deepEqual([bench.sockets[0].closed, bench.sockets.length], [true, 2]);
});

test('any word of the server keeps the connection, and a pong is nobody else’s business', () => {
  const bench = connected();
  for (let i = 0; i < 10; i += 1) {
    bench.clock.advance(2500);
    bench.socket.say({ type: 'pong' });
  }
  assert.equal(bench.state.state, 'open');
  assert.equal(bench.sockets.length, 1);
  assert.deepEqual(bench.messages.map(({ type }) => type), ['ready']);
});

test('a timer that was late itself is no proof against the server', () => {
  const bench = connected();
  bench.clock.advance(2000);
  bench.clock.oversleep(60_000);
  bench.clock.advance(0);
  assert.equal(bench.state.state, 'open');
  bench.clock.advance(999);
  assert.equal(bench.state.state, 'open');
  bench.clock.advance(1);
  assert.equal(bench.state.state, 'connecting');
});

test('the back-off grows to five seconds and starts anew after a good connection', () => {
  const bench = new Bench();
  const waits = [];
  for (let i = 0; i < 8; i += 1) {
    bench.socket.onclose({ code: 1006, reason: '' });
    waits.push(bench.state.retrySeconds);
    bench.clock.advance(bench.state.retrySeconds * 1000);
    assert.equal(bench.state.state, 'connecting');
  }
  assert.deepEqual(waits, [0, 0.25, 0.5, 1, 2, 5, 5, 5]);
  bench.socket.greet();
  bench.clock.advance(2500);
  bench.socket.say({ type: 'pong' });
  bench.clock.advance(2500);
  bench.socket.onclose({ code: 1006, reason: '' });
  assert.equal(bench.state.retrySeconds, 0);
});

test('a server that closes right after its ready is not hammered', () => {
  const bench = new Bench();
  const waits = [];
  for (let i = 0; i < 4; i += 1) {
    bench.socket.greet();
    bench.socket.onclose({ code: 1008, reason: '' });
    waits.push(bench.state.retrySeconds);
    bench.clock.advance(bench.state.retrySeconds * 1000);
  }
  assert.deepEqual(waits, [0, 0.25, 0.5, 1]);
});

test('the waits of many clients differ by a fifth either way', () => {
  for (const [chance, expected] of [[0, 0.2], [0.999999, 0.3]]) {
    const bench = new Bench();
    bench.clock.chance = chance;
    bench.socket.onclose({ code: 1006, reason: '' });
    bench.clock.advance(0);
    bench.socket.onclose({ code: 1006, reason: '' });
    assert.ok(Math.abs(bench.state.retrySeconds - expected) < 1e-6);
  }
});

test('the reason of a loss is told by its close code', () => {
  const reasons = [1000, 1001, 1003, 1006, 1007, 1008, 1009, 1011, 1013].map((code) => {
    const bench = connected();
    bench.socket.onclose({ code, reason: '' });
    return bench.state.reason;
  });
  assert.deepEqual(reasons, [
    'away', 'restarting', 'refused', 'away', 'refused', 'refused', 'refused', 'away', 'full',
  ]);
});

test('a full server is asked again when it said to', () => {
  const bench = connected();
  bench.socket.onclose({ code: 1013, reason: '{"retry_after_ms": 3000}' });
  assert.deepEqual(bench.state, { state: 'waiting', reason: 'full', retrySeconds: 3, resuming: true });
});

test('a session taken over elsewhere is left alone', () => {
  const bench = connected();
  bench.socket.onclose({ code: 4001, reason: '' });
  bench.clock.advance(60_000);
  assert.deepEqual(bench.state, { state: 'closed', reason: 'taken' });
  assert.equal(bench.sockets.length, 1);
});

test('a handshake that never ends is given up', () => {
  const bench = new Bench();
  bench.clock.advance(5000);
  assert.ok(bench.sockets[0].closed);
  assert.ok(bench.sockets.length > 1);
});

test('an old socket’s last words and its late close are not heard', () => {
  const bench = connected();
  const old = bench.socket;
  bench.clock.advance(3000);
  bench.socket.greet();
  const before = bench.messages.length;
  old.say(done('u'));
  old.onclose({ code: 1006, reason: '' });
  assert.equal(bench.messages.length, before);
  assert.equal(bench.state.state, 'open');
});

test('every utterance gets one end when no server comes back, and those that have one get no other', () => {
  const bench = connected();
  for (const id of ['u1', 'u2', 'u3']) bench.client.speak('x', { utterance: id });
  bench.socket.say(done('u1'));
  bench.socket.onclose({ code: 1006, reason: '' });
  bench.clock.advance(119_000);
  assert.ok(bench.messages.every(({ type }) => type !== 'error'));
  bench.clock.advance(1_000);
  const ends = bench.messages.filter(({ type }) => type === 'error');
  assert.deepEqual(ends.map(({ utterance, code }) => [utterance, code]), [
    ['u2', 'connection-lost'], ['u3', 'connection-lost'],
  ]);
});

test('speaking while waiting tries at once', () => {
  const bench = new Bench();
  for (let i = 0; i < 6; i += 1) {
    bench.clock.advance(5000);
    bench.socket.onclose({ code: 1006, reason: '' });
  }
  assert.equal(bench.state.state, 'waiting');
  const tries = bench.sockets.length;
  bench.client.speak('Now.');
  assert.equal(bench.sockets.length, tries + 1);
  bench.socket.greet();
  assert.deepEqual(bench.socket.types, ['start', 'text', 'end']);
  bench.clock.advance(1500);
  assert.equal(bench.sockets.length, tries + 1);
});

test('an utterance spoken again from the handler of its loss goes to the fresh session', () => {
  /** @type {string[]} */
  const seen = [];
  const bench = connected();
  const push = bench.messages.push.bind(bench.messages);
  bench.messages.push = (message) => {
    if (message.type === 'error' && seen.length === 0) {
      seen.push(message.utterance);
      bench.client.speak('again', { utterance: 'second' });
    }
    return push(message);
  };
  bench.client.speak('x', { utterance: 'first' });
  bench.socket.onclose({ code: 1006, reason: '' });
  bench.clock.advance(0);
  bench.socket.greet();
  assert.deepEqual(seen, ['first']);
  bench.socket.say(started('second', 0));
  bench.socket.say(audio(0));
  assert.equal(bench.messages.at(-1).utterance, 'second');
});

test('progress is sent only while it can be heard', () => {
  const bench = new Bench();
  bench.client.speak('x', { utterance: 'u' });
  bench.client.progress('u', 1);
  bench.socket.greet();
  bench.client.progress('u', 2);
  bench.client.progress('unknown', 3);
  assert.deepEqual(bench.socket.sent.slice(3), [{ type: 'progress', utterance: 'u', played: 2 }]);
});

test('a closed client is silent for good', () => {
  const bench = connected();
  bench.client.close();
  bench.clock.advance(60_000);
  assert.deepEqual(bench.state, { state: 'closed', reason: null });
  assert.equal(bench.sockets.length, 1);
  assert.equal(bench.clock.timers.size, 0);
  bench.client.speak('x', { utterance: 'late' });
  assert.equal(bench.messages.at(-1).code, 'connection-lost');
});

test('an unreadable message is passed over and the next one is heard', () => {
  const bench = connected();
  const complain = console.error;
  /** @type {unknown[]} */
  const complaints = [];
  console.error = (...words) => complaints.push(words);
  bench.socket.onmessage({ data: '{' });
  console.error = complain;
  bench.socket.say(done('u'));
  assert.equal(bench.messages.at(-1).type, 'done');
  assert.equal(complaints.length, 1);
});

test('what is remembered of utterances is bounded', () => {
  const bench = connected();
  for (let i = 0; i < 1000; i += 1) {
    bench.client.speak('x', { utterance: `u${i}` });
    bench.socket.say(done(`u${i}`));
  }
  bench.socket.say(started('u0', 9));
  bench.socket.say(audio(9));
  assert.notEqual(bench.messages.at(-1).type, 'audio');
});
