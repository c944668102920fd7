// @ts-check
import './worker-shim.js';

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { oggOpus } from '../../static/ogg.js';
import { Recording, wavFile } from '../../static/recorder.js';
import { expected, messageOf, packets, preSkip } from './stream.js';
import { integers } from './random.js';

/** Checksum of a page, bit by bit as RFC 3533 words it. @param {Uint8Array} page */
function checksum(page) {
  let crc = 0;
  page.forEach((byte, i) => {
    crc ^= (i >= 22 && i < 26 ? 0 : byte) << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  });
  return crc >>> 0;
}

/**
 * Read an Ogg file back.
 * @param {Uint8Array<ArrayBuffer>} file
 */
function pagesOf(file) {
  const pages = [];
  for (let at = 0; at < file.length; ) {
    const view = new DataView(file.buffer, at);
    assert.equal(String.fromCharCode(...file.subarray(at, at + 4)), 'OggS');
    const count = file[at + 26];
    const lacing = [...file.subarray(at + 27, at + 27 + count)];
    const length = 27 + count + lacing.reduce((sum, value) => sum + value, 0);
    assert.equal(view.getUint32(22, true), checksum(file.subarray(at, at + length)));
    /** @type {Uint8Array[]} */
    const content = [];
    let from = at + 27 + count;
    let to = from;
    for (const value of lacing) {
      to += value;
      if (value === 255) continue;
      content.push(file.subarray(from, to));
      from = to;
    }
    assert.equal(from, to);
    pages.push({
      version: file[at + 4], flags: file[at + 5], granule: Number(view.getBigUint64(6, true)),
      serial: view.getUint32(14, true), sequence: view.getUint32(18, true), content,
    });
    at += length;
  }
  return pages;
}

test('an Ogg Opus file has a head, tags, and every packet in order, on pages that are whole', () => {
  const pick = integers(11);
  for (const count of [1, 12, 49, 50, 51, 230]) {
    const made = Array.from({ length: count }, () =>
      Uint8Array.from({ length: [1, 120, 254, 255, 256, 510, 1275][pick(0, 6)] }, () => pick(0, 255)));
    const samples = count * 960 - 500;
    const pages = pagesOf(oggOpus({ packets: made, preSkip: 312, samples, inputRateHz: 24_000 }, 0xdeadbeef));
    assert.deepEqual(pages.flatMap(({ content }) => content).slice(2), made);
    assert.deepEqual(pages.map(({ sequence }) => sequence), pages.map((_, i) => i));
    assert.deepEqual(pages.map(({ flags }) => flags), pages.map((_, i) => (i === 0 ? 2 : i === pages.length - 1 ? 4 : 0)));
    assert.ok(pages.every(({ version, serial }) => version === 0 && serial === 0xdeadbeef));
    assert.equal(pages.at(-1)?.granule, samples + 312);
    let before = 0;
    for (const { content, granule } of pages.slice(2, -1)) {
      before += content.length;
      assert.equal(granule, before * 960);
    }
  }
});

test('the head tells channels, pre-skip and rate, and stands alone on the first page', () => {
  const [first, second] = pagesOf(oggOpus({ packets, preSkip, samples: 9000, inputRateHz: 24_000 }, 1));
  const head = new DataView(first.content[0].slice().buffer);
  assert.equal(first.content.length, 1);
  assert.deepEqual([head.getUint8(8), head.getUint8(9), head.getUint16(10, true), head.getUint32(12, true)], [1, 1, 312, 24_000]);
  assert.equal(head.byteLength, 19);
  assert.equal(String.fromCharCode(...second.content[0].subarray(0, 8)), 'OpusTags');
});

test('a WAV file has a header that fits its samples, rounded and clipped', () => {
  const view = new DataView(wavFile(Float32Array.of(0, 0.5, -0.5, 1, -1, 2, -2)).buffer);
  const word = (/** @type {number} */ at) =>
    String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
  assert.deepEqual([word(0), word(8), word(12), word(36)], ['RIFF', 'WAVE', 'fmt ', 'data']);
  assert.equal(view.getUint32(4, true), view.byteLength - 8);
  assert.equal(view.getUint32(40, true), view.byteLength - 44);
  assert.deepEqual([view.getUint16(20, true), view.getUint16(22, true), view.getUint16(34, true)], [1, 1, 16]);
  assert.deepEqual([view.getUint32(24, true), view.getUint32(28, true), view.getUint16(32, true)], [48_000, 96_000, 2]);
  const samples = Array.from({ length: 7 }, (_, i) => view.getInt16(44 + 2 * i, true));
  assert.deepEqual(samples, [0, 16_384, -16_383, 32_767, -32_767, 32_767, -32_767]);
});

/** @param {Blob} blob */
const viewOf = async (blob) => new DataView(await blob.arrayBuffer());

test('a recording becomes a WAV of exactly its content', async () => {
  const recording = new Recording('u');
  recording.add(messageOf(0, 1));
  recording.add(messageOf(1, 11));
  recording.finish(11_000);
  const view = await viewOf(await recording.wav());
  assert.equal(view.byteLength, 44 + 2 * 11_000);
  expected.samples.forEach((sample, i) => {
    const at = i * expected.stride - preSkip;
    if (at < 0 || at >= 11_000) return;
    assert.ok(Math.abs(view.getInt16(44 + 2 * at, true) / 32_767 - sample) < 1e-4);
  });
});

test('a recording takes a message that comes again once, and leaves pre-roll out', async () => {
  const recording = new Recording('u');
  recording.add(messageOf(0, 6));
  recording.add(messageOf(3, 9));
  recording.add(messageOf(0, 4, { flags: 4 }));
  assert.equal(recording.samples, packets.length * 960 - preSkip);
  const pages = pagesOf(new Uint8Array(await recording.ogg().arrayBuffer()));
  assert.deepEqual(pages.flatMap(({ content }) => content).slice(2), packets);
});

test('a replay is an utterance of the page’s own, pushed whole and finished exactly', () => {
  const recording = new Recording('u');
  recording.add(messageOf(0, 12));
  recording.finish(11_000);
  /** @type {any[]} */
  const calls = [];
  const player = /** @type {any} */ ({
    push: (/** @type {any} */ message) => calls.push(message),
    finish: (/** @type {any[]} */ ...end) => calls.push(end),
  });
  const ordinals = [recording.replay(player), recording.replay(player)];
  assert.ok(ordinals[0] >= 65_536 && ordinals[1] > ordinals[0]);
  assert.deepEqual(calls[0].packets, packets);
  assert.deepEqual([calls[0].flags, calls[0].utterance, calls[0].preSkip], [3, 'u', 312]);
  assert.deepEqual(calls[1], [ordinals[0], 11_000]);
});
