// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OutputClock, Timeline } from '../../static/playhead.js';

test('before the first mark nothing has been played', () => {
  const timeline = new Timeline();
  assert.equal(timeline.at(1000), null);
  timeline.add({ track: 1, frame: 2000, played: 0, running: true });
  assert.equal(timeline.at(1999), null);
});

test('between marks playback advances one for one while it runs and stands while it waits', () => {
  const timeline = new Timeline();
  timeline.add({ track: 1, frame: 1000, played: 0, running: true });
  timeline.add({ track: 1, frame: 3000, played: 2000, running: false });
  timeline.add({ track: 1, frame: 5000, played: 2000, running: true });
  timeline.add({ track: 2, frame: 6000, played: 0, running: true });
  const played = [1000, 2999, 3000, 4999, 5000, 5500, 6000, 6010].map((frame) => timeline.at(frame)?.played);
  assert.deepEqual(played, [0, 1999, 2000, 2000, 2000, 2500, 0, 10]);
  assert.equal(timeline.at(5999)?.track, 1);
  assert.equal(timeline.at(6000)?.track, 2);
});

test('the timeline forgets the oldest marks only', () => {
  const timeline = new Timeline();
  for (let i = 0; i < 1000; i += 1) timeline.add({ track: i, frame: i * 100, played: 0, running: true });
  assert.equal(timeline.at(10), null);
  assert.equal(timeline.at(98_000)?.track, 980);
});

/** @param {number} contextTime @param {number} performanceTime @param {number} currentTime */
const clocks = (contextTime, performanceTime, currentTime) => ({
  currentTime, outputLatency: 0.04, getOutputTimestamp: () => ({ contextTime, performanceTime }),
});

const near = (/** @type {number} */ actual, /** @type {number} */ expected) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test('a believable output timestamp tells what is heard', () => {
  near(new OutputClock().heard(clocks(9.96, 5000, 10), 5010), 9.97);
});

test('a timestamp that is old, backwards, zero, absent or far off gives way to the latency', () => {
  near(new OutputClock().heard(clocks(9.7, 5000, 10), 5300), 9.96);
  near(new OutputClock().heard(clocks(9.5, 5000, 10), 5001), 9.96);
  near(new OutputClock().heard(clocks(0, 0, 10), 5001), 9.96);
  near(new OutputClock().heard({ currentTime: 10, outputLatency: 0.04 }, 5001), 9.96);
  near(new OutputClock().heard({ currentTime: 10 }, 5001), 10);
  const clock = new OutputClock();
  clock.heard(clocks(9.96, 5000, 10), 5010);
  near(clock.heard(clocks(9.9, 5020, 10.02), 5020), 9.98);
});

test('nothing is heard before it is rendered, nor before the beginning', () => {
  assert.equal(new OutputClock().heard(clocks(10.1, 5000, 10), 5001), 10);
  assert.equal(new OutputClock().heard({ currentTime: 0.01, outputLatency: 0.04 }, 1), 0);
});
