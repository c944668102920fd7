// @ts-check
import './worker-shim.js';

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { DecoderPool, OpusStream, packetsOf } from '../../static/opus.js';
import { AudioFlag } from '../../static/protocol.js';
import { expected, messageOf, packets, preSkip } from './stream.js';

const VENDORED_SHA256 = '68a08546a23df78bc837808af82af5a7550899ed5e17e281826dc2b3320dccdf';

/** @param {number} skip */
async function streamWithDecoder(skip) {
  const pool = new DecoderPool({ size: 1 });
  await pool.ensure();
  const stream = new OpusStream(skip);
  stream.use(/** @type {import('../../static/opus.js').Decoder} */ (pool.take()));
  return stream;
}

/**
 * @param {OpusStream} stream
 * @param {import('../../static/protocol.js').Audio} message
 */
const decodeAll = (stream, message) => packetsOf(message).map((packet) => stream.decode(packet));

/** @param {Float32Array[]} parts */
const joined = (parts) => parts.flatMap((part) => [...part]);

/** Largest difference to libopus of content samples from position `start`. @param {number[]} pcm @param {number} start */
function worstDifference(pcm, start) {
  const differences = expected.samples.map((sample, i) => {
    const at = i * expected.stride - preSkip - start;
    return at >= 0 && at < pcm.length ? Math.abs(sample - pcm[at]) : 0;
  });
  return Math.max(...differences);
}

test('the vendored decoder is the published file, byte for byte', () => {
  const file = readFileSync(new URL('../../static/vendor/opus-decoder.min.js', import.meta.url));
  assert.equal(createHash('sha256').update(file).digest('hex'), VENDORED_SHA256);
});

test('a stream decodes to what libopus gives, without the pre-skip', async () => {
  const parts = decodeAll(await streamWithDecoder(preSkip), messageOf(0, packets.length));
  assert.deepEqual(parts.map(({ start }) => start), packets.map((_, i) => Math.max(0, i * 960 - preSkip)));
  const pcm = joined(parts.map((part) => part.pcm));
  assert.equal(pcm.length, packets.length * 960 - preSkip);
  assert.ok(Math.max(...pcm) > 0.3);
  assert.ok(worstDifference(pcm, 0) < 1e-4);
});

test('a second stream from the pool starts as fresh as the first', async () => {
  const pool = new DecoderPool();
  const runs = [];
  for (let run = 0; run < 3; run += 1) {
    await pool.ensure();
    const stream = new OpusStream(preSkip);
    stream.use(/** @type {import('../../static/opus.js').Decoder} */ (pool.take()));
    runs.push(joined(decodeAll(stream, messageOf(0, 4)).map((part) => part.pcm)));
    stream.close();
  }
  assert.deepEqual(runs[1], runs[0]);
  assert.deepEqual(runs[2], runs[0]);
});

test('a packet that comes again gives nothing and does not disturb the next', async () => {
  const stream = await streamWithDecoder(preSkip);
  const parts = [
    ...decodeAll(stream, messageOf(0, 4)),
    ...decodeAll(stream, messageOf(2, 2)),
    ...decodeAll(stream, messageOf(4, 8)),
  ];
  assert.deepEqual(parts.slice(4, 6).map(({ pcm }) => pcm.length), [0, 0]);
  assert.ok(worstDifference(joined(parts.map((part) => part.pcm)), 0) < 1e-4);
});

test('a damaged or empty packet becomes 20 ms of silence and the stream goes on', async () => {
  for (const damage of [new Uint8Array(0), new Uint8Array(2000), new Uint8Array([0xff])]) {
    const stream = await streamWithDecoder(preSkip);
    const message = messageOf(0, packets.length);
    message.packets[3] = damage;
    const parts = decodeAll(stream, message);
    assert.equal(stream.damaged, 1);
    assert.ok(parts[3].pcm.length === 960 && parts[3].pcm.every((sample) => sample === 0));
    assert.equal(joined(parts.map((part) => part.pcm)).length, packets.length * 960 - preSkip);
  }
});

test('pre-roll warms the decoder up and is not played', async () => {
  const stream = await streamWithDecoder(preSkip);
  const roll = decodeAll(stream, messageOf(0, 8, { flags: AudioFlag.PRE_ROLL }));
  assert.ok(roll.every(({ pcm }) => pcm.length === 0));
  const parts = decodeAll(stream, messageOf(8, 4));
  assert.equal(parts[0].start, 8 * 960 - preSkip);
  assert.ok(worstDifference(joined(parts.map((part) => part.pcm)), parts[0].start) < 1e-4);
});

test('the decoder reset flag asks for another decoder at the first packet of its message only', async () => {
  const stream = await streamWithDecoder(preSkip);
  const [first, second] = packetsOf(messageOf(0, 2, { flags: AudioFlag.DECODER_RESET }));
  assert.ok(stream.needsDecoder(first));
  assert.ok(!stream.needsDecoder(second));
  assert.ok(new OpusStream(0).needsDecoder(second));
});

test('an empty pool says so, and is full again after a wait', async () => {
  const pool = new DecoderPool({ size: 2 });
  assert.equal(pool.take(), null);
  await pool.ensure();
  assert.ok(pool.take());
  await pool.ensure();
  assert.ok(pool.take());
});

test('a decoder that never gets ready is given up', async () => {
  await assert.rejects(new DecoderPool({ timeoutMs: 0 }).ensure(), { name: 'DecoderUnavailable' });
});
