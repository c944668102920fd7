// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  AUDIBLE,
  CANCEL_FADE_SAMPLES,
  FADE_SAMPLES,
  MOST_START_SAMPLES,
  PlayoutCore,
  REPORT_SAMPLES,
  START_SAMPLES,
  UNDERRUN_STEP_SAMPLES,
} from '../../static/playout-worklet.js';
import { integers } from './random.js';

/** @typedef {import('../../static/playout-worklet.js').PlayoutEvent} PlayoutEvent */

/** A core with a clock: renders quanta and keeps what came out. */
class Bench {
  /** @type {PlayoutEvent[]} */
  events = [];
  /** @type {number[]} */
  out = [];
  core = new PlayoutCore((event) => this.events.push(event));

  /** @param {number} count @param {number} [quantum] */
  render(count, quantum = 128) {
    for (let left = count; left > 0; left -= quantum) {
      const block = new Float32Array(Math.min(quantum, left)).fill(NaN);
      this.core.render(block, this.out.length);
      this.out.push(...block);
    }
  }

  /** @param {PlayoutEvent['type']} type */
  of(type) {
    return this.events.filter((event) => event.type === type);
  }
}

/** Samples from..to as a ramp that never repeats, all audible and exact in float32. @param {number} from @param {number} count */
const ramp = (from, count) => Float32Array.from({ length: count }, (_, i) => (from + i + 1) / 2 ** 20 + 0.25);

const ones = (/** @type {number} */ count) => new Float32Array(count).fill(1);

const silence = (/** @type {number[]} */ samples) => samples.every((sample) => sample === 0);

test('an idle core renders silence and says nothing', () => {
  const bench = new Bench();
  bench.render(10 * REPORT_SAMPLES);
  assert.ok(silence(bench.out));
  assert.deepEqual(bench.events, []);
});

test('nothing sounds before the start threshold, and everything from its first sample on after it', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ramp(0, START_SAMPLES - 1));
  bench.render(512);
  assert.ok(silence(bench.out));
  bench.core.push(1, ramp(START_SAMPLES - 1, 1));
  bench.render(128);
  assert.deepEqual(bench.out.slice(512), [...ramp(0, 128)]);
  assert.deepEqual(bench.events[0], { type: 'playing', track: 1, frame: 512, played: 0 });
});

test('a tail shorter than a quantum plays, and so does an utterance shorter than the threshold', () => {
  for (const length of [1, 100, 127, 129, 1000]) {
    const bench = new Bench();
    bench.core.open(1);
    bench.core.push(1, ramp(0, length));
    bench.core.finish(1, length);
    bench.render(2048);
    assert.deepEqual(bench.out.slice(0, length), [...ramp(0, length)]);
    assert.ok(silence(bench.out.slice(length)));
    assert.deepEqual(bench.of('ended'), [
      { type: 'ended', track: 1, frame: length, played: length, cancelled: false },
    ]);
  }
});

test('what was pushed beyond the exact length is not played', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ramp(0, 2000));
  bench.core.finish(1, null);
  bench.render(256);
  bench.core.finish(1, 1500);
  bench.render(4096);
  assert.deepEqual(bench.out.slice(0, 1500), [...ramp(0, 1500)]);
  assert.ok(silence(bench.out.slice(1500)));
});

test('what is pushed after the end was announced is not played', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ramp(0, 1000));
  bench.core.finish(1, null);
  bench.core.push(1, ramp(1000, 1000));
  bench.render(4096);
  assert.equal(bench.of('ended')[0].played, 1000);
});

test('an end announced behind the playhead ends at once', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ramp(0, 4000));
  bench.render(1024);
  bench.core.finish(1, 500);
  bench.render(128);
  assert.ok(silence(bench.out.slice(1024)));
  assert.equal(bench.of('ended').length, 1);
});

test('an utterance without a sample ends without a sound', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.finish(1, 0);
  bench.render(128);
  assert.deepEqual(bench.events, [{ type: 'ended', track: 1, frame: 0, played: 0, cancelled: false }]);
});

test('utterances follow one another on the next sample, in the order they were opened', () => {
  const bench = new Bench();
  for (const [track, length] of [[1, 1001], [2, 77], [3, 2000]]) {
    bench.core.open(track);
    bench.core.push(track, ramp(track * 5000, length));
    bench.core.finish(track, length);
  }
  bench.render(4096);
  assert.deepEqual(bench.out.slice(0, 3078), [...ramp(5000, 1001), ...ramp(10000, 77), ...ramp(15000, 2000)]);
  assert.deepEqual(bench.of('playing').map(({ track, frame }) => [track, frame]), [[1, 0], [2, 1001], [3, 1078]]);
  assert.deepEqual(bench.of('ended').map(({ track, frame }) => [track, frame]), [[1, 1001], [2, 1078], [3, 3078]]);
});

test('the wait between two utterances is no underrun', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ramp(0, 2000));
  bench.core.finish(1, 2000);
  bench.core.open(2);
  bench.render(8192);
  bench.core.push(2, ramp(0, 2000));
  bench.core.finish(2, 2000);
  bench.render(4096);
  assert.deepEqual(bench.of('starved'), []);
  assert.deepEqual(bench.out.slice(8192, 10192), [...ramp(0, 2000)]);
});

test('running dry fades the last 5 ms out, and the return fades 5 ms in, on a raised cosine', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(2000));
  bench.render(4096);
  const gain = (/** @type {number} */ i) => 0.5 - 0.5 * Math.cos((Math.PI * i) / FADE_SAMPLES);
  const near = (/** @type {number[]} */ samples, /** @type {(i: number) => number} */ expected) =>
    samples.every((sample, i) => Math.abs(sample - expected(i)) < 1e-6);
  assert.ok(bench.out.slice(0, 2000 - FADE_SAMPLES).every((sample) => sample === 1));
  assert.ok(near(bench.out.slice(2000 - FADE_SAMPLES, 2000), (i) => gain(FADE_SAMPLES - 1 - i)));
  assert.ok(silence(bench.out.slice(2000)));
  assert.deepEqual(bench.of('starved'), [{
    type: 'starved', track: 1, frame: 2000, played: 2000, underruns: 1,
    threshold: START_SAMPLES + UNDERRUN_STEP_SAMPLES,
  }]);

  bench.core.push(1, ones(5000));
  bench.render(2048);
  assert.ok(near(bench.out.slice(4096, 4096 + FADE_SAMPLES), (i) => gain(i + 1)));
  assert.ok(bench.out.slice(4096 + FADE_SAMPLES, 6144).every((sample) => sample === 1));
});

test('samples that come during the fade turn it round without a step, and no underrun is counted', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(2048));
  bench.render(1920);
  assert.ok(bench.out[1919] < 1 && bench.out[1919] > 0);
  bench.core.push(1, ones(4096));
  bench.render(1024);
  const steps = bench.out.slice(1).map((sample, i) => Math.abs(sample - bench.out[i]));
  assert.ok(Math.max(...steps) < 2 / FADE_SAMPLES);
  assert.equal(bench.out.at(-1), 1);
  assert.deepEqual(bench.of('starved'), []);
});

test('every underrun asks for 20 ms more, up to 200 ms', () => {
  const bench = new Bench();
  bench.core.open(1);
  for (let i = 0; i < 15; i += 1) {
    bench.core.push(1, ones(MOST_START_SAMPLES));
    bench.render(MOST_START_SAMPLES + 4096);
  }
  const thresholds = bench.of('starved').map((event) => 'threshold' in event && event.threshold);
  assert.equal(thresholds[0], START_SAMPLES + UNDERRUN_STEP_SAMPLES);
  assert.equal(thresholds[1], START_SAMPLES + 2 * UNDERRUN_STEP_SAMPLES);
  assert.deepEqual(thresholds.slice(-3), [MOST_START_SAMPLES, MOST_START_SAMPLES, MOST_START_SAMPLES]);
});

test('no sample is lost or doubled, however pushes and quanta fall', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const pick = integers(seed);
    const bench = new Bench();
    const lengths = Array.from({ length: pick(1, 3) }, () => pick(1, 9000));
    const feed = lengths.flatMap((length, track) => cuts(pick, length).map(([at, count]) => ({ track, at, count })));
    lengths.forEach((_, track) => bench.core.open(track));
    for (const { track, at, count } of feed) {
      bench.core.push(track, ramp(at, count));
      if (at + count === lengths[track]) bench.core.finish(track, lengths[track]);
      bench.render(pick(0, 1500), pick(1, 700));
    }
    bench.render(30_000, pick(1, 4096));
    checkAgainstEvents(bench, lengths);
  }
});

/**
 * @param {(low: number, high: number) => number} pick
 * @param {number} length
 * @returns {[number, number][]}
 */
function cuts(pick, length) {
  /** @type {[number, number][]} */
  const parts = [];
  for (let at = 0; at < length; at += parts[parts.length - 1][1]) parts.push([at, Math.min(length - at, pick(1, 1500))]);
  return parts;
}

/**
 * Where the core says it plays, the output is the track's samples one for one, times a gain of at most one; where
 * it does not, silence; and all of every track comes exactly once.
 * @param {Bench} bench
 * @param {number[]} lengths
 */
function checkAgainstEvents(bench, lengths) {
  const marks = bench.events.filter(({ type }) => type !== 'first-sound' && type !== 'report');
  let frame = 0;
  const played = lengths.map(() => 0);
  /** @type {number | null} */
  let playing = null;
  for (const mark of marks) {
    const span = bench.out.slice(frame, mark.frame);
    if (playing === null) assert.ok(silence(span));
    else {
      const content = ramp(played[playing], span.length);
      span.forEach((sample, i) => assert.ok(sample >= 0 && sample <= content[i]));
      assert.ok(span.filter((sample, i) => sample !== content[i]).length <= 4 * FADE_SAMPLES);
      played[playing] += span.length;
    }
    assert.equal(mark.played, played[mark.track]);
    playing = mark.type === 'playing' ? mark.track : null;
    frame = mark.frame;
  }
  assert.deepEqual(played, lengths);
  assert.ok(silence(bench.out.slice(frame)));
}

test('outside the fades every sample is exactly what was pushed', () => {
  const bench = new Bench();
  bench.core.open(1);
  for (let at = 0; at < 48_000; at += 960) {
    bench.core.push(1, ramp(at, 960));
    if (at > 0) bench.render(960, 441);
  }
  bench.core.finish(1, 48_000);
  bench.render(4096);
  const from = bench.events[0].frame;
  assert.deepEqual(bench.out.slice(from, from + 48_000), [...ramp(0, 48_000)]);
  assert.deepEqual(bench.of('starved'), []);
});

test('a cancel fades within 10 ms, clears, and tells what was rendered', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(20_000));
  bench.render(5000);
  bench.core.cancel(1, bench.out.length);
  bench.core.push(1, ones(1000));
  bench.render(2000);
  const fade = bench.out.slice(5000, 5000 + CANCEL_FADE_SAMPLES);
  assert.ok(fade.every((sample, i) => sample < (fade[i - 1] ?? 1.0001)));
  assert.ok(silence(bench.out.slice(5000 + CANCEL_FADE_SAMPLES)));
  const end = 5000 + CANCEL_FADE_SAMPLES;
  assert.deepEqual(bench.of('ended'), [{ type: 'ended', track: 1, frame: end, played: end, cancelled: true }]);
  assert.deepEqual(bench.of('starved'), []);
  assert.ok(bench.core.idle);
});

test('a cancel shortly before the end fades over what is left', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(2000));
  bench.core.finish(1, 2000);
  bench.render(1900);
  bench.core.cancel(1, 1900);
  bench.render(512);
  assert.equal(bench.of('ended')[0].played, 2000);
  assert.ok(bench.out.slice(1901, 2000).every((sample, i) => sample < bench.out[1900 + i]));
});

test('a cancel in the middle of a fade goes on from its gain', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(2048));
  bench.render(1920);
  bench.core.cancel(1, 1920);
  bench.core.cancel(1, 1920);
  bench.render(1024);
  const steps = bench.out.slice(1).map((sample, i) => Math.abs(sample - bench.out[i]));
  assert.ok(Math.max(...steps) < 4 / FADE_SAMPLES);
  assert.equal(bench.of('ended').length, 1);
});

test('a cancelled utterance leaves the others alone, before and behind it', () => {
  const bench = new Bench();
  for (const track of [1, 2, 3]) {
    bench.core.open(track);
    bench.core.push(track, ramp(track * 5000, 1000));
    bench.core.finish(track, 1000);
  }
  bench.core.cancel(2, 0);
  bench.render(4096);
  assert.deepEqual(bench.out.slice(0, 2000), [...ramp(5000, 1000), ...ramp(15_000, 1000)]);
});

test('what follows a cancelled utterance starts unfaded behind the fade', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(5000));
  bench.core.open(2);
  bench.core.push(2, ramp(0, 2000));
  bench.core.finish(2, 2000);
  bench.render(1024);
  bench.core.cancel(1, 1024);
  bench.render(4096);
  const from = 1024 + CANCEL_FADE_SAMPLES;
  assert.deepEqual(bench.out.slice(from, from + 2000), [...ramp(0, 2000)]);
});

test('a cancel of everything ends everything once', () => {
  const bench = new Bench();
  for (const track of [1, 2, 3]) {
    bench.core.open(track);
    bench.core.push(track, ones(3000));
  }
  bench.render(128);
  bench.core.cancel(null, 128);
  bench.render(1024);
  assert.deepEqual(bench.of('ended').map(({ track }) => track).sort(), [1, 2, 3]);
  assert.ok(bench.core.idle);
});

test('a cancel while starved, or before the start, ends at once', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(100));
  bench.core.cancel(1, 0);
  assert.deepEqual(bench.events, [{ type: 'ended', track: 1, frame: 0, played: 0, cancelled: true }]);
});

test('the first audible sample is told with its frame, once', () => {
  const bench = new Bench();
  bench.core.open(1);
  const pcm = new Float32Array(4000);
  pcm.fill(AUDIBLE / 2, 0, 1000);
  pcm[1234] = -0.5;
  pcm[2000] = 0.5;
  bench.render(333);
  bench.core.push(1, pcm);
  bench.render(4096);
  assert.deepEqual(bench.of('first-sound'), [
    { type: 'first-sound', track: 1, frame: 333 + 1234, played: 1234 },
  ]);
});

test('a report comes every 80 ms while an utterance is there, not with every quantum', () => {
  const bench = new Bench();
  bench.core.open(1);
  bench.core.push(1, ones(48_000));
  bench.core.finish(1, 48_000);
  bench.render(47_000);
  const reports = bench.of('report');
  assert.equal(reports.length, Math.floor(47_000 / REPORT_SAMPLES));
  for (const { frame, played } of reports) assert.equal(played, frame);
});

test('a track taken over from another playout counts on from where that one was', () => {
  const bench = new Bench();
  bench.core.open(1, 10_000);
  bench.core.push(1, ramp(10_000, 3000));
  bench.core.finish(1, 12_500);
  bench.render(4096);
  assert.deepEqual(bench.of('playing')[0].played, 10_000);
  assert.deepEqual(bench.of('ended')[0].played, 12_500);
});
