// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './worker-shim.js';
import { newEntry, Speaker } from '../../static/speaker.js';

/** @typedef {import('../../static/protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('../../static/player.js').PlayerEvent} PlayerEvent */

const SETTINGS = { voice: 'heart', speed: 1 };
const TIMINGS = { split: 1, queue: 1, begin: 2, first_chunk: 3, encode: 1, handover: 1, ttfb: 10 };

/** A client that only remembers what it was asked. */
class FakeClient {
  /** @type {unknown[][]} */
  calls = [];
  count = 0;

  newId() {
    this.count += 1;
    return `u${this.count}`;
  }

  /** @param {string} text @param {{utterance?: string}} [options] */
  speak(text, options = {}) {
    this.calls.push(['speak', text, options]);
    return options.utterance ?? '';
  }

  /** @param {unknown[]} rest */
  text(...rest) {
    this.calls.push(['text', ...rest]);
  }

  /** @param {unknown[]} rest */
  end(...rest) {
    this.calls.push(['end', ...rest]);
  }

  /** @param {unknown[]} rest */
  cancel(...rest) {
    this.calls.push(['cancel', ...rest]);
  }

  /** @param {unknown[]} rest */
  progress(...rest) {
    this.calls.push(['progress', ...rest]);
  }
}

/** A player whose playhead the test sets. */
class FakePlayer {
  /** @type {unknown[][]} */
  calls = [];
  analyser = null;
  head = { ordinal: null, utterance: undefined, played: 0, heard: 0, contextTime: 0, outputTime: 0 };

  /** @param {unknown} message @param {number} [from] */
  push(message, from) {
    this.calls.push(['push', message, from]);
  }

  /** @param {unknown[]} rest */
  finish(...rest) {
    this.calls.push(['finish', ...rest]);
  }

  cancel() {
    this.calls.push(['cancel']);
    return { played: this.head.played };
  }

  playhead() {
    return this.head;
  }

  /** @param {string} name */
  named(name) {
    return this.calls.filter(([call]) => call === name);
  }
}

function stage() {
  const client = new FakeClient();
  const player = new FakePlayer();
  /** @type {import('../../static/reading.js').ReadingSettings} */
  const reading = {};
  /** @type {string[]} */
  const problems = [];
  /** @type {import('../../static/latency.js').Latency[]} */
  const latencies = [];
  const speaker = new Speaker(/** @type {any} */ (player), {
    onEntry: () => {},
    onLatency: (latency) => latencies.push(latency),
    onProblem: (code) => problems.push(code),
    onSound: () => {},
  }, () => reading);
  speaker.client = client;
  return { client, player, speaker, problems, latencies, reading };
}

/** @param {Speaker} speaker @param {string} text @param {number} asked */
function ask(speaker, text, asked) {
  const entry = newEntry(text, SETTINGS);
  speaker.speak(entry, asked);
  return entry;
}

/** @param {string} utterance @param {number} ordinal @returns {ServerMessage} */
const audio = (utterance, ordinal) => ({
  type: 'audio', kind: 1, flags: 1, ordinal, sequence: 0, timestamp: 0,
  packets: [Uint8Array.of(0xf8, 0xff, 0xfe)], utterance, preSkip: 312,
});

/** @param {string} utterance @param {number} samples @returns {ServerMessage} */
const done = (utterance, samples) => ({ type: 'done', utterance, samples, timings: TIMINGS });

/** @param {'playing' | 'ended' | 'underrun'} type @param {string} utterance @param {number} ordinal @returns {PlayerEvent} */
const event = (type, utterance, ordinal) =>
  /** @type {PlayerEvent} */ ({ type, ordinal, utterance, played: 960, contextTime: 1, cancelled: false });

/** @param {string} utterance @param {number} ordinal @param {number} heardAt @returns {PlayerEvent} */
const firstSound = (utterance, ordinal, heardAt) => ({
  type: 'first-sound', ordinal, utterance, played: 0, contextTime: 1,
  receivedAt: heardAt - 30, decodedAt: heardAt - 28, renderedAt: heardAt - 10, heardAt,
});

test('a line is waiting until it sounds, and spoken when its sound has ended', () => {
  const { speaker, player } = stage();
  const entry = ask(speaker, 'Hello.', 0);
  assert.equal(entry.status, 'waiting');
  speaker.onMessage(audio('u1', 0));
  speaker.onPlayer(event('playing', 'u1', 0));
  assert.equal(entry.status, 'speaking');
  speaker.onMessage(done('u1', 600));
  assert.deepEqual(player.named('finish'), [['finish', 0, 600]]);
  assert.equal(entry.recording?.samples, 600);
  speaker.onPlayer(event('ended', 'u1', 0));
  assert.equal(entry.status, 'spoken');
  assert.ok(!speaker.busy);
});

test('the latency runs from the key to the sound, and is refined when the server tells its part', () => {
  const { speaker, latencies } = stage();
  const entry = ask(speaker, 'Hello.', 1000);
  speaker.onMessage(audio('u1', 0));
  speaker.onPlayer(firstSound('u1', 0, 1080));
  assert.equal(entry.latency?.total, 80);
  assert.deepEqual(latencies[0].stations.map(({ name }) => name), ['server', 'decode', 'playout']);
  speaker.onMessage(done('u1', 600));
  assert.equal(latencies[1].total, 80);
  assert.equal(latencies[1].stations.length, 6);
});

test('a line that waits for another shows no latency', () => {
  const { speaker, latencies } = stage();
  ask(speaker, 'One.', 1000);
  const second = ask(speaker, 'Two.', 1010);
  speaker.onMessage(audio('u2', 1));
  speaker.onPlayer(firstSound('u2', 1, 5000));
  assert.equal(second.latency, null);
  assert.deepEqual(latencies, []);
});

test('a line that had to wait for a tap shows no latency', () => {
  const { speaker } = stage();
  const entry = ask(speaker, 'One.', 1000);
  speaker.delay();
  speaker.onMessage(audio('u1', 0));
  speaker.onPlayer(firstSound('u1', 0, 5000));
  assert.equal(entry.latency, null);
});

test('stopping tells the server what was heard of the line that sounds, and empties everything', () => {
  const { speaker, client, player } = stage();
  const first = ask(speaker, 'One.', 0);
  const second = ask(speaker, 'Two.', 0);
  speaker.onMessage(audio('u1', 0));
  Object.assign(player.head, { ordinal: 0, utterance: 'u1', played: 480 });
  assert.ok(speaker.stop());
  assert.deepEqual(player.named('cancel'), [['cancel']]);
  assert.deepEqual(client.calls.at(-1), ['cancel', undefined, 480, 'u1']);
  assert.deepEqual([first.status, second.status], ['stopped', 'stopped']);
  assert.ok(!speaker.busy);
  assert.ok(!speaker.stop());
});

test('stopping before anything sounds says that nothing was heard', () => {
  const { speaker, client } = stage();
  ask(speaker, 'One.', 0);
  speaker.stop();
  assert.deepEqual(client.calls.at(-1), ['cancel', undefined, 0, 'u1']);
});

test('what still arrives for a stopped line changes nothing and is not played', () => {
  const { speaker, player, problems } = stage();
  const entry = ask(speaker, 'One.', 0);
  speaker.stop();
  speaker.onMessage(audio('u1', 0));
  speaker.onMessage(done('u1', 600));
  speaker.onMessage({ type: 'error', code: 'connection-lost', message: '', retryable: true, utterance: 'u1' });
  assert.deepEqual(player.named('push'), []);
  assert.equal(entry.status, 'stopped');
  assert.deepEqual(problems, []);
});

test('what the voice cannot read is said once, whether or not anything else is spoken', () => {
  const { speaker, problems } = stage();
  const warning = { code: 'unreadable-text', message: 'This voice cannot read ...' };
  ask(speaker, '你好', 0);
  speaker.onMessage({ type: 'warning', utterance: 'u1', ...warning });
  speaker.onMessage(done('u1', 0));
  assert.deepEqual(problems, ['unreadable-text']);
  ask(speaker, 'Hello 你好', 0);
  speaker.onMessage({ type: 'warning', utterance: 'u2', ...warning });
  speaker.onMessage(audio('u2', 0));
  assert.deepEqual(problems, ['unreadable-text', 'unreadable-text']);
  assert.ok(speaker.busy);
});

test('a line with nothing to say is over at once, and says so', () => {
  const { speaker, problems } = stage();
  const entry = ask(speaker, '…', 0);
  speaker.onMessage(done('u1', 0));
  assert.equal(entry.status, 'failed');
  assert.deepEqual(problems, ['nothingToSay']);
  assert.ok(!speaker.busy);
});

test('an error before any sound ends the line; one after it lets what has come be heard out', () => {
  const { speaker, player, problems } = stage();
  const refused = ask(speaker, 'One.', 0);
  speaker.onMessage({ type: 'error', code: 'overloaded', message: '', retryable: true, utterance: 'u1' });
  assert.equal(refused.status, 'failed');
  const broken = ask(speaker, 'Two.', 0);
  speaker.onMessage(audio('u2', 0));
  speaker.onMessage({ type: 'error', code: 'connection-lost', message: '', retryable: true, utterance: 'u2' });
  assert.ok(speaker.busy);
  assert.deepEqual(player.named('finish'), [['finish', 0]]);
  speaker.onPlayer(event('ended', 'u2', 0));
  assert.equal(broken.status, 'cut');
  assert.deepEqual(problems, ['overloaded', 'connection-lost']);
});

test('a line that never reached the server is told apart from one that was cut off', () => {
  const { speaker, problems } = stage();
  ask(speaker, 'One.', 0);
  speaker.onMessage({ type: 'error', code: 'connection-lost', message: '', retryable: true, utterance: 'u1' });
  assert.deepEqual(problems, ['not-connected']);
});

test('a line that failed can be asked for again, and begins anew', () => {
  const { speaker, client } = stage();
  const entry = ask(speaker, 'One.', 0);
  speaker.onMessage({ type: 'segment', utterance: 'u1', index: 0, text: 'One.', offset: 0, start: 0, words: [] });
  speaker.onMessage({ type: 'error', code: 'connection-lost', message: '', retryable: true, utterance: 'u1' });
  speaker.speak(entry, 50);
  assert.deepEqual([entry.status, entry.segments, entry.delayed], ['waiting', [], false]);
  assert.deepEqual(client.calls.at(-1), ['speak', 'One.', { utterance: 'u2', ...SETTINGS }]);
  speaker.onMessage(audio('u2', 0));
  speaker.onMessage(done('u2', 600));
  assert.equal(entry.recording?.samples, 600);
});

test('a replay stops what sounds, and the end of what it stopped does not end it', () => {
  const { speaker, player, client } = stage();
  const entry = ask(speaker, 'One.', 0);
  speaker.onMessage(audio('u1', 0));
  speaker.onMessage(done('u1', 600));
  speaker.replay(entry);
  assert.ok(speaker.busy);
  speaker.onPlayer(event('ended', 'u1', 0));
  assert.ok(speaker.busy);
  const [, { ordinal }] = /** @type {[string, {ordinal: number}]} */ (player.named('push').at(-1));
  assert.ok(ordinal >= 65_536);
  const told = client.calls.length;
  speaker.onPlayer(event('ended', 'u1', ordinal));
  assert.ok(!speaker.busy);
  assert.equal(entry.status, 'spoken');
  assert.equal(client.calls.length, told, 'the server hears nothing of replays');
});

test('segments are kept in order, and one that comes again replaces the earlier one', () => {
  const { speaker } = stage();
  const entry = ask(speaker, 'a b c', 0);
  for (const [index, text] of /** @type {[number, string][]} */ ([[1, 'b'], [0, 'a'], [2, 'c'], [1, 'B']])) {
    speaker.onMessage({ type: 'segment', utterance: 'u1', index, text, offset: 0, start: 0, words: [] });
  }
  assert.deepEqual(entry.segments.map(({ text }) => text), ['a', 'B', 'c']);
});

test('the server is told once of every time the player ran dry', () => {
  const { speaker, client, player } = stage();
  ask(speaker, 'One.', 0);
  speaker.onMessage(audio('u1', 0));
  Object.assign(player.head, { ordinal: 0, utterance: 'u1', played: 777 });
  for (let count = 0; count < 2; count += 1) speaker.onPlayer(event('underrun', 'u1', 0));
  speaker.report();
  assert.deepEqual(client.calls.at(-1), ['progress', 'u1', 777, 2]);
  speaker.report();
  assert.deepEqual(client.calls.at(-1), ['progress', 'u1', 777, undefined]);
});

test('the server is told how far playback is, but never about a replay', () => {
  const { speaker, client, player } = stage();
  const entry = ask(speaker, 'One.', 0);
  speaker.onMessage(audio('u1', 0));
  Object.assign(player.head, { ordinal: 0, utterance: 'u1', played: 777 });
  speaker.report();
  assert.deepEqual(client.calls.at(-1), ['progress', 'u1', 777, undefined]);
  speaker.onMessage(done('u1', 960));
  speaker.onPlayer(event('ended', 'u1', 0));
  speaker.replay(entry);
  const told = client.calls.length;
  speaker.report();
  assert.equal(client.calls.length, told);
});

test('a line that is still being written is one utterance, and grows with every piece', () => {
  const { client, speaker } = stage();
  const entry = newEntry('Hello', SETTINGS);
  const name = speaker.open(entry, 5);
  assert.ok(entry.streamed && speaker.busy);
  assert.ok(speaker.append(name, ' there.', 9));
  speaker.finish(name);
  assert.equal(entry.text, 'Hello there.');
  assert.deepEqual(client.calls, [['text', 'u1', 'Hello', SETTINGS], ['text', 'u1', ' there.'], ['end', 'u1']]);
});

test('a line that was stopped takes no more text, and is not ended again', () => {
  const { client, speaker } = stage();
  const entry = newEntry('Hello', SETTINGS);
  const name = speaker.open(entry, 5);
  speaker.stop();
  client.calls = [];
  assert.ok(!speaker.append(name, ' there.', 9));
  speaker.finish(name);
  assert.equal(entry.text, 'Hello');
  assert.deepEqual(client.calls, []);
});

/** A session of two lines, the first half heard. @type {import('../../static/session-store.js').SavedSession} */
const SAVED = {
  session: 's', next: 0, preRoll: 0, playing: 'a', played: 48_000, cancel: [],
  lines: ['a', 'b'].map((utterance) => ({
    utterance, sent: true,
    script: { parts: [{ text: `Line ${utterance}.`, settings: { voice: 'bella' }, flushed: false }], held: '', ended: true },
  })),
};

test('lines of before a reload go on: shown where they stopped, played from there, and spoken at their end', () => {
  const { speaker, player, problems } = stage();
  const [first, second] = speaker.restore(SAVED, SETTINGS);
  assert.deepEqual([first.text, first.voice, first.speed, first.status], ['Line a.', 'bella', 1, 'waiting']);
  assert.deepEqual(speaker.heard(), { entry: first, sample: 48_000 });
  speaker.onMessage(audio('a', 0));
  assert.deepEqual(player.named('push').map(([, , from]) => from), [48_000]);
  speaker.onMessage(done('a', 96_000));
  speaker.onPlayer(event('ended', 'a', 0));
  assert.deepEqual([first.status, first.recording], ['spoken', null]);
  speaker.onMessage(audio('b', 1));
  speaker.onMessage(done('b', 600));
  assert.equal(second.recording?.samples, 600);
  assert.deepEqual(problems, []);
});

test('a line of before a reload that was heard to its end is spoken, not empty', () => {
  const { speaker, problems } = stage();
  const [first] = speaker.restore(SAVED, SETTINGS);
  speaker.onMessage(done('a', 48_000));
  assert.equal(first.status, 'spoken');
  assert.deepEqual(problems, []);
});

test('stopping before a line of before a reload sounds tells how much of it was heard', () => {
  const { speaker, client } = stage();
  speaker.restore(SAVED, SETTINGS);
  speaker.stop();
  assert.deepEqual(client.calls.at(-1), ['cancel', undefined, 48_000, 'a']);
});

test('a server that goes on with the session is told at once how far playback is', () => {
  const { speaker, client, player } = stage();
  ask(speaker, 'One.', 0);
  speaker.onMessage(audio('u1', 0));
  Object.assign(player.head, { ordinal: 0, utterance: 'u1', played: 777 });
  const ready = { type: /** @type {const} */ ('ready'), session: 's', version: 1, voice: 'v', limits: {} };
  speaker.onMessage({ ...ready, resumed: false });
  assert.equal(client.calls.length, 1);
  speaker.onMessage({ ...ready, resumed: true });
  assert.deepEqual(client.calls.at(-1), ['progress', 'u1', 777, undefined]);
});

test('sound leaves the player between its start and the moment it runs dry or ends', () => {
  const { speaker } = stage();
  ask(speaker, 'One.', 0);
  speaker.onMessage(audio('u1', 0));
  const seen = [speaker.sounding];
  for (const type of /** @type {const} */ (['playing', 'starved', 'playing', 'ended'])) {
    speaker.onPlayer(/** @type {PlayerEvent} */ ({ ...event('playing', 'u1', 0), type }));
    seen.push(speaker.sounding);
  }
  assert.deepEqual(seen, [false, true, false, true, false]);
});

/** @param {string} text @returns {ServerMessage} */
const segment = (text) => ({ type: 'segment', utterance: 'u1', index: 0, text, offset: 0, start: 0, words: [] });

test('a line is read as is chosen when it begins, new, again or still being written', () => {
  const { speaker, client, reading } = stage();
  const entry = ask(speaker, 'One.', 0);
  Object.assign(reading, { emoji: 'name', lexicon: { afk: 'away' } });
  speaker.speak(entry, 1);
  delete reading.emoji;
  speaker.open(newEntry('Two', SETTINGS), 2);
  const plain = { voice: 'heart', speed: 1 };
  assert.deepEqual(client.calls, [
    ['speak', 'One.', { utterance: 'u1', ...plain }],
    ['speak', 'One.', { utterance: 'u2', ...plain, emoji: 'name', lexicon: { afk: 'away' } }],
    ['text', 'u3', 'Two', { ...plain, lexicon: { afk: 'away' } }],
  ]);
});

test('of a line still being written, the time until its first segment was written is told apart', () => {
  const { speaker, latencies } = stage();
  const name = speaker.open(newEntry('Well', SETTINGS), 1000);
  speaker.append(name, ', yes.', 1100);
  speaker.append(name, ' And', 1150);
  speaker.onMessage(segment('Well, yes.'));
  speaker.append(name, ' so on.', 1250);
  speaker.onMessage(segment('Well, yes. And so on.'));
  speaker.onMessage(audio('u1', 0));
  speaker.onPlayer(firstSound('u1', 0, 1230));
  assert.deepEqual(latencies[0].stations.slice(0, 2), [
    { name: 'writing', ms: 100 },
    { name: 'server', ms: 100 },
  ]);
});

test('a line that was whole when it was asked for has waited for no text', () => {
  const { speaker, latencies } = stage();
  ask(speaker, 'Well, yes.', 1000);
  speaker.onMessage(segment('Well, yes.'));
  speaker.onMessage(audio('u1', 0));
  speaker.onPlayer(firstSound('u1', 0, 1230));
  assert.deepEqual(latencies[0].stations[0], { name: 'server', ms: 200 });
});
