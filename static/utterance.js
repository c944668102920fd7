// @ts-check
/**
 * What the player holds of one utterance: packets not decoded, samples not played, and what is known of its end.
 *
 * Knows no device and no other utterance. Pure but for `performance.now()`.
 */

import { OpusStream } from './opus.js';

/** One utterance between its first packet and its last sample. */
export class Utterance {
  /** @type {import('./opus.js').StreamPacket[]} */
  packets = [];
  /** Decoded and not yet known to be played. @type {Float32Array[]} */
  pcm = [];
  /** Content position of the first sample in `pcm`, and behind the last one. */
  start = 0;
  end = 0;
  played = 0;
  /** The playout has been told of it. */
  open = false;
  /** All packets are here. */
  complete = false;
  /** Exact length, once `done` has told it. @type {number | null} */
  samples = null;
  /** The playout has been told of its end, with this length; undefined before. @type {number | null | undefined} */
  finished = undefined;
  cancelled = false;
  sounded = false;
  receivedAt = performance.now();
  decodedAt = 0;

  /**
   * @param {number} id
   * @param {number} ordinal
   * @param {string | undefined} name
   * @param {number} preSkip
   * @param {number} from content position at which it begins here: what is before was heard elsewhere
   */
  constructor(id, ordinal, name, preSkip, from) {
    this.id = id;
    this.ordinal = ordinal;
    this.name = name;
    this.stream = new OpusStream(preSkip, from);
    this.start = this.end = this.played = from;
  }

  /**
   * @param {number} start
   * @param {Float32Array} pcm
   */
  append(start, pcm) {
    if (this.decodedAt === 0) {
      this.decodedAt = performance.now();
      this.start = this.end = this.played = start;
    }
    this.pcm.push(pcm);
    this.end += pcm.length;
  }

  /** Forget samples that were played. @param {number} played */
  release(played) {
    this.played = Math.max(this.played, Math.min(played, this.end));
    while (this.pcm.length > 0 && this.start + this.pcm[0].length <= this.played) {
      this.start += this.pcm[0].length;
      this.pcm.shift();
    }
  }

  /** Samples decoded and not played. */
  unplayed() {
    const [first, ...rest] = this.pcm;
    return first ? [first.subarray(this.played - this.start), ...rest] : [];
  }
}
