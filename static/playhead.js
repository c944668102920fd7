// @ts-check
/**
 * Where playback is: from the playout's marks and the context's clocks to content samples.
 *
 * Two answers, some ten milliseconds apart: what has been *rendered* (handed to the device; it counts for
 * progress and cancel) and what is *heard* (it counts for captions). Knows no codec and no wire. Pure: clocks
 * are arguments.
 */

import { SAMPLE_RATE_HZ } from './playout-worklet.js';

/** Marks kept; the oldest go first. At one in 80 ms they reach five seconds back, output latency is below one. */
const MOST_MARKS = 64;

/** Beyond this an output timestamp is not believed, in ms. */
const BELIEVABLE_MS = 250;

/**
 * At `frame` of the context, `played` samples of the track had been rendered; from there on it ran or stood.
 * @typedef {{track: number, frame: number, played: number, running: boolean}} Mark
 */

/** The marks of the last seconds, in the order of their frames. */
export class Timeline {
  /** @type {Mark[]} */
  #marks = [];

  /** @param {Mark} mark never before an earlier one's frame */
  add(mark) {
    this.#marks.push(mark);
    if (this.#marks.length > MOST_MARKS) this.#marks.shift();
  }

  /** Forget everything: another context counts other frames. */
  clear() {
    this.#marks = [];
  }

  /**
   * Return the track and how much of it was rendered before `frame`, or `null` if nothing had been yet.
   * @param {number} frame
   * @returns {{track: number, played: number, running: boolean} | null}
   */
  at(frame) {
    const mark = this.#marks.filter((one) => one.frame <= frame).at(-1);
    if (!mark) return null;
    const { track, played, running, frame: from } = mark;
    return { track, played: running ? played + Math.floor(frame - from) : played, running };
  }
}

/**
 * The parts of an `AudioContext` that tell the time.
 * @typedef {{currentTime: number, outputLatency?: number, baseLatency?: number,
 *   getOutputTimestamp?: () => {contextTime?: number, performanceTime?: number}}} Clocks
 */

/**
 * Tells which moment of a context's time is heard now.
 *
 * Browsers' output timestamps go backwards, stand still and jump; one that does is passed over in favour of
 * `currentTime` less the latency the context admits to. One instance for each context.
 */
export class OutputClock {
  #newest = 0;

  /**
   * @param {Clocks} clocks
   * @param {number} now `performance.now()`
   * @returns {number} seconds of context time, at most `currentTime`
   */
  heard(clocks, now) {
    const stamped = this.#stamped(clocks, now);
    const heard = stamped ?? clocks.currentTime - (clocks.outputLatency || clocks.baseLatency || 0);
    return Math.max(0, Math.min(heard, clocks.currentTime));
  }

  /**
   * @param {Clocks} clocks
   * @param {number} now
   * @returns {number | null}
   */
  #stamped(clocks, now) {
    const { contextTime = 0, performanceTime = 0 } = clocks.getOutputTimestamp?.() ?? {};
    if (!(contextTime > 0) || contextTime < this.#newest) return null;
    const age = now - performanceTime;
    if (!(Math.abs(age) <= BELIEVABLE_MS)) return null;
    const heard = contextTime + age / 1000;
    if (Math.abs(clocks.currentTime - heard) * 1000 > BELIEVABLE_MS) return null;
    this.#newest = contextTime;
    return heard;
  }
}

/**
 * Return the frame that a context time in seconds falls on.
 * @param {number} seconds
 */
export function frameAt(seconds) {
  return Math.round(seconds * SAMPLE_RATE_HZ);
}
