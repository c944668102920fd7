// @ts-check
/**
 * Lets a session come back after its page was loaded again, and leaves it to the tab that has it.
 *
 * Stands between the client, the tab's storage and the other tabs; knows neither sound nor sockets. Main thread.
 *
 * @module
 */

/** @typedef {import('./client.js').SpeechClient} SpeechClient */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */
/** @typedef {import('./session-store.js').SessionStore} SessionStore */

/** The session of this tab, before and after a reload. */
export class Comeback {
  #store;
  #use;
  /** Taken from the store, until a client has it. @type {SavedSession | null} */
  #taken = null;
  /** @type {Pick<SpeechClient, 'session' | 'save'> | null} */
  #client = null;

  /**
   * @param {SessionStore} store
   * @param {(mine: () => string | null) => Pick<import('./tabs.js').Tabs, 'use'>} join the other tabs
   */
  constructor(store, join) {
    this.#store = store;
    this.#use = join(() => this.#session);
  }

  /**
   * Return the session to go on with; null when there is none, or another tab has it.
   * @returns {Promise<SavedSession | null>}
   */
  async take() {
    const found = this.#store.load();
    if (found === null) return null;
    const { saved, left } = found;
    // Of a page that has ended nobody else can have it: a copy of the tab was made while the page was there.
    const taken = left || !(await this.#use.use(saved.session));
    this.#taken = taken ? saved : null;
    this.#store.save(this.#taken);
    return this.#taken;
  }

  /** From now on it is the client's. @param {Pick<SpeechClient, 'session' | 'save'>} client */
  hand(client) {
    this.#client = client;
    this.#taken = null;
  }

  /** Keep what would be needed after a reload: call about four times a second, and with `left` when the page ends. */
  keep(left = false) {
    if (this.#client !== null) this.#store.save(this.#client.save(), left);
    else if (this.#taken !== null) this.#store.save(this.#taken, left);
  }

  get #session() {
    return this.#client === null ? (this.#taken?.session ?? null) : this.#client.session;
  }
}
