// @ts-check
/**
 * Opus packets to samples: a few decoders kept ready, and the trimming of one utterance's stream.
 *
 * Decoding runs on the calling thread: a 20 ms packet costs about 0.05 ms, and packets arrive on the main
 * thread anyway, so that a decoder elsewhere would gain nothing. Knows no playout and no wire messages but
 * `Audio`. Every utterance is a fresh Opus stream, and the decoder has no synchronous reset: hence the pool.
 */

import './vendor/opus-decoder.min.js';
import { AudioFlag, CONTENT_RATE_HZ, PACKET_SAMPLES } from './protocol.js';

/** The vendored file leaves its classes in a global. */
const { OpusDecoder } = /** @type {import('./vendor/opus-decoder.min.js').OpusDecoderModule} */ (
  Reflect.get(globalThis, 'opus-decoder')
);

/** The longest packet of 20 ms mono that Opus allows; anything longer is damage. */
const LONGEST_PACKET_BYTES = 1_275;

/** Pre-skip of libopus in its audio mode, for a stream whose `started` was not seen. */
export const DEFAULT_PRE_SKIP = 312;

/** @typedef {import('./vendor/opus-decoder.min.js').OpusDecoder} Decoder */

/** No decoder could be made: usually a content security policy without 'wasm-unsafe-eval'. */
export class DecoderUnavailable extends Error {
  /** @param {string} why */
  constructor(why) {
    super(`The Opus decoder did not start: ${why}.`);
    this.name = 'DecoderUnavailable';
  }
}

/**
 * Decoders that are compiled, allocated and have seen no packet yet.
 *
 * At most `size` are kept; taking one makes the next. A decoder never sees a second stream.
 */
export class DecoderPool {
  /** @type {Decoder[]} */
  #ready = [];
  /** @type {Promise<void> | null} */
  #making = null;
  #size;
  #timeoutMs;

  /** @param {{size?: number, timeoutMs?: number}} [options] */
  constructor({ size = 2, timeoutMs = 4_000 } = {}) {
    this.#size = size;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Take a decoder, or `null` if none is ready: then await `ensure` and ask again.
   * @returns {Decoder | null}
   */
  take() {
    const decoder = this.#ready.shift() ?? null;
    // A failure to replace it is met by whoever finds the pool empty and awaits `ensure`.
    this.ensure().catch(() => {});
    return decoder;
  }

  /**
   * Make one more decoder unless the pool is full or one is being made already.
   * @returns {Promise<void>} resolves when it can be taken
   * @throws {DecoderUnavailable} when WebAssembly is refused or does not start in time
   */
  async ensure() {
    if (this.#ready.length >= this.#size) return;
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    await this.#making;
  }

  async #make() {
    const decoder = new OpusDecoder({ channels: 1, sampleRate: CONTENT_RATE_HZ });
    await readyInTime(decoder, this.#timeoutMs);
    this.#ready.push(decoder);
  }
}

/**
 * Wait for a decoder. Under a policy without 'wasm-unsafe-eval' its promise never settles, hence the limit.
 * @param {Decoder} decoder
 * @param {number} timeoutMs
 */
async function readyInTime(decoder, timeoutMs) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new DecoderUnavailable(`not ready after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([decoder.ready, late]);
  } catch (cause) {
    throw cause instanceof DecoderUnavailable ? cause : new DecoderUnavailable(String(cause));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One packet, with what its message said of it.
 * @typedef {{bytes: Uint8Array, timestamp: number, preRoll: boolean, reset: boolean}} StreamPacket
 */

/**
 * Split an audio message into packets that carry their own timestamp and flags.
 * @param {import('./protocol.js').Audio} message
 * @returns {StreamPacket[]}
 */
export function packetsOf(message) {
  return message.packets.map((bytes, index) => ({
    bytes,
    timestamp: message.timestamp + index * PACKET_SAMPLES,
    preRoll: (message.flags & AudioFlag.PRE_ROLL) !== 0,
    reset: index === 0 && (message.flags & AudioFlag.DECODER_RESET) !== 0,
  }));
}

/**
 * One utterance's packets to content samples.
 *
 * Content sample `c` is decoded sample `c + preSkip` of the stream, so that the packet with timestamp `t`
 * holds content from `t - preSkip` on. What lies before `from`, pre-roll, and packets this decoder has seen before give
 * nothing.
 */
export class OpusStream {
  #preSkip;
  #from;
  /** @type {Decoder | null} */
  #decoder = null;
  /** Timestamp of the next packet not seen yet; -1 before the first. */
  #next = -1;
  /** Packets that could not be decoded and were replaced by silence. */
  damaged = 0;

  /**
   * @param {number} preSkip decoded samples before the first content sample
   * @param {number} [from] content position of the first sample wanted
   */
  constructor(preSkip, from = 0) {
    this.#preSkip = preSkip;
    this.#from = from;
  }

  /**
   * Whether the packet can be decoded only with a decoder of its own.
   * @param {StreamPacket} packet
   */
  needsDecoder(packet) {
    return this.#decoder === null || packet.reset;
  }

  /** @param {Decoder} decoder fresh */
  use(decoder) {
    this.close();
    this.#decoder = decoder;
    this.#next = -1;
  }

  /**
   * Decode the next packet.
   * @param {StreamPacket} packet
   * @returns {{start: number, pcm: Float32Array}} content samples from content position `start` on
   */
  decode(packet) {
    const early = Math.max(0, this.#from + this.#preSkip - packet.timestamp);
    const nothing = { start: packet.timestamp - this.#preSkip + early, pcm: new Float32Array(0) };
    if (packet.timestamp < this.#next) return nothing;
    this.#next = packet.timestamp + PACKET_SAMPLES;
    const pcm = this.#samples(packet.bytes);
    if (packet.preRoll) return nothing;
    return { start: nothing.start, pcm: pcm.subarray(early) };
  }

  /** Give the decoder's memory back. */
  close() {
    this.#decoder?.free();
    this.#decoder = null;
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {Float32Array} always one packet's worth, so that the timeline survives a damaged packet
   */
  #samples(bytes) {
    const plausible = bytes.length > 0 && bytes.length <= LONGEST_PACKET_BYTES;
    const pcm = plausible ? this.#decoder?.decodeFrame(bytes).channelData[0] : undefined;
    if (pcm?.length === PACKET_SAMPLES) return pcm;
    this.damaged += 1;
    return new Float32Array(PACKET_SAMPLES);
  }
}
