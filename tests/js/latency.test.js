// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { latencyOf } from '../../static/latency.js';

const MEASURED = { enter: 1000, written: 1000, firstMessage: 1020, firstSound: 1065, decode: 2 };
const TIMINGS = { split: 1, queue: 0.5, begin: 4, first_chunk: 5, encode: 1, handover: 0.5, ttfb: 13 };

/** @param {() => number} random */
const anyTimings = (random) =>
  Object.fromEntries(Object.keys(TIMINGS).map((name) => [name, random() < 0.2 ? null : random() * 40]));

/** A repeatable source of numbers in [0, 1). @param {number} seed */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test('each station gets its own share of the time, in the order in which it passes', () => {
  const { total, stations } = latencyOf(MEASURED, TIMINGS);
  assert.equal(total, 65);
  assert.deepEqual(stations, [
    { name: 'split', ms: 1 },
    { name: 'chunk', ms: 9.5 },
    { name: 'encode', ms: 2.5 },
    { name: 'network', ms: 7 },
    { name: 'decode', ms: 2 },
    { name: 'playout', ms: 43 },
  ]);
});

test('whatever was measured, no share is negative and the shares add up to the whole', () => {
  const random = randomFrom(7);
  for (let round = 0; round < 500; round += 1) {
    const firstMessage = 1000 + random() * 100;
    const written = random() < 0.5 ? 1000 : 990 + random() * 120;
    const firstSound = firstMessage + random() * 80;
    const measured = { enter: 1000, written, firstMessage, firstSound, decode: random() * 9 };
    const told = random() < 0.2 ? {} : { ...anyTimings(random), ttfb: random() * 120 };
    const { total, stations } = latencyOf(measured, told);
    assert.ok(stations.every(({ ms }) => ms >= 0));
    assert.ok(Math.abs(stations.reduce((sum, { ms }) => sum + ms, 0) - total) < 1e-9);
    assert.ok(Math.abs(total - (measured.firstSound - 1000)) < 1e-9);
  }
});

test('until the server has told its part, the wait is one station', () => {
  assert.deepEqual(latencyOf(MEASURED, {}).stations.map(({ name, ms }) => [name, ms]), [
    ['server', 20],
    ['decode', 2],
    ['playout', 43],
  ]);
});

test('the time in which the text was still being written is nobody’s, before and after the server tells its part', () => {
  const measured = { ...MEASURED, written: 1300, firstMessage: 1320, firstSound: 1365 };
  assert.deepEqual(latencyOf(measured, {}).stations.slice(0, 2), [
    { name: 'writing', ms: 300 },
    { name: 'server', ms: 20 },
  ]);
  const { total, stations } = latencyOf(measured, { ...TIMINGS, split: 301, ttfb: 313 });
  assert.equal(total, 365);
  assert.deepEqual(stations, [{ name: 'writing', ms: 300 }, ...latencyOf(MEASURED, TIMINGS).stations]);
});
