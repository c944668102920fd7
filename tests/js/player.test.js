// @ts-check
import './worker-shim.js';

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { DecoderPool } from '../../static/opus.js';
import { FIRST_LOCAL_ORDINAL, Player } from '../../static/player.js';
import { FakeContext, install } from './fake-audio.js';
import { expected, messageOf, packets, preSkip } from './stream.js';

const WHOLE = packets.length * 960 - preSkip;

/** @type {Player[]} */
const players = [];

// A player that is not stopped watches its device for ever.
afterEach(() => players.splice(0).forEach((player) => player.stop()));

/** A player on a device of paper, with decoders at hand. @param {Parameters<typeof install>[0]} [options] */
async function makeBench(options) {
  install(options);
  const pool = new DecoderPool({ size: 8 });
  for (let i = 0; i < 8; i += 1) await pool.ensure();
  /** @type {any[]} */
  const events = [];
  const player = new Player({ pool, onEvent: (event) => events.push(event) });
  players.push(player);
  return {
    player,
    events,
    of: (/** @type {string} */ type) => events.filter((event) => event.type === type),
  };
}

/** Push the whole stream as one utterance. @param {Player} player @param {number} ordinal @param {string} utterance */
function say(player, ordinal, utterance) {
  player.push(messageOf(0, 1, { ordinal, utterance, flags: 1 }));
  player.push(messageOf(1, 11, { ordinal, utterance, flags: 2 }));
}

/** @param {number[]} out @param {number} from where content sample 0 lies @param {number} [count] */
function assertHeard(out, from, count = WHOLE) {
  expected.samples.forEach((sample, i) => {
    const at = i * expected.stride - preSkip;
    if (at >= 0 && at < count) assert.ok(Math.abs(out[from + at] - sample) < 1e-4, `sample ${at}`);
  });
}

/** Unlock on a device that moves meanwhile. @param {Player} player */
async function unlock(player) {
  let moving = true;
  const unlocked = player.unlock().finally(() => {
    moving = false;
  });
  while (moving) {
    await settled();
    const context = FakeContext.made[FakeContext.made.length - 1];
    if (context?.state === 'running') context.advance(128);
  }
  return unlocked;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test('an utterance is heard as libopus decodes it, trimmed at both ends, and told of', async () => {
  const { player, events, of } = await makeBench();
  await unlock(player);
  const context = FakeContext.made[0];
  const from = context.frame;
  say(player, 3, 'u');
  player.finish(3, 10_000);
  context.advance(12_800);
  assertHeard(context.out, from, 10_000);
  assert.ok(context.out.slice(from + 10_000).every((sample) => sample === 0));
  assert.deepEqual(events.map(({ type }) => type), ['state', 'playing', 'first-sound', 'ended']);
  const [ended] = of('ended');
  assert.deepEqual([ended.ordinal, ended.utterance, ended.played, ended.cancelled], [3, 'u', 10_000, false]);
  const [sound] = of('first-sound');
  assert.ok(sound.receivedAt <= sound.decodedAt && sound.decodedAt <= sound.renderedAt);
});

test('what came before the first gesture plays from its first sample once the device is there', async () => {
  const { player, of } = await makeBench();
  say(player, 0, 'early');
  player.finish(0, WHOLE);
  await unlock(player);
  const [context] = FakeContext.made;
  context.advance(12_800);
  assertHeard(context.out, Math.round(of('playing')[0].contextTime * 48_000));
});

test('utterances queue and each starts where the one before it ends', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const context = FakeContext.made[0];
  const from = context.frame;
  say(player, 0, 'a');
  player.finish(0, 5000);
  say(player, 1, 'b');
  player.finish(1, WHOLE);
  context.advance(25_600);
  assertHeard(context.out, from, 5000);
  assertHeard(context.out, from + 5000);
  assert.deepEqual(of('ended').map(({ utterance, played }) => [utterance, played]), [['a', 5000], ['b', WHOLE]]);
});

test('a later utterance of the server ends an earlier one whose end was lost, a replay does not', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const context = FakeContext.made[0];
  player.push(messageOf(0, 6, { ordinal: 0, utterance: 'a', flags: 1 }));
  say(player, FIRST_LOCAL_ORDINAL, 'replay');
  context.advance(12_800);
  assert.equal(of('underrun').length, 1);
  assert.equal(of('ended').length, 0);
  say(player, 1, 'b');
  context.advance(51_200);
  assert.deepEqual(of('ended').map(({ utterance }) => utterance), ['a', 'replay', 'b']);
});

test('a cancel stops within 10 ms, tells how much was rendered, and drops what is in flight', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const context = FakeContext.made[0];
  const from = context.frame;
  say(player, 0, 'a');
  context.advance(1280);
  assert.deepEqual(player.cancel(0), { played: 1280 });
  assert.equal(player.playhead().ordinal, null);
  player.push(messageOf(3, 9, { ordinal: 0, utterance: 'a' }));
  context.advance(12_800);
  assert.ok(context.out.slice(from + 1280 + 480).every((sample) => sample === 0));
  assert.deepEqual(of('ended').map(({ played, cancelled }) => [played, cancelled]), [[1760, true]]);
});

test('an ordinal used again after its cancel is played when it names another utterance', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  say(player, 0, 'a');
  player.cancel();
  say(player, 0, 'b');
  player.finish(0, WHOLE);
  FakeContext.made[0].advance(25_600);
  assert.deepEqual(of('ended').map(({ utterance, cancelled }) => [utterance, cancelled]), [['a', true], ['b', false]]);
});

test('a cancel of everything gives the place in what was sounding and ends each utterance once', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  for (const [ordinal, name] of ['a', 'b', 'c'].entries()) say(player, ordinal, name);
  FakeContext.made[0].advance(2560);
  assert.deepEqual(player.cancel(), { played: 2560 });
  assert.deepEqual(player.cancel(), { played: 0 });
  FakeContext.made[0].advance(1280);
  assert.deepEqual(of('ended').map(({ utterance }) => utterance).sort(), ['a', 'b', 'c']);
});

test('a cancel without a device ends the utterance at once', async () => {
  const { player, of } = await makeBench();
  say(player, 0, 'a');
  player.cancel(0);
  assert.deepEqual(of('ended').map(({ played, cancelled }) => [played, cancelled]), [[0, true]]);
});

test('an utterance that failed before its end plays what came of it', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  player.push(messageOf(0, 4, { ordinal: 0, utterance: 'a', flags: 1 }));
  player.finish(0);
  FakeContext.made[0].advance(12_800);
  assert.deepEqual(of('ended').map(({ played }) => played), [4 * 960 - preSkip]);
  assert.equal(of('starved').length, 0);
});

test('running dry before the end is told as an underrun with what is waited for now', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  player.push(messageOf(0, 4, { ordinal: 0, utterance: 'a', flags: 1 }));
  FakeContext.made[0].advance(12_800);
  assert.deepEqual(of('underrun'), [
    { type: 'underrun', ordinal: 0, utterance: 'a', count: 1, thresholdMs: 50 },
  ]);
  assert.equal(player.playhead().played, 4 * 960 - preSkip);
});

test('the playhead follows the device sample by sample', async () => {
  const { player } = await makeBench();
  assert.deepEqual(player.playhead().ordinal, null);
  await unlock(player);
  const context = FakeContext.made[0];
  context.outputLatency = 0.02;
  say(player, 7, 'a');
  for (let played = 128; played < 9000; played += 128) {
    context.advance(128);
    const head = player.playhead();
    assert.deepEqual([head.ordinal, head.utterance, head.played], [7, 'a', played]);
    assert.ok(Math.abs(head.heard - Math.max(0, played - 960)) <= 1);
  }
});

test('without a gesture the state says so, and nothing is lost by waiting for one', async () => {
  const { player, of } = await makeBench({ granted: false });
  assert.deepEqual(await unlock(player), { state: 'suspended', reason: 'gesture' });
  say(player, 0, 'a');
  player.finish(0, WHOLE);
  FakeContext.granted = true;
  assert.deepEqual(await unlock(player), { state: 'running', reason: null });
  FakeContext.made[0].advance(25_600);
  assert.deepEqual(of('ended').map(({ played }) => played), [WHOLE]);
});

test('a device that does not move is replaced, and the new one goes on where the old one stood', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const [old] = FakeContext.made;
  say(player, 0, 'a');
  player.finish(0, WHOLE);
  old.advance(3840);
  // Its clock stands from here on: the watchdog looks twice, half a second apart.
  while (FakeContext.made.length === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await settled();
  const [, fresh] = FakeContext.made;
  assert.equal(old.state, 'closed');
  const start = fresh.frame;
  fresh.advance(12_800);
  const [, again] = of('playing');
  assert.equal(again.played, 3840);
  const fade = 240;
  assertHeardFrom(fresh.out, Math.round(again.contextTime * 48_000) + fade, 3840 + fade);
  assert.ok(again.contextTime * 48_000 <= start);
  assert.deepEqual(of('ended').map(({ played }) => played), [WHOLE]);
  assert.equal(of('first-sound').length, 1);
});

/** @param {number[]} out @param {number} frame @param {number} played @param {number} [close] */
function assertHeardFrom(out, frame, played, close = 1e-4) {
  expected.samples.forEach((sample, i) => {
    const at = i * expected.stride - preSkip;
    if (at >= played && at < WHOLE) assert.ok(Math.abs(out[frame + at - played] - sample) < close, `sample ${at}`);
  });
}

test('a long text is decoded only some seconds ahead, and all of it is heard', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const context = FakeContext.made[0];
  const from = context.frame;
  let fed = 0;
  const { port } = context.node;
  const post = port.postMessage;
  port.postMessage = (/** @type {any} */ order) => {
    fed += order.pcm?.length ?? 0;
    post(order);
  };
  const loop = Array.from({ length: 2000 }, (_, i) => packets[i % packets.length]);
  player.push(messageOf(0, 1, { packets: loop, flags: 3, utterance: 'long' }));
  const length = 2000 * 960 - preSkip;
  player.finish(0, length);
  for (let i = 0; i < 400 && of('ended').length === 0; i += 1) {
    await settled();
    context.advance(12_800);
    assert.ok(fed - (context.frame - from) <= 10.1 * 48_000);
  }
  assert.deepEqual(of('ended').map(({ played }) => played), [length]);
  assert.equal(of('starved').length, 0);
});

test('packets that find no decoder wait for one and play in order', async () => {
  install();
  /** @type {any[]} */
  const events = [];
  const player = new Player({ pool: new DecoderPool({ size: 1 }), onEvent: (event) => events.push(event) });
  players.push(player);
  for (const [ordinal, name] of ['a', 'b', 'c'].entries()) {
    say(player, ordinal, name);
    player.finish(ordinal, 2000);
  }
  await unlock(player);
  for (let i = 0; i < 500 && events.filter(({ type }) => type === 'ended').length < 3; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    FakeContext.made[0].advance(1280);
  }
  const ended = events.filter(({ type }) => type === 'ended');
  assert.deepEqual(ended.map(({ utterance, played }) => [utterance, played]), [['a', 2000], ['b', 2000], ['c', 2000]]);
});

test('anything but Opus is refused', async () => {
  const { player } = await makeBench();
  assert.throws(() => player.push(messageOf(0, 1, { kind: 2 })), TypeError);
});

test('without a worklet the same samples are heard from scheduled buffers', async () => {
  const { player, of } = await makeBench({ worklet: false });
  await unlock(player);
  const context = FakeContext.made[0];
  say(player, 0, 'a');
  player.finish(0, WHOLE);
  say(player, 1, 'b');
  player.finish(1, 5000);
  await settled();
  for (let i = 0; i < 200; i += 1) context.advance(128);
  const [first, second] = of('playing');
  const from = Math.round(first.contextTime * 48_000);
  assertHeard(context.out, from);
  assertHeard(context.out, from + WHOLE, 5000);
  assert.equal(Math.round(second.contextTime * 48_000), from + WHOLE);
  assert.deepEqual(of('ended').map(({ played }) => played), [WHOLE, 5000]);
  assert.equal(of('starved').length, 0);
});

test('without a worklet a cancel withdraws what is scheduled, and the next utterance loses nothing', async () => {
  const { player, of } = await makeBench({ worklet: false });
  await unlock(player);
  const context = FakeContext.made[0];
  say(player, 0, 'a');
  player.finish(0, WHOLE);
  say(player, 1, 'b');
  player.finish(1, WHOLE);
  await settled();
  // Late enough that the beginning of the second one is scheduled too.
  for (let i = 0; i < 85; i += 1) context.advance(128);
  const at = context.frame;
  const { played } = player.cancel(0);
  await settled();
  for (let i = 0; i < 200; i += 1) context.advance(128);
  const [, second] = of('playing');
  const from = Math.round(second.contextTime * 48_000);
  assert.ok(from >= at + 480);
  assert.ok(context.out.slice(at + 480, from).every((sample) => sample === 0));
  assertHeard(context.out, from);
  assert.deepEqual(of('ended').map(({ utterance, cancelled }) => [utterance, cancelled]), [['a', true], ['b', false]]);
  assert.ok(played > 0 && played <= WHOLE);
});

test('without a worklet a busy thread makes a gap that is told as an underrun, and nothing is lost', async () => {
  const { player, of } = await makeBench({ worklet: false });
  await unlock(player);
  const context = FakeContext.made[0];
  say(player, 0, 'a');
  await settled();
  const { sources } = context;
  const callbacks = sources.map((source) => source.onended);
  for (const source of sources) source.onended = null;
  context.advance(9600);
  callbacks[0]();
  for (let i = 0; i < 200; i += 1) context.advance(128);
  assert.equal(of('underrun').length, 1);
  const [, again] = of('playing');
  assertHeardFrom(context.out, Math.round(again.contextTime * 48_000) + 240, again.played + 240);
  assert.deepEqual(of('ended').map(({ played }) => played), [WHOLE]);
});

test('an utterance that was begun elsewhere fades in where it stopped, and its pre-roll is not played', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  const [context] = FakeContext.made;
  const played = 9 * 960 + 17;
  const first = Math.floor((played + preSkip) / 960);
  player.push(messageOf(first - 8, 8, { flags: 12 }), played);
  player.push(messageOf(first, packets.length - first, { flags: 2 }), played);
  player.finish(0, WHOLE);
  context.advance(12_800);
  const [playing] = of('playing');
  assert.equal(playing.played, played);
  const start = Math.round(playing.contextTime * 48_000);
  assert.ok(Math.abs(context.out[start]) < 1e-4);
  assert.ok(context.out.slice(0, start).every((sample) => sample === 0));
  // A decoder that has seen eight packets is close to one that has seen them all, not the same.
  assertHeardFrom(context.out, start + 240, played + 240, 5e-3);
  assert.deepEqual(of('ended').map(({ played: end }) => end), [WHOLE]);
});

test('an utterance that was begun elsewhere and has nothing left ends without a sound', async () => {
  const { player, of } = await makeBench();
  await unlock(player);
  player.push(messageOf(4, 8, { flags: 6 }), WHOLE);
  player.finish(0, WHOLE);
  assert.deepEqual(of('ended').map(({ played }) => played), [WHOLE]);
});
