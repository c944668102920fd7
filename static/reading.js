// @ts-check
/**
 * How text is read: pronunciations, emoji, and whether some of it is markup. Kept from one visit to the next.
 *
 * Knows the browser's storage and no element. Main thread. Where the browser keeps nothing, or no more, what was chosen
 * lasts as long as the page.
 *
 * @module
 */

import { Pronunciations } from './pronunciations.js';

/** @typedef {Pick<import('./protocol.js').VoiceSettings, 'markup' | 'emoji' | 'lexicon'>} ReadingSettings */

/** Where it is kept; another tab that changes it says so by this name. */
export const READING_KEY = 'utter.reading';

/** The choices; `save` after each change. */
export class Reading {
  pronunciations = new Pronunciations();
  /** Whether emoji are said by their names. */
  namesEmoji = false;
  /** Whether nothing in the text counts as markup. */
  plain = false;
  /** Whether the browser has it. */
  kept = true;
  #storage;

  /** @param {() => Pick<Storage, 'getItem' | 'setItem'>} storage - may throw, as browsers do */
  constructor(storage = () => localStorage) {
    this.#storage = storage;
    this.load();
  }

  /** As the wire has it; what is usual is left out. @returns {ReadingSettings} */
  get settings() {
    return {
      ...(this.plain && { markup: /** @type {const} */ ('plain') }),
      ...(this.namesEmoji && { emoji: /** @type {const} */ ('name') }),
      ...(this.pronunciations.size > 0 && { lexicon: this.pronunciations.lexicon }),
    };
  }

  /** Take over what is kept. */
  load() {
    try {
      const { pronunciations, namesEmoji, plain } = JSON.parse(this.#storage().getItem(READING_KEY) ?? '{}') ?? {};
      this.pronunciations = Pronunciations.restore(pronunciations);
      this.namesEmoji = namesEmoji === true;
      this.plain = plain === true;
    } catch (error) {
      // Half of something, or another version's, is no reason to say anything; no storage at all is.
      this.kept = error instanceof SyntaxError;
    }
  }

  save() {
    const { namesEmoji, plain } = this;
    const text = JSON.stringify({ pronunciations: this.pronunciations.pairs, namesEmoji, plain });
    try {
      this.#storage().setItem(READING_KEY, text);
      this.kept = true;
    } catch {
      // Refused, as in some private modes, or full: whoever shows the choices says so.
      this.kept = false;
    }
  }
}
