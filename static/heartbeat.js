// @ts-check
/**
 * Notices that the other side has fallen silent: a network that swallows everything raises no event.
 *
 * Knows no socket. Timers and clock are passed in; everything happens on their thread.
 */

/**
 * @typedef {{setTimeout: (callback: () => void, ms: number) => number, clearTimeout: (timer: number) => void,
 *   now: () => number}} Timers
 */

/** After this long without a word the other side is asked for one, and given this long to answer. */
const ASK_AFTER_MS = 2_000;
const ANSWER_WITHIN_MS = 1_000;

/** A timer that fires this late means that we were busy or asleep, not the other side. */
const LATE_MS = 300;

/** Asks when it is quiet, and gives up when it stays so. */
export class Heartbeat {
  #timers;
  #ask;
  #lost;
  #timer = 0;
  #heardAt = 0;

  /**
   * @param {Timers} timers
   * @param {{ask: () => void, lost: () => void}} callbacks `lost` stops the heartbeat, if that is what it means
   */
  constructor(timers, { ask, lost }) {
    this.#timers = timers;
    this.#ask = ask;
    this.#lost = lost;
  }

  /** Begin, or begin anew: the other side has just been heard. */
  start() {
    this.hear();
    this.#after(ASK_AFTER_MS, () => this.#check());
  }

  /** The other side said something. */
  hear() {
    this.#heardAt = this.#timers.now();
  }

  stop() {
    this.#timers.clearTimeout(this.#timer);
  }

  #check() {
    const silentFor = this.#timers.now() - this.#heardAt;
    if (silentFor < ASK_AFTER_MS) {
      this.#after(ASK_AFTER_MS - silentFor, () => this.#check());
      return;
    }
    this.#ask();
    this.#expect(this.#timers.now());
  }

  /**
   * Wait for the answer; a timer that was late itself gives the other side another turn.
   * @param {number} askedAt
   */
  #expect(askedAt) {
    const dueAt = this.#timers.now() + ANSWER_WITHIN_MS;
    this.#after(ANSWER_WITHIN_MS, () => {
      if (this.#heardAt >= askedAt) this.#check();
      else if (this.#timers.now() > dueAt + LATE_MS) this.#expect(askedAt);
      else this.#lost();
    });
  }

  /**
   * @param {number} ms
   * @param {() => void} then
   */
  #after(ms, then) {
    this.stop();
    this.#timer = this.#timers.setTimeout(then, ms);
  }
}
