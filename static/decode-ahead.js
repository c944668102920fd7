// @ts-check
/**
 * Decodes queued utterances in their order, some seconds ahead of the playhead and in small batches.
 *
 * Knows neither device nor events: what it decodes and what it runs out of it hands to its owner. Main thread.
 */

import { PACKET_SAMPLES, CONTENT_RATE_HZ } from './protocol.js';

/** @typedef {import('./utterance.js').Utterance} Utterance */
/** @typedef {import('./opus.js').DecoderPool} DecoderPool */

/** Samples decoded and not played, over all utterances. */
const AHEAD_SAMPLES = 10 * CONTENT_RATE_HZ;

/** Packets decoded in one go: a second of sound, a few milliseconds of work. */
const BATCH = CONTENT_RATE_HZ / PACKET_SAMPLES;

/** Works through the utterances that `utterances` gives, in that order. */
export class DecodeAhead {
  #pool;
  #callbacks;
  #waiting = false;

  /**
   * @param {DecoderPool} pool
   * @param {{utterances: () => Utterance[], onPcm: (utterance: Utterance, pcm: Float32Array) => void,
   *   onExhausted: (utterance: Utterance) => void, onFailure: () => void}} callbacks
   *   `onExhausted`: all packets there are of it have been decoded; `onFailure`: no decoder can be had, the packets
   *   stay and the next `pump` tries again
   */
  constructor(pool, callbacks) {
    this.#pool = pool;
    this.#callbacks = callbacks;
  }

  /** Decode as far as wanted. Goes on by itself while there is more to do at once. */
  pump() {
    if (this.#waiting) return;
    let batch = BATCH;
    let ahead = 0;
    for (const utterance of [...this.#callbacks.utterances()]) {
      ahead += utterance.end - utterance.played;
      while (utterance.packets.length > 0 && ahead < AHEAD_SAMPLES) {
        if (batch === 0 || !this.#equip(utterance)) {
          this.#pumpAfter(batch === 0 ? nextTask() : this.#pool.ensure());
          return;
        }
        batch -= 1;
        ahead += this.#decodeNext(utterance);
      }
      if (utterance.packets.length > 0) return;
      this.#callbacks.onExhausted(utterance);
    }
  }

  /** @param {Promise<void>} when */
  async #pumpAfter(when) {
    this.#waiting = true;
    try {
      await when;
    } catch {
      this.#callbacks.onFailure();
      return;
    } finally {
      this.#waiting = false;
    }
    this.pump();
  }

  /**
   * @param {Utterance} utterance
   * @returns {boolean} whether its next packet has a decoder
   */
  #equip(utterance) {
    if (!utterance.stream.needsDecoder(utterance.packets[0])) return true;
    const decoder = this.#pool.take();
    if (decoder) utterance.stream.use(decoder);
    return decoder !== null;
  }

  /**
   * @param {Utterance} utterance
   * @returns {number} samples gained
   */
  #decodeNext(utterance) {
    const packet = /** @type {import('./opus.js').StreamPacket} */ (utterance.packets.shift());
    const { start, pcm } = utterance.stream.decode(packet);
    if (pcm.length === 0) return 0;
    utterance.append(start, pcm);
    this.#callbacks.onPcm(utterance, pcm);
    return pcm.length;
  }
}

/** @returns {Promise<void>} */
function nextTask() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
