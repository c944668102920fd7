// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fileName } from '../../static/download.js';

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
