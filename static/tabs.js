// @ts-check
/**
 * Asks the other tabs of this page whether one of them is using a session, and answers them.
 *
 * A duplicated tab has a copy of the first one's storage, and must not take its session away. Knows session tokens and
 * one channel between tabs of the same origin; where there is none, nobody answers. Main thread.
 *
 * @module
 */

const CHANNEL = 'utter.sessions';

/** A tab that lives answers within this; one asleep is not listening to its sound either. */
const ANSWER_WITHIN_MS = 250;

/** @typedef {Pick<BroadcastChannel, 'postMessage' | 'onmessage'>} Channel */

/** This tab among the others. */
export class Tabs {
  #mine;
  #channel;
  #setTimeout;
  /** @type {Map<string, () => void>} */
  #asked = new Map();

  /**
   * @param {() => string | null} mine token of the session this tab uses
   * @param {() => Channel | null} [open]
   * @param {(callback: () => void, ms: number) => unknown} [setTimeout]
   */
  constructor(mine, open = openChannel, setTimeout = globalThis.setTimeout.bind(globalThis)) {
    this.#mine = mine;
    this.#setTimeout = setTimeout;
    this.#channel = open();
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /**
   * Whether another tab uses this session.
   * @param {string} session
   * @returns {Promise<boolean>}
   */
  use(session) {
    return new Promise((resolve) => {
      this.#asked.set(session, () => resolve(true));
      this.#setTimeout(() => {
        this.#asked.delete(session);
        resolve(false);
      }, ANSWER_WITHIN_MS);
      this.#channel?.postMessage({ ask: session });
    });
  }

  /** @param {{ask?: string, used?: string}} data */
  #hear({ ask, used }) {
    if (ask !== undefined && ask === this.#mine()) this.#channel?.postMessage({ used: ask });
    if (used !== undefined) this.#asked.get(used)?.();
  }
}

/** @returns {Channel | null} */
function openChannel() {
  return 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : null;
}
