// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SpeechClient } from '../../static/client.js';
import { FakeClock, FakeSocket } from './fake-connection.js';
import { FakeServer, letterOf, Line } from './fake-server.js';
import { integers } from './random.js';

const PACKET_SAMPLES = 960;

/** A client before a server of paper. What it is told is kept, page after page. */
class Bench {
  server = new FakeServer();
  clock = new FakeClock();
  /** @type {Line[]} */
  lines = [];
  /** @type {any[]} */
  messages = [];
  /** @type {any[]} */
  states = [];
  client = this.open();

  /** Load the page. @param {import('../../static/session-store.js').SavedSession | null} [saved] */
  open(saved = null) {
    return new SpeechClient({
      url: 'ws://host/v1/stream',
      onMessage: (message) => this.messages.push(message),
      onState: (state) => this.states.push(state),
      makeSocket: () => {
        const socket = new FakeSocket();
        this.lines.push(new Line(this.server, socket));
        return socket;
      },
      clock: this.clock,
      saved,
    });
  }

  get line() {
    return /** @type {Line} */ (this.lines.at(-1));
  }

  get state() {
    return this.states.at(-1);
  }

  /** The present socket opens, if it was not open. */
  connect() {
    if (this.state.state === 'waiting') this.clock.advance(this.state.retrySeconds * 1000);
    this.line.socket.onopen();
  }

  /** Everything under way arrives, and the server says what it can, until nothing moves. */
  settle() {
    while (this.line.deliver(true) || this.line.deliver(false) || this.line.session?.speak());
  }

  /** Play everything that has come of an utterance, so that the server goes on. @param {string} utterance */
  play(utterance) {
    this.client.progress(utterance, this.heard(utterance).length * PACKET_SAMPLES);
  }

  /** Connected, and everything said. @param {string[]} utterances */
  finish(...utterances) {
    for (let turn = 0; turn < 100; turn += 1) {
      this.settle();
      for (const utterance of utterances) if (this.heard(utterance).length > 0) this.play(utterance);
    }
  }

  /** Letters of an utterance, in the order they came. @param {string} utterance @returns {string[]} */
  heard(utterance) {
    return this.messages
      .filter((one) => one.type === 'audio' && one.utterance === utterance && (one.flags & 4) === 0)
      .flatMap(({ packets }) => packets.map(letterOf));
  }

  /** @param {string} utterance @returns {string[]} */
  ends(utterance) {
    return this.messages
      .filter((one) => ['done', 'cancelled', 'error'].includes(one.type) && one.utterance === utterance)
      .map(({ type, code }) => code ?? type);
  }

  /** Sent over the present socket, of a type. @param {string} type */
  sent(type) {
    return this.line.socket.sent.filter((message) => message.type === type);
  }
}

/** A connected bench. */
function connected() {
  const bench = new Bench();
  bench.connect();
  bench.settle();
  return bench;
}

test('a session that was lost is asked for again, from the first packet that is missing', () => {
  const bench = connected();
  bench.client.speak('Hello.', { utterance: 'u' });
  bench.settle();
  bench.client.progress('u', 1000);
  bench.line.cut();
  assert.deepEqual(bench.state, { state: 'waiting', reason: 'away', retrySeconds: 0, resuming: true });
  bench.connect();
  assert.deepEqual(bench.sent('start'), [{
    type: 'start', resume: { session: 'token-0', next: 6, cancel: [], playing: 'u', played: 1000 },
  }]);
});

test('what was on its way in either direction when the line was cut arrives after all, once', () => {
  const bench = connected();
  bench.client.text('u', 'One two');
  bench.settle();
  bench.play('u');
  bench.line.deliver(true);
  bench.line.session?.speak();
  bench.client.text('u', ' three.');
  bench.client.end('u');
  bench.line.cut();
  bench.connect();
  bench.finish('u');
  assert.equal(bench.heard('u').join(''), 'One two three.');
  assert.deepEqual(bench.ends('u'), ['done']);
});

test('text is sent again from the code point that the server has, and never ends inside a surrogate pair', () => {
  const bench = connected();
  bench.client.text('u', '😀 a\ud83d');
  assert.deepEqual(bench.sent('text').map(({ text }) => text), ['😀 a']);
  bench.line.deliver(true);
  bench.client.text('u', '\ude00 b');
  bench.line.cut();
  bench.connect();
  bench.finish('u');
  assert.deepEqual(bench.sent('text').map(({ text }) => text), ['😀 b']);
  bench.client.end('u');
  bench.finish('u');
  assert.equal(bench.heard('u').join(''), '😀 a😀 b');
});

test('text, flush and end sent into a dead socket are said again in their order, with their settings', () => {
  const bench = connected();
  bench.client.text('u', 'One ', { voice: 'a', speed: 2 });
  bench.client.flush('u');
  bench.client.text('u', 'two', { voice: 'b' });
  bench.client.end('u');
  bench.line.cut();
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.line.socket.sent.filter(({ utterance }) => utterance === 'u'), [
    { type: 'text', utterance: 'u', text: 'One ', voice: 'a', speed: 2 },
    { type: 'flush', utterance: 'u' },
    { type: 'text', utterance: 'u', text: 'two', voice: 'b' },
    { type: 'end', utterance: 'u' },
  ]);
});

test('a line asked for while away is spoken behind those asked for before', () => {
  const bench = connected();
  bench.client.speak('abc', { utterance: 'u1' });
  bench.client.speak('def', { utterance: 'u2' });
  bench.line.deliver(true);
  bench.line.cut();
  bench.client.speak('ghi', { utterance: 'u3' });
  bench.connect();
  bench.finish('u1', 'u2', 'u3');
  assert.deepEqual([...bench.server.session?.spoken.keys() ?? []], ['u1', 'u2', 'u3']);
  assert.deepEqual(['u1', 'u2', 'u3'].map((id) => bench.heard(id).join('')), ['abc', 'def', 'ghi']);
});

test('when nothing has to go before it, what is asked for while away is sent behind the start', () => {
  const bench = connected();
  bench.line.cut();
  bench.client.speak('abc', { utterance: 'u' });
  bench.connect();
  assert.deepEqual(bench.line.socket.types, ['start', 'text', 'end']);
  bench.finish('u');
  assert.equal(bench.heard('u').join(''), 'abc');
});

test('a done that is told again before its audio waits for it', () => {
  const bench = connected();
  bench.client.speak('abcdef', { utterance: 'u' });
  while (bench.line.deliver(true));
  while (bench.line.session?.speak());
  bench.line.cut();
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.ends('u'), ['done']);
  assert.equal(bench.messages.at(-1).type, 'done');
  assert.equal(bench.heard('u').join(''), 'abcdef');
});

test('an error that is told again before the audio it ends waits for it', () => {
  const bench = connected();
  bench.client.text('u', 'abc');
  while (bench.line.deliver(true));
  while (bench.line.session?.speak());
  bench.line.session?.fail();
  bench.line.cut();
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.ends('u'), ['synthesis-failed']);
  assert.equal(bench.messages.at(-1).type, 'error');
  assert.equal(bench.heard('u').join(''), 'abc');
});

test('a cancel while away is told with the return, and nothing of it is handed on', () => {
  const bench = connected();
  bench.client.speak('abcdefgh', { utterance: 'u1' });
  bench.client.speak('next', { utterance: 'u2' });
  bench.settle();
  const heard = bench.heard('u1').length;
  bench.line.cut();
  bench.client.cancel('u1', 960, 'u1');
  bench.client.cancel('u1');
  bench.connect();
  assert.deepEqual(bench.sent('start')[0].resume.cancel, ['u1']);
  assert.deepEqual([bench.sent('start')[0].resume.playing, bench.sent('start')[0].resume.played], ['u1', 960]);
  bench.finish('u2');
  assert.equal(bench.heard('u1').length, heard);
  assert.deepEqual(bench.ends('u1'), ['cancelled']);
  assert.equal(bench.heard('u2').join(''), 'next');
});

test('a cancel that was lost with the line is told again', () => {
  const bench = connected();
  bench.client.speak('abcdefgh', { utterance: 'u' });
  bench.settle();
  bench.client.cancel();
  bench.line.cut();
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.ends('u'), ['cancelled']);
  bench.line.cut();
  bench.connect();
  assert.deepEqual(bench.sent('start')[0].resume.cancel, []);
});

test('a cancelled line that never reached the server gets its end all the same', () => {
  const bench = connected();
  bench.client.speak('abc', { utterance: 'lost' });
  bench.line.cut();
  bench.client.cancel('lost');
  bench.client.speak('def', { utterance: 'unsent' });
  bench.client.cancel('unsent');
  assert.deepEqual(bench.ends('unsent'), ['cancelled']);
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.ends('lost'), ['cancelled']);
  assert.equal(bench.messages.find(({ utterance, type }) => utterance === 'lost' && type === 'cancelled').text_remaining, 'abc');
  assert.equal(bench.server.session?.spoken.size, 0);
});

test('an interruption between the return and its end leaves no line without an end', () => {
  for (let steps = 0; steps < 8; steps += 1) {
    const bench = connected();
    bench.client.speak('abc', { utterance: 'u1' });
    bench.line.deliver(true);
    bench.line.deliver(true);
    bench.client.speak('def', { utterance: 'u2' });
    bench.line.cut();
    bench.connect();
    for (let step = 0; step < steps; step += 1) if (!bench.line.deliver(true)) bench.line.deliver(false);
    bench.client.cancel();
    bench.settle();
    assert.deepEqual([bench.ends('u1'), bench.ends('u2')], [['cancelled'], ['cancelled']], `after ${steps} steps`);
  }
});

test('after a refusal what is complete plays on, what is not is lost, and what was never said is spoken', () => {
  const bench = connected();
  bench.client.speak('ab', { utterance: 'complete' });
  bench.settle();
  bench.client.speak('abcdefghijkl', { utterance: 'cut' });
  bench.client.speak('abc', { utterance: 'waiting' });
  bench.settle();
  assert.deepEqual(bench.ends('complete'), ['done']);
  bench.line.cut(1001);
  assert.equal(bench.state.reason, 'restarting');
  bench.client.speak('new', { utterance: 'new' });
  bench.server.forget();
  bench.connect();
  bench.finish('new');
  assert.deepEqual([bench.ends('complete'), bench.ends('cut'), bench.ends('waiting')],
    [['done'], ['connection-lost'], ['connection-lost']]);
  assert.equal(bench.heard('new').join(''), 'new');
  assert.ok(bench.messages.every(({ code }) => code !== 'resume-refused'));
  bench.client.progress('complete', 1920);
  assert.ok(bench.sent('progress').every(({ utterance }) => utterance === 'new'));
});

test('text for a line that is over is not taken for a new one', () => {
  const bench = connected();
  bench.client.text('u', 'abc');
  bench.line.cut();
  bench.server.forget();
  bench.connect();
  bench.settle();
  bench.client.text('u', 'def');
  bench.client.end('u');
  bench.settle();
  assert.deepEqual(bench.ends('u'), ['connection-lost']);
  assert.equal(bench.server.session?.spoken.size, 0);
});

test('a line that ended too long ago to be told of again is given up', () => {
  const bench = connected();
  bench.client.speak('abc', { utterance: 'u' });
  while (bench.line.deliver(true));
  const session = bench.line.session;
  session?.fail();
  bench.line.cut();
  for (const spoken of session?.spoken.values() ?? []) spoken.told = [];
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.ends('u'), ['connection-lost']);
});

test('a session taken over by another tab ends here, once, and a fresh one can be had', () => {
  const bench = connected();
  bench.client.speak('abc', { utterance: 'u' });
  bench.settle();
  bench.line.cut(4001);
  bench.clock.advance(200_000);
  assert.deepEqual(bench.state, { state: 'closed', reason: 'taken' });
  assert.equal(bench.client.save(), null);
  assert.equal(bench.lines.length, 1);
  bench.client.restart();
  bench.connect();
  assert.deepEqual(bench.sent('start'), [{ type: 'start' }]);
  bench.client.speak('def', { utterance: 'v' });
  bench.finish('v');
  assert.equal(bench.heard('v').join(''), 'def');
});

test('only the end of the session closes with 1000: what reaches the server late must not end it', () => {
  const bench = connected();
  bench.clock.advance(3000);
  assert.deepEqual(bench.lines[0].socket.codes, [undefined]);
  bench.client.close();
  assert.deepEqual(bench.line.socket.codes, [1000]);
});

test('what the server refused is not said to it again', () => {
  const bench = connected();
  bench.client.speak('abc', { utterance: 'u' });
  bench.line.cut(1009);
  assert.deepEqual(bench.ends('u'), ['connection-lost']);
  bench.connect();
  assert.deepEqual(bench.line.socket.sent, [{ type: 'start' }]);
});

test('an utterance the server has and this page does not know of is cancelled, so that no other waits for it', () => {
  const bench = connected();
  const saved = { session: 'token-0', next: 0, preRoll: 0, playing: 'u2', played: 0, cancel: [], lines: [] };
  bench.client.speak('abc', { utterance: 'u1' });
  while (bench.line.deliver(true));
  bench.line.drop();
  bench.client = bench.open(saved);
  bench.connect();
  bench.settle();
  assert.deepEqual(bench.sent('cancel'), [{ type: 'cancel', utterance: 'u1', played: 0 }]);
});

test('nothing is saved when nothing is unheard', () => {
  const bench = connected();
  assert.equal(bench.client.save(), null);
  bench.client.speak('abc', { utterance: 'u' });
  assert.equal(bench.client.save()?.lines.length, 1);
  bench.settle();
  assert.equal(bench.client.save()?.lines.length, 1);
  bench.play('u');
  assert.equal(bench.client.save(), null);
});

test('another page goes on at the packet of the playhead, with eight before it for its decoder', () => {
  const bench = connected();
  bench.client.speak('abcdefghijklmnopqrstuvwxyz', { utterance: 'u' });
  for (let turn = 0; turn < 3; turn += 1) {
    bench.settle();
    bench.play('u');
  }
  bench.client.progress('u', 12 * PACKET_SAMPLES + 5);
  const saved = JSON.parse(JSON.stringify(bench.client.save()));
  assert.deepEqual([saved.next, saved.preRoll, saved.playing, saved.played], [4, 8, 'u', 12 * PACKET_SAMPLES + 5]);
  bench.line.drop();
  bench.messages = [];
  bench.client = bench.open(saved);
  bench.connect();
  assert.deepEqual(bench.sent('start')[0].resume, {
    session: 'token-0', next: 4, pre_roll: 8, cancel: [], playing: 'u', played: 12 * PACKET_SAMPLES + 5,
  });
  bench.settle();
  const audio = bench.messages.filter(({ type }) => type === 'audio');
  assert.deepEqual(audio.slice(0, 9).map(({ flags }) => flags & 12), [12, 4, 4, 4, 4, 4, 4, 4, 0]);
  assert.equal(bench.heard('u').join(''), 'mnopqrs');
});

/** A text without a letter that comes twice, so that what is missing or comes again shows. */
const TEXT = 'abcdefghijkl😀mno😁pqrs😂tuvwxyz😃αβγδε😄ζηθικλ';

/** A listener who writes, hears, cancels and loses the line at random moments. */
class Listener {
  bench = connected();
  /** @type {Map<string, {text: string, open: boolean, wanted: boolean}>} */
  asked = new Map();

  /** @param {(low: number, high: number) => number} pick */
  constructor(pick) {
    this.pick = pick;
  }

  /** Anything that can happen. */
  step() {
    const { bench } = this;
    const choice = this.pick(0, 99);
    if (choice < 12) this.write();
    else if (choice < 14) this.cancel();
    else if (choice < 40) bench.line.deliver(true);
    else if (choice < 66) bench.line.deliver(false);
    else if (choice < 84) bench.line.session?.speak();
    else if (choice < 94) this.hear();
    else if (bench.state.state !== 'waiting') bench.line.cut();
    if (bench.state.state === 'waiting' && this.pick(0, 4) === 0) bench.connect();
  }

  /** Go on with the line that is being written, or begin one. */
  write() {
    const { client } = this.bench;
    const writing = [...this.asked].find(([, one]) => one.open && one.wanted);
    const [id, one] = writing ?? [client.newId(), { text: '', open: true, wanted: true }];
    this.asked.set(id, one);
    // Cut anywhere, inside a letter of two halves too.
    const piece = TEXT.slice(one.text.length, one.text.length + this.pick(1, 6));
    one.text += piece;
    client.text(id, piece);
    if (this.pick(0, 4) === 0) client.flush(id);
    if (this.pick(0, 2) === 0 || one.text === TEXT) this.end(id, one);
  }

  /** @param {string} id @param {{text: string, open: boolean}} one */
  end(id, one) {
    one.open = false;
    this.bench.client.end(id);
  }

  cancel() {
    const wanted = [...this.asked].filter(([id, one]) => one.wanted && !this.over(id));
    const all = this.pick(0, 3) === 0;
    const stopped = all ? wanted : wanted.slice(this.pick(0, wanted.length)).slice(0, 1);
    if (stopped.length === 0) return;
    for (const [, one] of stopped) one.wanted = false;
    if (all) this.bench.client.cancel();
    else this.bench.client.cancel(stopped[0][0]);
  }

  /** Play what has come of the line whose turn it is. */
  hear() {
    const [id] = [...this.asked].find(([name, one]) => one.wanted && !this.over(name)) ?? [];
    if (id !== undefined && this.bench.heard(id).length > 0) this.bench.play(id);
  }

  /** Whether all of it was played. @param {string} id */
  over(id) {
    return this.played.has(id);
  }

  get played() {
    const { messages } = this.bench;
    return new Set(messages.filter(({ type }) => type === 'done').map(({ utterance }) => utterance));
  }

  /** Everything is said and heard. */
  finish() {
    if (this.bench.state.state !== 'open') this.bench.connect();
    for (const [id, one] of this.asked) if (one.open && one.wanted) this.end(id, one);
    for (let turn = 0; turn < 60; turn += 1) {
      this.bench.settle();
      for (const id of this.asked.keys()) if (this.bench.heard(id).length > 0) this.bench.play(id);
    }
  }
}

test('however the line is cut, every letter is heard once and in order, and every line has one end', () => {
  let lines = 0;
  let cuts = 0;
  for (let seed = 1; seed <= 120; seed += 1) {
    const listener = new Listener(integers(seed));
    for (let step = 0; step < 200; step += 1) listener.step();
    listener.finish();
    const { bench, asked } = listener;
    for (const [id, { text, wanted }] of asked) {
      const heard = bench.heard(id).join('');
      // Half a letter is a letter of its own to whoever speaks it.
      if (wanted) assert.equal(heard, text.replace(/[\ud800-\udbff]$/, '\ufffd'), `seed ${seed}`);
      else assert.ok(text.startsWith(heard), `seed ${seed}`);
      const ends = bench.ends(id);
      if (ends.length === 2) assert.deepEqual(ends, ['done', 'cancelled'], `seed ${seed}`);
      else assert.deepEqual(ends, [wanted ? 'done' : ends[0]], `seed ${seed}`);
      if (!wanted) assert.ok(ends.length > 0 && ends[0] !== 'connection-lost', `seed ${seed}`);
    }
    lines += asked.size;
    cuts += bench.lines.length - 1;
  }
  assert.ok(lines > 400 && cuts > 400, `${lines} lines, ${cuts} cuts`);
});

test('wherever the page is loaded again, what is heard goes on where it stopped', () => {
  for (let seed = 1; seed <= 120; seed += 1) {
    const pick = integers(seed);
    const bench = connected();
    const texts = [TEXT.slice(0, pick(1, 40)), TEXT.slice(0, pick(1, 40))].map((text) => text.replace(/[\ud800-\udbff]$/, ''));
    texts.forEach((text, index) => bench.client.speak(text, { utterance: `u${index}` }));
    const letters = texts.map((text) => [...text]);
    let [line, played] = [0, 0];
    for (let step = pick(0, 150); step > 0; step -= 1) {
      const choice = pick(0, 3);
      if (choice === 0) bench.line.deliver(true);
      else if (choice === 1) bench.line.deliver(false);
      else if (choice === 2) bench.line.session?.speak();
      else if (line < 2 && bench.heard(`u${line}`).length > played) {
        played += 1;
        bench.client.progress(`u${line}`, played * PACKET_SAMPLES);
        if (played === letters[line].length && bench.ends(`u${line}`).length > 0) [line, played] = [line + 1, 0];
      }
    }
    const saved = bench.client.save();
    if (saved === null) continue;
    bench.line.drop();
    bench.messages = [];
    bench.client = bench.open(JSON.parse(JSON.stringify(saved)));
    bench.connect();
    for (let turn = 0; turn < 60; turn += 1) {
      bench.settle();
      for (let at = line; at < 2; at += 1) {
        const heard = bench.heard(`u${at}`).length + (at === line ? played : 0);
        if (heard > 0) bench.client.progress(`u${at}`, heard * PACKET_SAMPLES);
      }
    }
    for (let at = line; at < 2; at += 1) {
      assert.equal(bench.heard(`u${at}`).join(''), letters[at].slice(at === line ? played : 0).join(''), `seed ${seed}`);
      assert.deepEqual(bench.ends(`u${at}`), ['done'], `seed ${seed}`);
    }
  }
});

test('a line that was still being written when its page ended is spoken as far as it had come', () => {
  const bench = connected();
  bench.client.text('u', 'abc');
  const saved = bench.client.save();
  bench.line.drop();
  bench.messages = [];
  bench.client = bench.open(saved);
  bench.connect();
  bench.finish('u');
  assert.equal(bench.heard('u').join(''), 'abc');
  assert.deepEqual(bench.ends('u'), ['done']);
});

test('a text longer than is kept is cancelled and gets one end', () => {
  const bench = connected();
  bench.client.text('u', 'abc');
  bench.client.text('u', 'x'.repeat(300_000));
  assert.deepEqual(bench.ends('u'), ['text-too-long']);
  bench.settle();
  assert.deepEqual([bench.ends('u'), bench.sent('cancel').length], [['text-too-long'], 1]);
});
