// @ts-check
/**
 * A conversation with a language model whose answers are spoken while they are being written.
 *
 * Each answer is one utterance, its pieces said as they come. Of an answer that is interrupted, the conversation keeps
 * what was heard: first by our own reckoning, then as the server tells. Knows no element and no address. Main thread.
 *
 * @module
 */

import { newEntry } from './speaker.js';
import { heardLength } from './spoken-line.js';

/** @typedef {import('./chat-stream.js').ChatMessage} ChatMessage */
/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./speaker.js').Entry} Entry */

/** The part of the speaker that is used. @typedef {Pick<import('./speaker.js').Speaker,
 *   'open' | 'append' | 'finish' | 'stop' | 'heard'>} Speaker */

/**
 * What was asked or answered. `heard` counts, of an answer that was interrupted, the UTF-16 units that were heard; null
 * when all of it was, or is to be. `entry` is the line that says it, from its first piece on.
 *
 * @typedef {object} Said
 * @property {'user' | 'assistant'} role
 * @property {string} text
 * @property {number | null} heard
 * @property {boolean} writing - more is to come
 * @property {Entry | null} entry
 * @property {string} name - of the utterance
 */

/**
 * @typedef {object} Watcher
 * @property {(said: Said) => void} onSaid - it is new, or something of it has changed
 * @property {(said: Said) => void} onDropped - it is no longer part of the conversation
 * @property {(entry: Entry) => void} onLine - a line is being spoken that was not there before
 * @property {(error: unknown) => void} onFailure - the model could not be asked, or broke off
 */

/** Messages kept; the oldest go first. */
export const MOST_SAID = 60;

/** UTF-16 units of an answer, unless the server has told its own limit. */
const LONGEST_ANSWER = 5000;

/** One conversation. */
export class Chat {
  /** @type {Said[]} */
  #said = [];
  /** Stops the model that is writing. */
  #writing = new AbortController();
  /** How far into the newest answer was heard, in content samples. */
  #sample = 0;
  #speaker;
  #complete;
  #watcher;
  /** What can be spoken at once; the server counts code points, of which there are never more than units. */
  limit = LONGEST_ANSWER;

  /**
   * @param {Speaker} speaker
   * @param {(messages: ChatMessage[], signal: AbortSignal) => AsyncIterable<string>} complete - asks the model
   * @param {Watcher} watcher
   */
  constructor(speaker, complete, watcher) {
    this.#speaker = speaker;
    this.#complete = complete;
    this.#watcher = watcher;
  }

  /** Whether the model is writing. */
  get writing() {
    return this.#said.some(({ writing }) => writing);
  }

  /** What the model is told: of every answer what was heard. @returns {ChatMessage[]} */
  get messages() {
    return this.#said
      .filter(({ writing }) => !writing)
      .map(({ role, text, heard }) => ({ role, content: text.slice(0, heard ?? text.length) }))
      .filter(({ content }) => content !== '');
  }

  /**
   * Ask something; whatever is being spoken or written stops.
   *
   * @param {string} question
   * @param {{voice: string, speed: number}} settings
   */
  async ask(question, settings) {
    this.stop();
    this.#add({ role: 'user', text: question, heard: null, writing: false, entry: null, name: '' });
    const messages = this.messages;
    const answer = this.#add({ role: 'assistant', text: '', heard: null, writing: true, entry: null, name: '' });
    const writing = new AbortController();
    this.#writing = writing;
    this.#sample = 0;
    try {
      for await (const piece of this.#complete(messages, writing.signal)) {
        if (writing.signal.aborted || !this.#say(answer, piece, settings)) break;
      }
    } catch (error) {
      if (!writing.signal.aborted) this.#watcher.onFailure(error);
    }
    if (answer.writing) this.#end(answer);
  }

  /**
   * Stop speaking and writing at once.
   *
   * @returns {boolean} whether there was anything to stop
   */
  stop() {
    const { writing } = this;
    this.note(this.#speaker.heard());
    this.#writing.abort();
    const speaking = this.#speaker.stop();
    for (const said of this.#said.filter((one) => one.writing)) this.#end(said);
    return speaking || writing;
  }

  /**
   * Note what is heard at this moment: call with each refresh of the display.
   *
   * @param {{entry: Entry, sample: number} | null} heard
   */
  note(heard) {
    const answer = this.#said[this.#said.length - 1];
    if (heard !== null && heard.entry === answer?.entry && answer.heard === null) this.#sample = heard.sample;
  }

  /** @param {Entry} entry - something of it has changed */
  onEntry(entry) {
    const answer = this.#said[this.#said.length - 1];
    if (answer?.entry !== entry) return;
    const { status } = entry;
    const interrupted = status === 'stopped' || status === 'cut' || status === 'failed';
    if (interrupted && answer.heard === null) answer.heard = heardLength(entry.segments, this.#sample);
    this.#watcher.onSaid(answer);
  }

  /** @param {ServerMessage} message */
  onMessage(message) {
    if (message.type !== 'cancelled') return;
    const answer = this.#said.find(({ name }) => name === message.utterance);
    if (answer === undefined) return;
    answer.heard = message.text_spoken.length;
    this.#watcher.onSaid(answer);
  }

  /**
   * Say the next piece of an answer.
   *
   * @param {Said} answer
   * @param {string} piece
   * @param {{voice: string, speed: number}} settings
   * @returns {boolean} whether it can go on
   */
  #say(answer, piece, settings) {
    if (answer.text.length + piece.length > this.limit) return false;
    if (answer.entry === null) {
      answer.entry = newEntry(piece, settings);
      answer.name = this.#speaker.open(answer.entry, performance.now());
      this.#watcher.onLine(answer.entry);
    } else if (!this.#speaker.append(answer.name, piece, performance.now())) return false;
    answer.text = answer.entry.text;
    this.#watcher.onSaid(answer);
    return true;
  }

  /** @param {Said} answer */
  #end(answer) {
    answer.writing = false;
    if (answer.entry === null) this.#drop(answer);
    else {
      this.#speaker.finish(answer.name);
      this.#watcher.onSaid(answer);
    }
  }

  /**
   * @param {Said} said
   * @returns {Said}
   */
  #add(said) {
    if (this.#said.length >= MOST_SAID) this.#drop(this.#said[0]);
    this.#said.push(said);
    this.#watcher.onSaid(said);
    return said;
  }

  /** @param {Said} said */
  #drop(said) {
    this.#said.splice(this.#said.indexOf(said), 1);
    this.#watcher.onDropped(said);
  }
}
