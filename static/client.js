// @ts-check
/**
 * One client's session with the server, which outlives its socket, and the utterances in it.
 *
 * Knows no audio device and no page. Every utterance it opened gets exactly one end told to `onMessage`: the
 * server's `done`, `cancelled` or `error`, or one of its own when no server can tell it any more: an `error` with code
 * `connection-lost`, or `cancelled`; only `cancelled` may follow a `done`. Audio comes without gap or repetition, and
 * `done` after all of it, however often the connection was lost. Main thread; `WebSocket`, timers and clock can be
 * passed in.
 *
 * Bounded: `MOST_WAITING` utterances wait for a server, more are refused with `connection-lost`; `MOST_UTTERANCES` are
 * remembered, the oldest ended ones go first; for their texts see `Script`.
 */

import { reasonOf } from './away.js';
import { Dialer } from './dialer.js';
import { AudioFlag, CloseCode, PACKET_SAMPLES, parse, ProtocolError } from './protocol.js';
import { Request } from './request.js';

/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./protocol.js').VoiceSettings} VoiceSettings */
/** @typedef {import('./protocol.js').Audio} Audio */
/** @typedef {import('./away.js').AwayReason} AwayReason */
/** @typedef {import('./dialer.js').Socket} Socket */
/** @typedef {import('./dialer.js').Clock} Clock */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */

/**
 * `waiting` says in how many seconds the next try comes; `closed` that there will be none. `resuming`: there is a
 * session to go on with.
 * @typedef {{state: 'connecting', resuming: boolean} | {state: 'open'}
 *   | {state: 'waiting', reason: AwayReason, retrySeconds: number, resuming: boolean}
 *   | {state: 'closed', reason: AwayReason | null}} ClientState
 */

const MOST_WAITING = 32;
const MOST_UTTERANCES = 256;

/** No server is expected to keep a session for longer than this without a connection. */
const KEEP_MS = 120_000;

/** @type {Clock} */
const BROWSER_CLOCK = {
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => performance.now(),
  random: () => Math.random(),
};

/** A session. Connects at once and comes back by itself until `close`. */
export class SpeechClient {
  /** @type {ClientState} */
  #state = { state: 'closed', reason: null };
  /** In the order they were opened, which is the order they are spoken in. @type {Map<string, Request>} */
  #requests = new Map();
  /** Whose audio an ordinal announces. @type {Map<number, string>} */
  #ordinals = new Map();
  /** Token of the session, once there is one. @type {string | null} */
  #session = null;
  /** Sequence number of the next packet. */
  #next = 0;
  /** What a new decoder has to see first, until it has. @type {import('./session-store.js').Rejoin | null} */
  #rejoin = null;
  /** @type {{playing?: string, played?: number}} */
  #playhead = {};
  /** The present socket was asked to go on with the session. */
  #resuming = false;
  /** What is opened now can be said at once: nothing has to be said before it. */
  #accepting = false;
  /** The server tells again what it had told; what it cannot know has to wait. */
  #catchingUp = false;
  /** Told again perhaps before the audio that came before them. @type {import('./protocol.js').WireError[]} */
  #errors = [];
  #keepTimer = 0;
  #nextId = 1;
  #onMessage;
  #onState;
  #settings;
  #clock;
  #dialer;
  #tag;
  #onOnline = () => this.reconnect();

  /**
   * @param {object} options
   * @param {string} options.url of the stream, `ws:` or `wss:`
   * @param {(message: ServerMessage) => void} options.onMessage every message but `pong`; audio carries
   *   `utterance` and `preSkip`, and offsets in segments are UTF-16 units of the utterance's text
   * @param {(state: ClientState) => void} [options.onState]
   * @param {import('./protocol.js').StartSettings} [options.settings] of the session
   * @param {SavedSession | null} [options.saved] to go on with, from another page; its sound goes on at its playhead
   * @param {(url: string) => Socket} [options.makeSocket]
   * @param {Clock} [options.clock]
   */
  constructor({
    url, onMessage, onState = () => {}, settings = {}, saved = null,
    makeSocket = (address) => new WebSocket(address), clock = BROWSER_CLOCK,
  }) {
    this.#onMessage = onMessage;
    this.#onState = onState;
    this.#settings = settings;
    this.#clock = clock;
    this.#dialer = new Dialer(url, makeSocket, clock, {
      onDial: () => this.#become({ state: 'connecting', resuming: this.#session !== null }),
      onOpen: () => this.#greet(),
      onData: (data) => this.#hear(data),
      onLost: (code, detail) => this.#lose(code, detail),
    });
    // Ids are never used twice in a session, also when a session is taken over from another page.
    this.#tag = Math.floor(clock.random() * 2 ** 32).toString(36);
    if (saved !== null) this.#restore(saved);
    globalThis.addEventListener?.('online', this.#onOnline);
    this.#dialer.dial();
  }

  /** How the connection stands. */
  get state() {
    return this.#state;
  }

  /** Token of the session; null before there is one, and when it is over. */
  get session() {
    return this.#session;
  }

  /**
   * Speak a whole text.
   * @param {string} text
   * @param {VoiceSettings & {utterance?: string}} [options]
   * @returns {string} the utterance's id
   */
  speak(text, { utterance = this.newId(), ...settings } = {}) {
    this.text(utterance, text, settings);
    this.end(utterance);
    return utterance;
  }

  /** Return an id that no utterance has had. */
  newId() {
    const id = `${this.#tag}-${this.#nextId}`;
    this.#nextId += 1;
    return id;
  }

  /**
   * Append text to an utterance; the first one opens it. Settings hold from the next segment. For one that is over
   * it is left to the server to say so.
   * @param {string} utterance
   * @param {string} text may be cut anywhere
   * @param {VoiceSettings} [settings]
   */
  text(utterance, text, settings = {}) {
    const known = this.#requests.get(utterance);
    if (known !== undefined && (!known.unended || known.script.ended)) {
      if (known.live && !known.gone) this.#dialer.send({ type: 'text', utterance, text, ...settings });
      return;
    }
    const request = known ?? this.#open(utterance);
    if (!request.unended) return;
    if (!request.script.hasRoom(text)) this.#refuse(request);
    else this.#say(request, request.script.append(text, settings), known === undefined);
  }

  /** No more text. @param {string} utterance */
  end(utterance) {
    const request = this.#requests.get(utterance);
    if (request?.unended) this.#say(request, request.script.end());
  }

  /** Speak now what the server holds back for the rest of its sentence. @param {string} utterance */
  flush(utterance) {
    const request = this.#requests.get(utterance);
    if (request?.unended) this.#say(request, request.script.flush());
  }

  /**
   * Stop an utterance, or everything not fully heard. Its audio is no longer handed on from this moment; the server
   * is told as soon as it can be.
   * @param {string} [utterance]
   * @param {number} [played] content samples heard of it, or else of the one in `playing`
   * @param {string} [playing] the utterance being heard, when everything is stopped
   */
  cancel(utterance, played, playing) {
    const stopped = [...this.#requests.values()].filter(
      (one) => one.unheard && (utterance === undefined || one.id === utterance),
    );
    const heard = utterance ?? playing;
    if (heard !== undefined && (heard === playing || heard === this.#playhead.playing)) {
      this.#playhead = { playing: heard, played: played ?? this.#playhead.played };
    }
    for (const request of stopped) request.cancelled = true;
    const [first] = stopped.filter(({ sent }) => sent);
    if (first !== undefined) this.#dialer.send({ type: 'cancel', utterance, ...this.#cutAt(first, played, playing) });
    for (const request of stopped) if (!request.sent) this.#tellCancelled(request);
  }

  /**
   * Tell how far playback is: all earlier utterances are heard, this one up to `played`. Remembered for a server that
   * cannot be told now.
   * @param {string} utterance
   * @param {number} played content samples
   * @param {number} [underruns] how often the player ran dry since it was last told
   */
  progress(utterance, played, underruns) {
    const request = this.#requests.get(utterance);
    if (request === undefined || request.gone) return;
    this.#playhead = { playing: utterance, played };
    for (const earlier of this.#requests.values()) {
      if (earlier === request) break;
      if (earlier.end !== null && !earlier.heard) earlier.finish();
    }
    request.play(played);
    if (this.#state.state === 'open') this.#dialer.send({ type: 'progress', utterance, played, underruns });
  }

  /**
   * Return what another page needs to go on where this one is, as `progress` told it last; null when nothing is
   * unheard, or no server knows of it.
   * @returns {SavedSession | null}
   */
  save() {
    const unheard = [...this.#requests.values()].filter((request) => request.unheard);
    const [first] = unheard;
    if (this.#session === null || first === undefined) return null;
    const played = first.id === this.#playhead.playing ? (this.#playhead.played ?? 0) : 0;
    return {
      session: this.#session,
      playing: first.id,
      played,
      ...(first.rejoin(played) ?? this.#joint()),
      cancel: this.#unanswered(),
      lines: unheard.map(({ id, sent, script }) => ({ utterance: id, sent, script: script.save() })),
    };
  }

  /** Try now instead of when the waiting is over; nothing unless waiting. */
  reconnect() {
    if (this.#state.state === 'waiting') this.#dialer.dial();
  }

  /** Begin a fresh session; nothing unless closed. */
  restart() {
    if (this.#state.state !== 'closed') return;
    globalThis.addEventListener?.('online', this.#onOnline);
    this.#dialer.dial();
  }

  /** End the session. */
  close() {
    globalThis.removeEventListener?.('online', this.#onOnline);
    this.#dialer.hangUp(CloseCode.NORMAL);
    this.#disconnect();
    this.#become({ state: 'closed', reason: null });
    this.#forget();
  }

  /**
   * What is heard may be of a session that is over: of this one nothing is heard then.
   * @param {Request} first that is cancelled
   * @param {number} [played]
   * @param {string} [playing]
   */
  #cutAt(first, played, playing) {
    if (playing === undefined) return { played };
    return this.#requests.get(playing)?.gone ? { played: 0, playing: first.id } : { played, playing };
  }

  // What is asked for.

  /**
   * @param {string} id
   * @returns {Request}
   */
  #open(id) {
    const request = new Request(id);
    const waiting = [...this.#requests.values()].filter((one) => one.unended && !one.live);
    this.#requests.set(id, request);
    this.#forgetOldest();
    // Somebody wants to speak: that is a better moment to try than any other.
    this.reconnect();
    if (this.#state.state === 'closed' || waiting.length >= MOST_WAITING) this.#fail(request);
    return request;
  }

  /** More text than is kept. @param {Request} request */
  #refuse(request) {
    this.cancel(request.id);
    if (request.end === null) {
      const message = 'This text is longer than can be kept.';
      this.#tellError(request, { code: 'text-too-long', message, retryable: false });
    }
  }

  /**
   * Say what is new of an utterance, or keep it until there is somebody to hear it.
   * @param {Request} request
   * @param {ClientMessage[]} messages
   * @param {boolean} [opening] the first of it
   */
  #say(request, messages, opening = false) {
    if (opening && this.#accepting && request.unended) request.sent = request.live = true;
    if (request.live) for (const message of messages) this.#dialer.send(message);
  }

  /**
   * @param {Request} request
   * @param {number} [received] code points of it that the server has
   * @param {boolean} [ended] it has the end
   */
  #sayAgain(request, received = 0, ended = false) {
    request.sent = request.live = true;
    for (const message of request.script.again(received, ended)) this.#dialer.send(message);
  }

  /** Say all that was not said yet, and from now on everything at once. */
  #accept() {
    this.#accepting = true;
    for (const request of [...this.#requests.values()]) {
      if (!request.live && request.unended) this.#sayAgain(request);
    }
  }

  #forgetOldest() {
    if (this.#requests.size <= MOST_UTTERANCES) return;
    for (const [id, { end, ordinal }] of this.#requests) {
      if (end === null) continue;
      this.#requests.delete(id);
      if (ordinal !== null && this.#ordinals.get(ordinal) === id) this.#ordinals.delete(ordinal);
      return;
    }
  }

  // The connection.

  #greet() {
    this.#resuming = this.#session !== null;
    this.#dialer.send({ type: 'start', ...this.#settings, resume: this.#resume() });
    // What no server has heard of goes to whichever session this becomes, unless something has to go before it.
    if (![...this.#requests.values()].some((request) => request.uncertain)) this.#accept();
  }

  /** @returns {import('./protocol.js').Resume | undefined} */
  #resume() {
    if (this.#session === null) return undefined;
    const { next, preRoll } = this.#joint();
    this.#next = next;
    return { session: this.#session, next, pre_roll: preRoll || undefined, cancel: this.#unanswered(), ...this.#playhead };
  }

  /** Where sound goes on. @returns {import('./session-store.js').Rejoin} */
  #joint() {
    const { next, preRoll } = this.#rejoin ?? { next: this.#next, preRoll: 0 };
    // Behind a cancelled utterance comes another one, which begins with a decoder of its own.
    const wanted = this.#requests.get(this.#playhead.playing ?? '')?.unheard;
    return { next, preRoll: wanted ? preRoll : 0 };
  }

  /** Ids that the server has to be asked to cancel. */
  #unanswered() {
    return [...this.#requests.values()].filter((request) => request.unanswered).map(({ id }) => id);
  }

  /** @param {import('./protocol.js').Ready} ready */
  #welcome({ session, resumed, utterances }) {
    this.#dialer.welcome();
    this.#clock.clearTimeout(this.#keepTimer);
    this.#keepTimer = 0;
    const refused = this.#resuming && !resumed;
    // Before anybody is told: whoever hears of an end may speak again.
    const lost = refused ? this.#outdate((request) => request.sent && !request.live) : [];
    this.#session = session;
    this.#become({ state: 'open' });
    this.#failAll(lost);
    if (refused) this.#accept();
    else if (this.#resuming) this.#catchUp(utterances ?? []);
  }

  /** @param {import('./protocol.js').Unheard[]} utterances */
  #catchUp(utterances) {
    for (const { utterance, received, ended } of utterances) {
      const request = this.#requests.get(utterance);
      // Nobody would hear it, and what comes after it would wait.
      if (request === undefined || request.gone) this.#dialer.send({ type: 'cancel', utterance, played: 0 });
      else if (request.uncertain) this.#sayAgain(request, received, ended);
    }
    // The answer comes behind all that is told again: what has no end then never arrived.
    this.#catchingUp = true;
    this.#dialer.send({ type: 'ping' });
  }

  #caughtUp() {
    this.#catchingUp = false;
    for (const error of this.#errors.splice(0)) this.#tell(error);
    for (const request of [...this.#requests.values()]) {
      if (request.unanswered && !request.live) this.#settleCancel(request);
      else if (request.unended && request.done !== null && !request.complete) this.#fail(request);
    }
    this.#accept();
  }

  /**
   * The connection is gone, or given up: say so and come back, unless the server told us not to.
   * @param {number} code of the close; 0 when there was none
   * @param {string} detail
   */
  #lose(code, detail) {
    this.#disconnect();
    const reason = reasonOf(code);
    if (reason === 'taken') {
      globalThis.removeEventListener?.('online', this.#onOnline);
      this.#become({ state: 'closed', reason });
      this.#forget();
      return;
    }
    // What was refused would be refused again.
    if (reason === 'refused') this.#session = null;
    const resuming = this.#session !== null;
    const retrySeconds = this.#dialer.redial(detail);
    this.#become({ state: 'waiting', reason, retrySeconds, resuming });
    if (!resuming) this.#forget();
    else if (this.#keepTimer === 0) this.#keepTimer = this.#clock.setTimeout(() => this.#giveUp(), KEEP_MS);
  }

  #disconnect() {
    for (const request of this.#requests.values()) request.live = false;
    this.#accepting = false;
    this.#catchingUp = false;
    this.#resuming = false;
    this.#errors = [];
  }

  /** No server comes back: it would have forgotten the session by now. */
  #giveUp() {
    this.#forget();
    const { state } = this;
    if (state.state === 'connecting' || state.state === 'waiting') this.#become({ ...state, resuming: false });
  }

  /** Without the session its utterances cannot go on. */
  #forget() {
    this.#failAll(this.#outdate(() => true));
  }

  /**
   * Leave the session, and everything in it.
   * @param {(request: Request) => boolean} which
   * @returns {Request[]} those that have no end
   */
  #outdate(which) {
    const outdated = [...this.#requests.values()].filter((request) => !request.gone && which(request));
    for (const request of outdated) request.gone = true;
    this.#clock.clearTimeout(this.#keepTimer);
    this.#keepTimer = 0;
    this.#session = null;
    this.#ordinals.clear();
    this.#next = 0;
    this.#rejoin = null;
    this.#playhead = {};
    return outdated.filter(({ end }) => end === null);
  }

  /** @param {SavedSession} saved */
  #restore({ session, next, preRoll, playing, played, cancel, lines }) {
    this.#session = session;
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
      const request = new Request(id);
      request.sent = request.cancelled = true;
      this.#requests.set(id, request);
    }
  }

  // What the server says.

  /** @param {string | ArrayBuffer} data */
  #hear(data) {
    let message;
    try {
      message = parse(data);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // One unreadable message says nothing of the next; the server's next word about it is its end.
      console.error('The server sent what is not version 1 of the protocol.', error);
      return;
    }
    const wanted = message && this.#prepare(message);
    if (wanted) this.#tell(wanted);
  }

  /** @param {ServerMessage} message */
  #tell(message) {
    const request = 'utterance' in message ? this.#requests.get(message.utterance ?? '') : undefined;
    if (request !== undefined && isEnd(message)) this.#bookTold(request, message.type);
    this.#onMessage(message);
    // It may have come before the last packet that it counts.
    if (message.type === 'audio' && request?.end === null && request.complete && request.done) this.#tell(request.done);
  }

  /**
   * @param {Request} request
   * @param {'done' | 'cancelled' | 'error'} end
   */
  #bookTold(request, end) {
    request.end = end;
    const { playing, played = 0 } = this.#playhead;
    request.play(playing === request.id ? played : 0);
  }

  /**
   * Book what a message says of its utterance, and complete it from what is known.
   * @param {ServerMessage} message
   * @returns {ServerMessage | null} null when nobody wants it
   */
  #prepare(message) {
    if (message.type === 'audio') return this.#receive(message);
    if (message.type === 'pong') {
      if (this.#catchingUp) this.#caughtUp();
      return null;
    }
    if (message.type === 'ready') {
      this.#welcome(message);
      return message;
    }
    // The fresh session's `ready` follows, and with it an end of everything that is lost.
    if (message.type === 'error' && message.code === 'resume-refused') return null;
    const request = message.utterance === undefined ? undefined : this.#requests.get(message.utterance);
    return request === undefined ? message : this.#book(message, request);
  }

  /**
   * @param {Exclude<ServerMessage, {type: 'audio' | 'pong' | 'ready'}>} message
   * @param {Request} request
   * @returns {ServerMessage | null}
   */
  #book(message, request) {
    if (request.gone) return null;
    if (message.type === 'started') return this.#begin(message, request);
    if (message.type === 'segment') return request.cancelled ? null : request.script.convert(message);
    if (message.type === 'warning') return this.#bookWarning(message, request);
    return this.#bookEnd(message, request);
  }

  /**
   * @param {import('./protocol.js').Started} started
   * @param {Request} request
   * @returns {ServerMessage | null} null when it was told before
   */
  #begin(started, request) {
    const again = request.ordinal === started.ordinal;
    request.ordinal = started.ordinal;
    request.preSkip = started.pre_skip;
    this.#ordinals.set(started.ordinal, started.utterance);
    return again ? null : started;
  }

  /**
   * @param {import('./protocol.js').Warning} warning
   * @param {Request} request
   * @returns {ServerMessage}
   */
  #bookWarning(warning, request) {
    // It ended longer ago than a server tells again.
    if (warning.code === 'utterance-ended' && request.unended) this.#fail(request);
    if (warning.code === 'unknown-utterance' && request.unanswered) this.#settleCancel(request);
    return warning;
  }

  /**
   * Each utterance has one end, however often it is told; only `cancelled` may follow `done`.
   * @param {import('./protocol.js').Done | import('./protocol.js').Cancelled | import('./protocol.js').WireError} end
   * @param {Request} request
   * @returns {ServerMessage | null}
   */
  #bookEnd(end, request) {
    if (end.type !== 'done') request.answered = true;
    if (request.end !== null && !(request.end === 'done' && end.type === 'cancelled')) return null;
    if (end.type === 'done') {
      request.done = end;
      return request.complete || request.cancelled ? end : null;
    }
    if (end.type === 'cancelled' || !this.#catchingUp) return end;
    this.#errors.push(end);
    return null;
  }

  /**
   * @param {Audio} audio
   * @returns {Audio | null}
   */
  #receive(audio) {
    const fresh = from(this.#next, audio);
    if (fresh === null) return null;
    this.#next = fresh.sequence + fresh.packets.length;
    if ((fresh.flags & AudioFlag.PRE_ROLL) === 0) this.#rejoin = null;
    const request = this.#requests.get(this.#ordinals.get(audio.ordinal) ?? '');
    if (request === undefined || request.cancelled || request.gone) return null;
    request.receive(fresh);
    return { ...fresh, utterance: request.id, preSkip: request.preSkip };
  }

  // Ends of our own.

  /** @param {Request[]} requests */
  #failAll(requests) {
    for (const request of requests) this.#fail(request);
  }

  /** @param {Request} request */
  #fail(request) {
    const message = 'The connection to the server was lost.';
    this.#tellError(request, { code: 'connection-lost', message, retryable: true });
  }

  /**
   * @param {Request} request
   * @param {{code: string, message: string, retryable: boolean}} error
   */
  #tellError(request, error) {
    this.#tell({ type: 'error', ...error, utterance: request.id });
  }

  /** The server knows nothing of it that could be cancelled. @param {Request} request */
  #settleCancel(request) {
    request.answered = true;
    if (request.end === null) this.#tellCancelled(request);
  }

  /** No server has heard of it. @param {Request} request */
  #tellCancelled({ id, script }) {
    this.#tell({ type: 'cancelled', utterance: id, text_spoken: '', text_remaining: script.text });
  }

  /** @param {ClientState} state */
  #become(state) {
    this.#state = state;
    this.#onState(state);
  }
}

/**
 * @param {ServerMessage} message
 * @returns {message is import('./protocol.js').Done | import('./protocol.js').Cancelled | import('./protocol.js').WireError}
 */
function isEnd(message) {
  return message.type === 'done' || message.type === 'cancelled' || message.type === 'error';
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
