// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './worker-shim.js';
import { isReplayable } from '../../static/history.js';
import { Recording } from '../../static/recorder.js';
import { newEntry } from '../../static/speaker.js';

/** @param {import('../../static/speaker.js').Status} status @param {boolean} complete */
const entry = (status, complete) => ({
  ...newEntry('Hello.', { voice: 'heart', speed: 1 }),
  status,
  recording: complete ? new Recording('u1') : null,
});

test('a waiting line cannot be played again, not even when all of it has arrived', () => {
  assert.ok(!isReplayable(entry('waiting', false)));
  assert.ok(!isReplayable(entry('waiting', true)));
});

test('a sounding line can begin anew once all of it is there', () => {
  assert.ok(!isReplayable(entry('speaking', false)));
  assert.ok(isReplayable(entry('speaking', true)));
});

test('a line that is over can be played again, or asked for again where its sound is missing', () => {
  for (const status of /** @type {const} */ (['spoken', 'stopped', 'cut', 'failed'])) {
    assert.ok(isReplayable(entry(status, true)));
    assert.ok(isReplayable(entry(status, false)));
  }
});
