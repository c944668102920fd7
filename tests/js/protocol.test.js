// @ts-check
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { parse, parseAudio, serialize, TextOffsets } from '../../static/protocol.js';
import { integers } from './random.js';
import { bytesOf } from './stream.js';

/** @type {{name: string, kind: string, message: any, text: string, bytes: string}[]} */
const golden = JSON.parse(readFileSync(new URL('../data/wire_golden.json', import.meta.url), 'utf8'));

const hexOf = (/** @type {Uint8Array} */ bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

for (const { name, kind, message, text, bytes } of golden) {
  test(`golden ${kind}: ${name}`, () => {
    if (kind === 'client') assert.deepEqual(JSON.parse(serialize(message)), JSON.parse(text));
    else if (kind === 'server') assert.deepEqual(parse(text), message);
    else {
      const { type, packets, ...header } = parseAudio(bytesOf(bytes).buffer);
      assert.equal(type, 'audio');
      assert.deepEqual({ ...header, packets: packets.map(hexOf) }, message);
    }
  });
}

test('there are golden cases of every kind', () => {
  assert.deepEqual([...new Set(golden.map(({ kind }) => kind))].sort(), ['audio', 'client', 'server']);
});

test('fields that are not set are not sent', () => {
  assert.equal(serialize({ type: 'cancel', utterance: undefined, played: 0 }), '{"type":"cancel","played":0}');
});

test('a control message of a later version is passed over', () => {
  assert.equal(parse('{"type":"applause"}'), null);
  assert.equal(parse('{"type":"constructor"}'), null);
});

test('control that is no control is a protocol error', () => {
  const cases = [
    '', '{', 'null', '[]', '"x"', '{}', '{"type":1}', '{"type":"done","utterance":"u","timings":{}}',
    '{"type":"done","utterance":"u","samples":"1","timings":{}}',
    '{"type":"done","utterance":"u","samples":1,"timings":null}',
    '{"type":"segment","utterance":"u","index":0,"text":"","offset":0,"start":0}',
  ];
  for (const text of cases) assert.throws(() => parse(text), { name: 'ProtocolError' });
});

test('audio cut off anywhere but between packets is a protocol error', () => {
  const whole = bytesOf('0100030001000000c00300000100f80200f8010300f80203');
  const good = new Set([15, 19, 24]);
  for (let length = 0; length <= whole.length; length += 1) {
    const part = whole.slice(0, length).buffer;
    if (good.has(length)) assert.ok(parseAudio(part).packets.length > 0);
    else assert.throws(() => parseAudio(part), { name: 'ProtocolError' });
  }
});

test('audio of an unknown kind is a protocol error', () => {
  assert.throws(() => parseAudio(bytesOf('0300000000000000000000000100f8').buffer), { name: 'ProtocolError' });
});

test('any bytes parse or are a protocol error, never anything else', () => {
  const pick = integers(7);
  for (let run = 0; run < 2000; run += 1) {
    const bytes = Uint8Array.from({ length: pick(0, 40) }, () => pick(0, 255));
    if (bytes.length > 0 && pick(0, 1)) bytes[0] = 1;
    try {
      const { packets } = parseAudio(bytes.buffer);
      assert.equal(packets.reduce((sum, packet) => sum + packet.length + 2, 12), bytes.length);
    } catch (error) {
      assert.equal(/** @type {Error} */ (error).name, 'ProtocolError');
    }
  }
});

test('offsets count code points on the wire and UTF-16 units here', () => {
  const text = 'Well 😀 done, 👍🏽 indeed';
  const offsets = new TextOffsets(text);
  assert.equal(offsets.length, [...text].length);
  [...text].forEach((_, index) => {
    assert.equal(offsets.utf16(index), [...text].slice(0, index).join('').length);
  });
  assert.equal(offsets.utf16([...text].length), text.length);
});

test('offsets are the same however the text was cut, also between two surrogates', () => {
  const text = 'a😀b\ud83dc\ude00😀😀d\ud83d';
  const pick = integers(3);
  const whole = new TextOffsets(text);
  for (let run = 0; run < 50; run += 1) {
    const cut = new TextOffsets();
    for (let at = 0; at < text.length; ) {
      const next = Math.min(text.length, at + pick(0, 3));
      cut.append(text.slice(at, next));
      at = next;
    }
    assert.equal(cut.length, whole.length);
    for (let i = 0; i <= whole.length; i += 1) assert.equal(cut.utf16(i), whole.utf16(i));
  }
});

test('a segment behind an emoji is converted so that its offsets cut out its words', () => {
  const text = 'Hi 😀. 😀 Well done 😀.';
  const segment = golden.find(({ name }) => name.startsWith('segment with an emoji'))?.message;
  const converted = new TextOffsets('Hello 😀 Well done.').convert({ ...segment, offset: 6 });
  for (const { text: word, offset, length } of converted.words) {
    assert.equal('Hello 😀 Well done.'.slice(offset, offset + length), word);
  }
  assert.equal(converted.offset, 6);
  assert.equal(new TextOffsets(text).utf16(5), 6);
});
