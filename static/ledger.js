// @ts-check
/**
 * What a session holds: its utterances, what of them has come, and where playback is. All a resume needs.
 *
 * Knows no socket and tells nobody anything: it books what the server says, and returns what of it is new. Pure.
 *
 * Bounded: `MOST_UTTERANCES` are remembered, the oldest ended ones go first; for their texts see `Script`.
 */

import { AudioFlag, PACKET_SAMPLES } from './protocol.js';
import { Request } from './request.js';

/** @typedef {import('./protocol.js').Audio} Audio */
/** @typedef {import('./protocol.js').Cancelled} Cancelled */
/** @typedef {import('./protocol.js').Done} Done */
/** @typedef {import('./protocol.js').Segment} Segment */
/** @typedef {import('./protocol.js').Started} Started */
/** @typedef {import('./protocol.js').WireError} WireError */
/** @typedef {import('./session-store.js').Rejoin} Rejoin */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */

const MOST_UTTERANCES = 256;

/** The utterances of a session, and of those before it that are still remembered. */
export class Ledger {
  /** Token of the session, once there is one. @type {string | null} */
  session = null;
  /** In the order they were opened, which is the order they are spoken in. @type {Map<string, Request>} */
  #requests = new Map();
  /** Whose audio an ordinal announces. @type {Map<number, string>} */
  #ordinals = new Map();
  /** Sequence number of the next packet. */
  #next = 0;
  /** What a new decoder has to see first, until it has. @type {Rejoin | null} */
  #rejoin = null;
  /** @type {{playing?: string, played?: number}} */
  #playhead = {};

  /** Every utterance that is remembered, in order; a copy, so that others may come and go meanwhile. */
  get requests() {
    return [...this.#requests.values()];
  }

  /** @param {string | undefined} id */
  get(id) {
    return id === undefined ? undefined : this.#requests.get(id);
  }

  /** @param {string} id new */
  open(id) {
    const request = new Request(id);
    this.#requests.set(id, request);
    if (this.#requests.size > MOST_UTTERANCES) this.#forgetOldest();
    return request;
  }

  // Where playback is.

  /**
   * All utterances before this one are heard, this one up to `played`.
   * @param {Request} request
   * @param {number} played content samples
   */
  play(request, played) {
    this.#playhead = { playing: request.id, played };
    for (const earlier of this.#requests.values()) {
      if (earlier === request) break;
      if (earlier.end !== null && !earlier.heard) earlier.finish();
    }
    request.play(played);
  }

  /**
   * Playback stopped for good where it was, or at `played`.
   * @param {string} id
   * @param {number} [played] content samples
   */
  stop(id, played = this.#playhead.played) {
    this.#playhead = { playing: id, played };
  }

  /** Whether this is what was played last. @param {string} id */
  isPlaying(id) {
    return id === this.#playhead.playing;
  }

  /** The end of an utterance is told. @param {Request} request @param {'done' | 'cancelled' | 'error'} end */
  tell(request, end) {
    request.end = end;
    request.play(this.#playedOf(request));
  }

  // A session from one socket, or page, to the next.

  /** What to ask a server for, to go on with the session. @returns {import('./protocol.js').Resume | undefined} */
  resume() {
    if (this.session === null) return undefined;
    const { next, preRoll } = this.#joint();
    this.#next = next;
    return { session: this.session, next, pre_roll: preRoll || undefined, cancel: this.#unanswered(), ...this.#playhead };
  }

  /**
   * Return what another page needs to go on where this one is; null when nothing is unheard, or no server knows of it.
   * @returns {SavedSession | null}
   */
  save() {
    const unheard = this.requests.filter((request) => request.unheard);
    const [first] = unheard;
    if (this.session === null || first === undefined) return null;
    const played = this.#playedOf(first);
    return {
      session: this.session,
      playing: first.id,
      played,
      ...(first.rejoin(played) ?? this.#joint()),
      cancel: this.#unanswered(),
      lines: unheard.map(({ id, sent, script }) => ({ utterance: id, sent, script: script.save() })),
    };
  }

  /** @param {SavedSession} saved */
  restore({ session, next, preRoll, playing, played, cancel, lines }) {
    this.session = session;
    this.#next = next;
    this.#rejoin = { next, preRoll };
    this.#playhead = { playing, played };
    for (const line of lines) {
      const request = Request.restore(line, line.utterance === playing ? played : 0);
      // Whoever was still writing it is gone with the other page.
      if (!request.script.ended) request.script.end();
      this.#requests.set(line.utterance, request);
    }
    for (const id of cancel) {
      const request = this.open(id);
      request.sent = request.cancelled = true;
    }
  }

  /**
   * Leave the session, and everything in it.
   * @param {(request: Request) => boolean} which of them are in it
   * @returns {Request[]} those that have no end
   */
  leave(which) {
    const left = this.requests.filter((request) => !request.gone && which(request));
    for (const request of left) request.gone = true;
    this.session = null;
    this.#ordinals.clear();
    this.#next = 0;
    this.#rejoin = null;
    this.#playhead = {};
    return left.filter(({ end }) => end === null);
  }

  // What the server says. Each returns what is new of it, or null.

  /**
   * @param {Started} started
   * @param {Request} request
   * @returns {Started | null} null when it was told before
   */
  bookStart(started, request) {
    const again = request.ordinal === started.ordinal;
    request.ordinal = started.ordinal;
    request.preSkip = started.pre_skip;
    this.#ordinals.set(started.ordinal, started.utterance);
    return again ? null : started;
  }

  /**
   * @param {Segment} segment
   * @param {Request} request
   * @returns {Segment | null} with offsets in UTF-16 units; null when nobody wants it
   */
  bookSegment(segment, request) {
    return request.cancelled ? null : request.script.convert(segment);
  }

  /**
   * Each utterance has one end, however often it is told; only `cancelled` may follow `done`.
   * @template {Done | Cancelled | WireError} E
   * @param {E} end
   * @param {Request} request
   * @returns {E | null} null also for a `done` whose audio is still to come
   */
  bookEnd(end, request) {
    if (end.type !== 'done') request.answered = true;
    if (request.end !== null && !(request.end === 'done' && end.type === 'cancelled')) return null;
    if (end.type !== 'done') return end;
    request.done = end;
    return request.complete || request.cancelled ? end : null;
  }

  /**
   * @param {Audio} audio
   * @returns {Audio | null} the packets that have not come before, with their utterance; null when nobody wants them
   */
  bookAudio(audio) {
    const fresh = from(this.#next, audio);
    if (fresh === null) return null;
    this.#next = fresh.sequence + fresh.packets.length;
    if ((fresh.flags & AudioFlag.PRE_ROLL) === 0) this.#rejoin = null;
    const request = this.get(this.#ordinals.get(audio.ordinal));
    if (request === undefined || request.cancelled || request.gone) return null;
    request.receive(fresh);
    return { ...fresh, utterance: request.id, preSkip: request.preSkip };
  }

  #forgetOldest() {
    const oldest = this.requests.find(({ end }) => end !== null);
    if (oldest === undefined) return;
    this.#requests.delete(oldest.id);
    if (oldest.ordinal !== null && this.#ordinals.get(oldest.ordinal) === oldest.id) {
      this.#ordinals.delete(oldest.ordinal);
    }
  }

  /** @param {Request} request */
  #playedOf(request) {
    return this.isPlaying(request.id) ? (this.#playhead.played ?? 0) : 0;
  }

  /** Where sound goes on. @returns {Rejoin} */
  #joint() {
    const { next, preRoll } = this.#rejoin ?? { next: this.#next, preRoll: 0 };
    // Behind a cancelled utterance comes another one, which begins with a decoder of its own.
    return { next, preRoll: this.get(this.#playhead.playing)?.unheard ? preRoll : 0 };
  }

  /** Ids that the server has to be asked to cancel. */
  #unanswered() {
    return this.requests.filter((request) => request.unanswered).map(({ id }) => id);
  }
}

/**
 * Return an audio message without the packets before `sequence`; null when none is left.
 * @param {number} sequence
 * @param {Audio} audio
 * @returns {Audio | null}
 */
function from(sequence, audio) {
  const known = sequence - audio.sequence;
  if (known <= 0) return audio;
  if (known >= audio.packets.length) return null;
  return {
    ...audio,
    flags: audio.flags & ~AudioFlag.FIRST,
    sequence,
    timestamp: audio.timestamp + known * PACKET_SAMPLES,
    packets: audio.packets.slice(known),
  };
}
