// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { barHeight } from '../../static/waveform.js';

/** @param {number} level */
const tone = (level) => Float32Array.from({ length: 480 }, (_, at) => level * Math.sin(at / 3));

test('silence draws nothing and the loudest speech fills the canvas', () => {
  assert.equal(barHeight(new Float32Array(480)), 0);
  assert.equal(barHeight(tone(1)), 1);
});

test('louder is never lower', () => {
  const heights = [0, 0.001, 0.01, 0.03, 0.1, 0.2, 0.4, 1].map((level) => barHeight(tone(level)));
  assert.deepEqual(heights, [...heights].sort((one, other) => one - other));
  assert.ok(heights[3] > 0 && heights[3] < 1);
});
