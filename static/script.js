// @ts-check
/**
 * What is to be spoken, as it was given: text in pieces, settings, flushes and the end.
 *
 * Says it to a server, and says it again from any point, for one that has only heard a part. Knows no socket and
 * nothing of what becomes of it. Pure.
 *
 * Bounded: more than `MOST_TEXT` is refused.
 */

import { TextOffsets } from './protocol.js';

/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./protocol.js').VoiceSettings} VoiceSettings */

/** UTF-16 units kept; more than any server takes for one utterance. */
export const MOST_TEXT = 262_144;

/** UTF-16 units in one message: even escaped, six bytes each, they stay below what a server reads at once. */
const MOST_UNITS = 8_192;

/**
 * A run of text with the settings it began with; `flushed` when it was to be spoken before the rest.
 * @typedef {{text: string, settings: VoiceSettings | null, flushed: boolean}} Part
 *
 * A script as JSON keeps it.
 * @typedef {{parts: Part[], held: string, ended: boolean}} SavedScript
 */

/**
 * The script of one utterance. What its methods return is what has to be sent now.
 *
 * No message ends inside a surrogate pair: a high half at the end of a piece is held back until the next.
 */
export class Script {
  #utterance;
  /** @type {Part[]} */
  #parts = [];
  #offsets = new TextOffsets();
  #units = 0;
  #held = '';
  #ended = false;

  /** @param {string} utterance */
  constructor(utterance) {
    this.#utterance = utterance;
  }

  /**
   * @param {string} utterance
   * @param {SavedScript} saved
   */
  static restore(utterance, { parts, held, ended }) {
    const script = new Script(utterance);
    for (const part of parts) script.#keep({ ...part });
    script.#held = held;
    script.#ended = ended;
    return script;
  }

  /** @returns {SavedScript} */
  save() {
    return { parts: this.#parts.map((part) => ({ ...part })), held: this.#held, ended: this.#ended };
  }

  /** No more text comes. */
  get ended() {
    return this.#ended;
  }

  /** All text so far, a half held back included. */
  get text() {
    return this.#parts.map(({ text }) => text).join('') + this.#held;
  }

  /** Settings it began with. @returns {VoiceSettings} */
  get settings() {
    return this.#parts[0]?.settings ?? {};
  }

  /** Whether `text` can still be appended. @param {string} text */
  hasRoom(text) {
    return this.#units + text.length <= MOST_TEXT;
  }

  /**
   * @param {string} text may be cut anywhere
   * @param {VoiceSettings} [settings] hold from here on
   * @returns {ClientMessage[]}
   */
  append(text, settings = {}) {
    const whole = this.#held + text;
    const cut = endsInHighHalf(whole) ? whole.length - 1 : whole.length;
    this.#held = whole.slice(cut);
    return this.#add(whole.slice(0, cut), Object.keys(settings).length > 0 ? settings : null);
  }

  /** @returns {ClientMessage[]} */
  flush() {
    const last = this.#parts.at(-1);
    if (last) last.flushed = true;
    return [{ type: 'flush', utterance: this.#utterance }];
  }

  /** @returns {ClientMessage[]} */
  end() {
    const held = this.#held;
    this.#held = '';
    const rest = held === '' ? [] : this.#add(held, null);
    this.#ended = true;
    return [...rest, { type: 'end', utterance: this.#utterance }];
  }

  /**
   * Say everything again that a server may not have heard. What it has heard after all changes nothing.
   * @param {number} received code points it has
   * @param {boolean} ended whether it has the end
   * @returns {ClientMessage[]}
   */
  again(received, ended) {
    const from = this.#offsets.utf16(received);
    const messages = [];
    let start = 0;
    for (const part of this.#parts) {
      const stop = start + part.text.length;
      if (start >= from) messages.push(...this.#say(part.text, part.settings));
      else if (stop > from) messages.push(...this.#say(part.text.slice(from - start), null));
      if (part.flushed && stop >= from) messages.push(...this.#flushed());
      start = stop;
    }
    if (this.#ended && !ended) messages.push(/** @type {const} */ ({ type: 'end', utterance: this.#utterance }));
    return messages;
  }

  /** Forget the text: it is spoken. Offsets are converted as before. */
  forget() {
    this.#parts = [];
  }

  /**
   * Return a segment of the server with its offsets in UTF-16 units.
   * @param {import('./protocol.js').Segment} segment
   */
  convert(segment) {
    return this.#offsets.convert(segment);
  }

  /**
   * @param {string} text
   * @param {VoiceSettings | null} settings
   * @returns {ClientMessage[]}
   */
  #add(text, settings) {
    const last = this.#parts.at(-1);
    if (last && settings === null) {
      if (text === '') return [];
      if (!last.flushed) {
        last.text += text;
        this.#count(text);
        return this.#say(text, null);
      }
    }
    this.#keep({ text, settings, flushed: false });
    return this.#say(text, settings);
  }

  /** @param {Part} part */
  #keep(part) {
    this.#parts.push(part);
    this.#count(part.text);
  }

  /** @param {string} text */
  #count(text) {
    this.#offsets.append(text);
    this.#units += text.length;
  }

  /**
   * @param {string} text
   * @param {VoiceSettings | null} settings
   * @returns {ClientMessage[]} at least one
   */
  #say(text, settings) {
    const [first, ...rest] = inMessages(text);
    const utterance = this.#utterance;
    return [
      { type: 'text', utterance, text: first, ...settings },
      ...rest.map((piece) => /** @type {const} */ ({ type: 'text', utterance, text: piece })),
    ];
  }

  /** @returns {ClientMessage[]} */
  #flushed() {
    return [{ type: 'flush', utterance: this.#utterance }];
  }
}

/** @param {string} text */
function endsInHighHalf(text) {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * @param {string} text
 * @returns {string[]} at least one piece, none of which ends inside a surrogate pair
 */
function inMessages(text) {
  const pieces = [];
  let rest = text;
  while (rest.length > MOST_UNITS) {
    const cut = endsInHighHalf(rest.slice(0, MOST_UNITS)) ? MOST_UNITS - 1 : MOST_UNITS;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}
