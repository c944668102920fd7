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
 * Bounded: `MOST_WAITING` utterances wait for a server, more are refused with `connection-lost`; see also `Ledger`.
 */

import { reasonOf } from './away.js';
import { Dialer } from './dialer.js';
import { Ledger } from './ledger.js';
import { CloseCode, parse, ProtocolError } from './protocol.js';

/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./protocol.js').VoiceSettings} VoiceSettings */
/** @typedef {import('./away.js').AwayReason} AwayReason */
/** @typedef {import('./dialer.js').Socket} Socket */
/** @typedef {import('./dialer.js').Clock} Clock */
/** @typedef {import('./request.js').Request} Request */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */

/**
 * `waiting` says in how many seconds the next try comes; `closed` that there will be none. `resuming`: there is a
 * session to go on with.
 * @typedef {{state: 'connecting', resuming: boolean} | {state: 'open'}
 *   | {state: 'waiting', reason: AwayReason, retrySeconds: number, resuming: boolean}
 *   | {state: 'closed', reason: AwayReason | null}} ClientState
 */

const MOST_WAITING = 32;

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
  #ledger = new Ledger();
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
      onDial: () => this.#become({ state: 'connecting', resuming: this.session !== null }),
      onOpen: () => this.#greet(),
      onData: (data) => this.#hear(data),
      onLost: (code, detail) => this.#lose(code, detail),
    });
    // Ids are never used twice in a session, also when a session is taken over from another page.
    this.#tag = Math.floor(clock.random() * 2 ** 32).toString(36);
    if (saved !== null) this.#ledger.restore(saved);
    this.#begin();
  }

  /** How the connection stands. */
  get state() {
    return this.#state;
  }

  /** Token of the session; null before there is one, and when it is over. */
  get session() {
    return this.#ledger.session;
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
    const request = this.#ledger.get(utterance) ?? this.#open(utterance);
    if (request.takesText(text)) this.#say(request, request.script.append(text, settings));
    else if (request.unended && !request.script.ended) this.#refuse(request);
    else if (request.live && !request.gone) this.#dialer.send({ type: 'text', utterance, text, ...settings });
  }

  /** No more text. @param {string} utterance */
  end(utterance) {
    const request = this.#ledger.get(utterance);
    if (request?.unended) this.#say(request, request.script.end());
  }

  /** Speak now what the server holds back for the rest of its sentence. @param {string} utterance */
  flush(utterance) {
    const request = this.#ledger.get(utterance);
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
    const stopped = this.#ledger.requests.filter(
      (one) => one.unheard && (utterance === undefined || one.id === utterance),
    );
    const heard = utterance ?? playing;
    if (heard !== undefined && (heard === playing || this.#ledger.isPlaying(heard))) this.#ledger.stop(heard, played);
    for (const request of stopped) request.cancelled = true;
    const first = stopped.find(({ sent }) => sent);
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
    const request = this.#ledger.get(utterance);
    if (request === undefined || request.gone) return;
    this.#ledger.play(request, played);
    if (this.#state.state === 'open') this.#dialer.send({ type: 'progress', utterance, played, underruns });
  }

  /**
   * Return what another page needs to go on where this one is, as `progress` told it last; null when nothing is
   * unheard, or no server knows of it.
   */
  save() {
    return this.#ledger.save();
  }

  /** Try now instead of when the waiting is over; nothing unless waiting. */
  reconnect() {
    if (this.#state.state === 'waiting') this.#dialer.dial();
  }

  /** Begin a fresh session; nothing unless closed. */
  restart() {
    if (this.#state.state === 'closed') this.#begin();
  }

  /** End the session. */
  close() {
    this.#dialer.hangUp(CloseCode.NORMAL);
    this.#stay(null);
  }

  // What is asked for.

  /**
   * @param {string} id
   * @returns {Request}
   */
  #open(id) {
    const waiting = this.#ledger.requests.filter((one) => one.unended && !one.live);
    const request = this.#ledger.open(id);
    // Somebody wants to speak: that is a better moment to try than any other.
    this.reconnect();
    if (this.#state.state === 'closed' || waiting.length >= MOST_WAITING) this.#fail(request);
    else if (this.#accepting) request.sent = request.live = true;
    return request;
  }

  /** More text than is kept. @param {Request} request */
  #refuse(request) {
    this.cancel(request.id);
    if (request.end !== null) return;
    const message = 'This text is longer than can be kept.';
    this.#tellError(request, { code: 'text-too-long', message, retryable: false });
  }

  /**
   * Say what is new of an utterance; it is kept for a server that cannot hear it now.
   * @param {Request} request
   * @param {ClientMessage[]} messages
   */
  #say(request, messages) {
    if (request.live) for (const message of messages) this.#dialer.send(message);
  }

  /**
   * @param {Request} request
   * @param {number} [received] code points of it that the server has
   * @param {boolean} [ended] it has the end
   */
  #sayAgain(request, received = 0, ended = false) {
    request.sent = request.live = true;
    this.#say(request, request.script.again(received, ended));
  }

  /** Say all that was not said yet, and from now on everything at once. */
  #accept() {
    this.#accepting = true;
    for (const request of this.#ledger.requests) if (!request.live && request.unended) this.#sayAgain(request);
  }

  /**
   * What is heard may be of a session that is over: of this one nothing is heard then.
   * @param {Request} first that is cancelled
   * @param {number} [played]
   * @param {string} [playing]
   */
  #cutAt(first, played, playing) {
    if (playing === undefined) return { played };
    return this.#ledger.get(playing)?.gone ? { played: 0, playing: first.id } : { played, playing };
  }

  // The connection.

  #begin() {
    globalThis.addEventListener?.('online', this.#onOnline);
    this.#dialer.dial();
  }

  #greet() {
    this.#resuming = this.session !== null;
    this.#dialer.send({ type: 'start', ...this.#settings, resume: this.#ledger.resume() });
    // What no server has heard of goes to whichever session this becomes, unless something has to go before it.
    if (!this.#ledger.requests.some((request) => request.uncertain)) this.#accept();
  }

  /** @param {import('./protocol.js').Ready} ready */
  #welcome({ session, resumed, utterances }) {
    this.#dialer.welcome();
    this.#stopKeeping();
    const refused = this.#resuming && !resumed;
    // Before anybody is told: whoever hears of an end may speak again.
    const lost = refused ? this.#ledger.leave((request) => request.sent && !request.live) : [];
    this.#ledger.session = session;
    this.#become({ state: 'open' });
    for (const request of lost) this.#fail(request);
    if (refused) this.#accept();
    else if (this.#resuming) this.#catchUp(utterances ?? []);
  }

  /** @param {import('./protocol.js').Unheard[]} utterances */
  #catchUp(utterances) {
    for (const { utterance, received, ended } of utterances) {
      const request = this.#ledger.get(utterance);
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
    for (const request of this.#ledger.requests) {
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
    const reason = reasonOf(code);
    if (reason === 'taken') {
      this.#stay(reason);
      return;
    }
    this.#disconnect();
    // What was refused would be refused again.
    if (reason === 'refused') this.#ledger.session = null;
    const resuming = this.session !== null;
    const retrySeconds = this.#dialer.redial(detail);
    this.#become({ state: 'waiting', reason, retrySeconds, resuming });
    if (!resuming) this.#forget();
    else if (this.#keepTimer === 0) this.#keepTimer = this.#clock.setTimeout(() => this.#giveUp(), KEEP_MS);
  }

  /** There will be no other try. @param {AwayReason | null} reason */
  #stay(reason) {
    globalThis.removeEventListener?.('online', this.#onOnline);
    this.#disconnect();
    this.#become({ state: 'closed', reason });
    this.#forget();
  }

  #disconnect() {
    for (const request of this.#ledger.requests) request.live = false;
    this.#accepting = this.#catchingUp = this.#resuming = false;
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
    this.#stopKeeping();
    for (const request of this.#ledger.leave(() => true)) this.#fail(request);
  }

  #stopKeeping() {
    this.#clock.clearTimeout(this.#keepTimer);
    this.#keepTimer = 0;
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
    const request = 'utterance' in message ? this.#ledger.get(message.utterance) : undefined;
    if (request !== undefined && isEnd(message)) this.#ledger.tell(request, message.type);
    this.#onMessage(message);
    // It may have come before the last packet that it counts.
    if (message.type === 'audio' && request?.end === null && request.complete && request.done) this.#tell(request.done);
  }

  /**
   * Act on a message, and complete it from what is known.
   * @param {ServerMessage} message
   * @returns {ServerMessage | null} null when nobody wants it
   */
  #prepare(message) {
    if (message.type === 'audio') return this.#ledger.bookAudio(message);
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
    const request = this.#ledger.get(message.utterance);
    return request === undefined ? message : this.#book(message, request);
  }

  /**
   * @param {Exclude<ServerMessage, {type: 'audio' | 'pong' | 'ready'}>} message
   * @param {Request} request
   * @returns {ServerMessage | null}
   */
  #book(message, request) {
    if (request.gone) return null;
    if (message.type === 'started') return this.#ledger.bookStart(message, request);
    if (message.type === 'segment') return this.#ledger.bookSegment(message, request);
    if (message.type === 'warning') return this.#bookWarning(message, request);
    const end = this.#ledger.bookEnd(message, request);
    if (end?.type !== 'error' || !this.#catchingUp) return end;
    this.#errors.push(end);
    return null;
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

  // Ends of our own.

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
