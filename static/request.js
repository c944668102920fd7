// @ts-check
/**
 * One utterance as the client sees it: what was asked for, what has come of it, and how it stands with the server.
 *
 * Knows no socket and no other utterance. Pure.
 */

import { PACKET_SAMPLES } from './protocol.js';
import { Script } from './script.js';

/** @typedef {import('./protocol.js').Audio} Audio */

/** Packets before the playhead that a new decoder has to see until it sounds like the old one. */
const PRE_ROLL_PACKETS = 8;

/** An utterance, until it is heard and a while beyond. */
export class Request {
  /** @type {number | null} */
  ordinal = null;
  preSkip = 0;
  /** Something of it was said to a server. */
  sent = false;
  /** All of it was said over the present socket, and what is added is sent at once. */
  live = false;
  /** We asked to cancel it: none of its audio is wanted any more. */
  cancelled = false;
  /** The server has answered that. */
  answered = false;
  /** Played to its end, as far as we know. */
  heard = false;
  /** The session it belonged to is over: nothing of it is told to a server any more. */
  gone = false;
  /** The end that was told of it. @type {'done' | 'cancelled' | 'error' | null} */
  end = null;
  /** Told, or kept until the audio it counts is here. @type {import('./protocol.js').Done | null} */
  done = null;
  /** Sequence number its first packet has, or had. @type {number | null} */
  #first = null;
  /** Behind the last packet received, in samples of the stream, pre-skip included. */
  #received = 0;
  /** Content samples that were played before this page was loaded. */
  #before = 0;

  /**
   * @param {string} id
   * @param {Script} [script]
   */
  constructor(id, script = new Script(id)) {
    this.id = id;
    this.script = script;
  }

  /** Whether it was said to a server of which we do not know yet what it has heard. */
  get uncertain() {
    return this.sent && !this.live && this.unended;
  }

  /** Whether it is wanted and has no end. */
  get unended() {
    return this.end === null && !this.cancelled;
  }

  /** Whether this can be appended and kept. @param {string} text */
  takesText(text) {
    return this.unended && !this.script.ended && this.script.hasRoom(text);
  }

  /** Whether some of it is still to be heard. */
  get unheard() {
    return !this.heard && !this.gone && !this.cancelled && (this.end === null || this.end === 'done');
  }

  /** Whether the server has to be asked, perhaps again, to cancel it. */
  get unanswered() {
    return this.cancelled && this.sent && !this.answered && !this.gone;
  }

  /** Whether its end and all of its audio are here. */
  get complete() {
    if (this.done === null) return false;
    return Math.max(this.#received - this.preSkip, this.#before) >= this.done.samples;
  }

  /**
   * Go on with one that another page began, and had played so far.
   * @param {import('./session-store.js').SavedLine} saved
   * @param {number} played content samples
   */
  static restore({ utterance, sent, script }, played) {
    const request = new Request(utterance, Script.restore(utterance, script));
    request.sent = sent;
    request.#before = played;
    return request;
  }

  /** Note that its packets have come. @param {Audio} audio */
  receive({ sequence, timestamp, packets }) {
    this.#first = sequence - timestamp / PACKET_SAMPLES;
    this.#received = Math.max(this.#received, timestamp + packets.length * PACKET_SAMPLES);
  }

  /** Note how far it was played. @param {number} played content samples */
  play(played) {
    if (this.end === 'done' && this.done !== null && played >= this.done.samples) this.finish();
  }

  /** It is heard: its text is needed no more. */
  finish() {
    this.heard = true;
    this.script.forget();
  }

  /**
   * Return where a new decoder has to begin so that sound goes on at `played`, or null before the first packet.
   * @param {number} played content samples
   * @returns {import('./session-store.js').Rejoin | null}
   */
  rejoin(played) {
    if (this.#first === null) return null;
    const packet = Math.floor((played + this.preSkip) / PACKET_SAMPLES);
    const preRoll = Math.min(PRE_ROLL_PACKETS, packet);
    return { next: this.#first + packet - preRoll, preRoll };
  }
}
