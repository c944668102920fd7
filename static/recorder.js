// @ts-check
/**
 * Keeps an utterance as it came, for replay and for files: packets, not samples.
 *
 * A minute is about 360 kB at 48 kbit/s. Knows no device; whoever keeps recordings bounds their number.
 * Main thread.
 */

import { oggOpus } from './ogg.js';
import { DEFAULT_PRE_SKIP, DecoderPool, OpusStream, packetsOf } from './opus.js';
import { FIRST_LOCAL_ORDINAL } from './player.js';
import { AudioFlag, AudioKind, CONTENT_RATE_HZ, PACKET_SAMPLES } from './protocol.js';

/** Packets decoded in one go for a file, so that the page stays alive: some ten milliseconds of work. */
const DECODE_BATCH = 200;

/** Rate of the sound before it was encoded, which an Ogg file mentions; the default voice's. */
const INPUT_RATE_HZ = 24_000;

const WAV_HEADER_BYTES = 44;
const INT16_SCALE = 32_767;

let nextOrdinal = FIRST_LOCAL_ORDINAL;

/** One utterance, growing while it arrives. */
export class Recording {
  /** @type {Uint8Array[]} */
  #packets = [];
  #preSkip = DEFAULT_PRE_SKIP;
  /** @type {number | null} */
  #samples = null;

  /** @param {string} utterance */
  constructor(utterance) {
    this.utterance = utterance;
  }

  /** Content samples: exact after `finish`, before that what the packets hold at most. */
  get samples() {
    return this.#samples ?? Math.max(0, this.#packets.length * PACKET_SAMPLES - this.#preSkip);
  }

  /**
   * Keep an audio message's packets. One that comes again replaces itself.
   * @param {import('./protocol.js').Audio} message
   */
  add(message) {
    if (message.preSkip !== undefined) this.#preSkip = message.preSkip;
    for (const { bytes, timestamp, preRoll } of packetsOf(message)) {
      if (!preRoll) this.#packets[timestamp / PACKET_SAMPLES] = bytes;
    }
  }

  /** Set the exact length, from `done`. @param {number} samples */
  finish(samples) {
    this.#samples = samples;
  }

  /**
   * Play it again: it is queued behind what plays now.
   * @param {import('./player.js').Player} player
   * @returns {number} the ordinal to cancel it by; its events carry `utterance` as the first time
   */
  replay(player) {
    const ordinal = nextOrdinal;
    nextOrdinal += 1;
    const flags = AudioFlag.FIRST | AudioFlag.LAST;
    const { utterance } = this;
    player.push({
      type: 'audio', kind: AudioKind.OPUS, flags, ordinal, sequence: 0, timestamp: 0,
      packets: this.#packets, utterance, preSkip: this.#preSkip,
    });
    player.finish(ordinal, this.samples);
    return ordinal;
  }

  /**
   * Return an Ogg Opus file.
   * @returns {Blob}
   */
  ogg() {
    const file = oggOpus(
      { packets: this.#packets, preSkip: this.#preSkip, samples: this.samples, inputRateHz: INPUT_RATE_HZ },
      Math.floor(Math.random() * 2 ** 32),
    );
    return new Blob([file], { type: 'audio/ogg' });
  }

  /**
   * Return a WAV file: 48 kHz, mono, 16 bit. Decodes in small batches.
   * @returns {Promise<Blob>}
   * @throws {import('./opus.js').DecoderUnavailable}
   */
  async wav() {
    return new Blob([wavFile(await this.#decode())], { type: 'audio/wav' });
  }

  /** @returns {Promise<Float32Array>} */
  async #decode() {
    const pool = new DecoderPool({ size: 1 });
    await pool.ensure();
    const stream = new OpusStream(this.#preSkip);
    stream.use(/** @type {import('./opus.js').Decoder} */ (pool.take()));
    const pcm = new Float32Array(this.samples);
    for (const [index, bytes] of this.#packets.entries()) {
      const part = stream.decode({ bytes, timestamp: index * PACKET_SAMPLES, preRoll: false, reset: false });
      pcm.set(part.pcm.subarray(0, Math.max(0, pcm.length - part.start)), Math.min(part.start, pcm.length));
      if (index % DECODE_BATCH === DECODE_BATCH - 1) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    stream.close();
    return pcm;
  }
}

/**
 * Build a WAV file of 48 kHz mono 16 bit samples, clipping what lies outside [-1, 1].
 * @param {Float32Array} pcm
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function wavFile(pcm) {
  const dataBytes = pcm.length * 2;
  const file = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const tag = (/** @type {number} */ at, /** @type {string} */ name) =>
    file.set(Uint8Array.from(name, (letter) => letter.charCodeAt(0)), at);
  tag(0, 'RIFF');
  view.setUint32(4, WAV_HEADER_BYTES - 8 + dataBytes, true);
  tag(8, 'WAVE');
  tag(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, CONTENT_RATE_HZ, true);
  view.setUint32(28, CONTENT_RATE_HZ * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  tag(36, 'data');
  view.setUint32(40, dataBytes, true);
  for (let i = 0; i < pcm.length; i += 1) {
    const sample = Math.max(-1, Math.min(1, pcm[i]));
    view.setInt16(WAV_HEADER_BYTES + i * 2, Math.round(sample * INT16_SCALE), true);
  }
  return file;
}
