// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './worker-shim.js';
import { fileName, whyNot } from '../../static/download.js';
import { Recording } from '../../static/recorder.js';
import { newEntry } from '../../static/speaker.js';

test('a file is named after what is said in it', () => {
  assert.equal(fileName('How do you do?', 'wav'), 'how-do-you-do.wav');
  assert.equal(fileName('你好，世界。', 'opus'), '你好-世界.opus');
});

test('nothing a file system could object to gets into a name', () => {
  for (const text of ['../../etc/passwd', 'a:b*c?"<>|\\/\0\n', '...', '--', 'x'.repeat(5000), '😀'.repeat(99)]) {
    const name = fileName(text, 'wav');
    assert.ok(/^[\p{L}\p{N}][\p{L}\p{N}-]*\.wav$/u.test(name), name);
    assert.ok(name.length <= 44);
  }
});

/** @param {Partial<import('../../static/speaker.js').Entry>} so */
const entry = (so) => ({ ...newEntry('Hello.', { voice: 'heart', speed: 1 }), ...so });

const WORDS = [{ type: /** @type {const} */ ('segment'), utterance: 'u1', index: 0, text: 'Hello.', offset: 0, start: 0, words: [] }];

test('a line that cannot be saved says why: not yet, not all of it, or nothing at all', () => {
  const reasons = /** @type {const} */ ([
    ['waiting', 'filesNotYet'], ['speaking', 'filesNotYet'],
    ['stopped', 'filesNotWhole'], ['cut', 'filesNotWhole'], ['spoken', 'filesNotWhole'], ['failed', 'filesNone'],
  ]);
  for (const [status, reason] of reasons) {
    for (const kind of /** @type {const} */ (['wav', 'opus', 'srt', 'vtt'])) {
      assert.equal(whyNot(entry({ status }), kind), reason);
    }
  }
});

test('a line whose sound is all here can be saved in every way, sounding, stopped or over', () => {
  for (const status of /** @type {const} */ (['speaking', 'stopped', 'spoken'])) {
    const whole = entry({ status, recording: new Recording('u1'), samples: 960, segments: WORDS });
    for (const kind of /** @type {const} */ (['wav', 'opus', 'srt', 'vtt'])) assert.equal(whyNot(whole, kind), null);
  }
});
