// @ts-check
/**
 * How words are said that the voice would say otherwise: names, brands, what a channel's regulars write.
 *
 * Knows what the server takes, and no element and no storage. Pure.
 *
 * Bounded by `MOST_ENTRIES` and `MOST_BYTES`: what would be more is refused. Every line takes the whole list along.
 */

/** Code points of a word as it is written, of what is said for it, and how many of them: as on the server. */
export const LONGEST_WORD = 64;
export const LONGEST_SAID = 200;
export const MOST_ENTRIES = 500;

/** As JSON, in UTF-8: what fits into one message beside the longest text that a script puts there. */
export const MOST_BYTES = 14 * 1024;

/**
 * Why a pronunciation was not taken: each is the key of its words.
 * @typedef {'wordMissing' | 'saidMissing' | 'wordTooLong' | 'saidTooLong' | 'phonemesBroken' | 'listFull'} Refusal
 */

/** The list. A word that is there already is said anew. */
export class Pronunciations {
  /** What is said, by word, oldest first. @type {Map<string, string>} */
  #said = new Map();
  #bytes = 0;

  /**
   * Take over what was kept; what cannot be read or is no longer taken is left out.
   *
   * @param {unknown} pairs - of word and what is said, oldest first
   */
  static restore(pairs) {
    const list = new Pronunciations();
    for (const pair of Array.isArray(pairs) ? pairs : []) {
      if (Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string') list.set(pair[0], pair[1]);
    }
    return list;
  }

  get size() {
    return this.#said.size;
  }

  /** Words and what is said for them, oldest first. @returns {[string, string][]} */
  get pairs() {
    return [...this.#said];
  }

  /** As the wire has it. @returns {{[word: string]: string}} */
  get lexicon() {
    return Object.fromEntries(this.#said);
  }

  /** @param {string} word - as it was taken */
  has(word) {
    return this.#said.has(word);
  }

  /**
   * Say from now on `said` for `word`; both are tidied.
   *
   * @param {string} word
   * @param {string} said - other words, or "/phonemes/"
   * @param {string | null} [instead] - a word that this one takes the place of
   * @returns {Refusal | null} why it was not taken
   */
  set(word, said, instead = null) {
    const [key, value] = [tidy(word), tidy(said)];
    const refusal = refusalOf(key, value);
    if (refusal !== null) return refusal;
    const gone = new Set([key, ...(instead === null ? [] : [instead])].filter((one) => this.has(one)));
    const freed = [...gone].reduce((sum, one) => sum + bytesOf(one, this.#said.get(one) ?? ''), 0);
    const bytes = this.#bytes - freed + bytesOf(key, value);
    if (bytes > MOST_BYTES || this.size - gone.size >= MOST_ENTRIES) return 'listFull';
    if (instead !== null && instead !== key) this.#said.delete(instead);
    this.#said.set(key, value);
    this.#bytes = bytes;
    return null;
  }

  /** @param {string} word - as it was taken */
  remove(word) {
    this.#bytes -= this.has(word) ? bytesOf(word, this.#said.get(word) ?? '') : 0;
    this.#said.delete(word);
  }
}

/**
 * Return `text` on one line, without space around it and without what no server takes: control characters and halves of
 * characters.
 *
 * @param {string} text
 */
export function tidy(text) {
  return text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
}

/**
 * @param {string} word - tidied
 * @param {string} said - tidied
 * @returns {Refusal | null}
 */
function refusalOf(word, said) {
  if (word === '') return 'wordMissing';
  if ([...word].length > LONGEST_WORD) return 'wordTooLong';
  if (said === '') return 'saidMissing';
  if ([...said].length > LONGEST_SAID) return 'saidTooLong';
  return said.startsWith('/') && !/^\/[^/]*[^/\s][^/]*\/$/.test(said) ? 'phonemesBroken' : null;
}

/**
 * @param {string} word
 * @param {string} said
 */
function bytesOf(word, said) {
  return new TextEncoder().encode(`${JSON.stringify(word)}:${JSON.stringify(said)},`).length;
}
