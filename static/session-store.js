// @ts-check
/**
 * Keeps a session over a reload of the page: what is needed to go on with it where its sound stopped.
 *
 * Knows the browser's storage of one tab, which survives a reload and is copied when a tab is duplicated, and nothing
 * of sockets. Main thread. Where the browser keeps nothing, a reload begins anew.
 *
 * @module
 */

/**
 * Where a new decoder begins: at packet `next`, and the first `preRoll` packets are not for playing.
 * @typedef {{next: number, preRoll: number}} Rejoin
 *
 * One utterance, and whether a server was told of it.
 * @typedef {{utterance: string, sent: boolean, script: import('./script.js').SavedScript}} SavedLine
 *
 * `playing` is the first utterance not fully heard, `played` how far it was, in content samples; `cancel` names what the
 * server has not confirmed to be cancelled; `lines` are all that is unheard, in order.
 * @typedef {Rejoin & {session: string, playing: string, played: number, cancel: string[],
 *   lines: SavedLine[]}} SavedSession
 */

const KEY = 'utter.session';

/** The one session a tab may go on with. */
export class SessionStore {
  #storage;
  #empty = false;

  /** @param {() => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} storage may throw, as browsers do */
  constructor(storage = () => sessionStorage) {
    this.#storage = storage;
  }

  /**
   * Return what was saved last. `left` says that its page has ended since.
   * @returns {{saved: SavedSession, left: boolean} | null}
   */
  load() {
    const text = this.#try((storage) => storage.getItem(KEY)) ?? null;
    if (text === null) return null;
    try {
      return JSON.parse(text);
    } catch {
      // Another version's, or half of one: nothing to go on with.
      return null;
    }
  }

  /**
   * @param {SavedSession | null} saved null when there is nothing to go on with
   * @param {boolean} [left] the page ends
   */
  save(saved, left = false) {
    if (saved === null && this.#empty) return;
    this.#empty = saved === null;
    if (saved === null) this.#try((storage) => storage.removeItem(KEY));
    else this.#try((storage) => storage.setItem(KEY, JSON.stringify({ saved, left })));
  }

  /**
   * @template T
   * @param {(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) => T} use
   * @returns {T | undefined}
   */
  #try(use) {
    try {
      return use(this.#storage());
    } catch {
      // Storage is refused in some private modes, or full: then a reload begins anew.
      return undefined;
    }
  }
}
