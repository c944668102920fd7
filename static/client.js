// @ts-check
/**
 * One client's session with the server: the socket, its heartbeat, its return after a loss, and the utterances.
 *
 * Knows no audio device and no page. Every utterance it opened gets exactly one end told to `onMessage`: the
 * server's `done`, `cancelled` or `error`, or an `error` of its own, with code `connection-lost`, when the socket
 * went away first. Main thread; `WebSocket`, timers and clock can be passed in.
 */

import { reasonOf, retryAfterSeconds } from './away.js';
import { Heartbeat } from './heartbeat.js';
import { CloseCode, parse, ProtocolError, serialize, TextOffsets } from './protocol.js';

/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./protocol.js').VoiceSettings} VoiceSettings */
/** @typedef {import('./away.js').AwayReason} AwayReason */

/**
 * `waiting` says in how many seconds the next try comes; `closed` that there will be none.
 * @typedef {{state: 'connecting' | 'open'}
 *   | {state: 'waiting', reason: AwayReason, retrySeconds: number}
 *   | {state: 'closed', reason: AwayReason | null}} ClientState
 *
 * What the socket must be able to do; `WebSocket` can.
 * @typedef {Pick<WebSocket, 'send' | 'close' | 'binaryType' | 'onopen' | 'onmessage' | 'onclose'>} Socket
 *
 * @typedef {import('./heartbeat.js').Timers & {random: () => number}} Clock
 */

/** Seconds before the nth try after a loss, each 20 % more or less. */
const BACK_OFF = [0, 0.25, 0.5, 1, 2, 5];
const JITTER = 0.2;

/** A connection that lasted this long was a good one: the next loss starts the back-off anew. */
const STEADY_MS = 5_000;

/** A handshake that takes longer has met a black hole. */
const CONNECT_WITHIN_MS = 5_000;

/** Messages kept for a socket that is still connecting; more are refused with `connection-lost`. */
const MOST_PENDING = 64;

/** Utterances whose text and ordinal are kept; the oldest ended ones go first. */
const MOST_UTTERANCES = 256;

/** @type {Clock} */
const BROWSER_CLOCK = {
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => performance.now(),
  random: () => Math.random(),
};

/** What is kept of an utterance. */
class Spoken {
  offsets = new TextOffsets();
  /** @type {number | null} */
  ordinal = null;
  preSkip = 0;
  /** It has had its `done`, `cancelled` or `error`. */
  ended = false;
  /** We asked to cancel it: none of its audio is wanted any more. */
  cancelled = false;
}

/** A session. Connects at once and comes back by itself until `close`. */
export class SpeechClient {
  /** @type {Socket | null} */
  #socket = null;
  /** @type {ClientState} */
  #state = { state: 'connecting' };
  /** @type {Map<string, Spoken>} */
  #utterances = new Map();
  /** Whose audio an ordinal announces. @type {Map<number, string>} */
  #ordinals = new Map();
  /** @type {ClientMessage[]} */
  #pending = [];
  #opened = false;
  #tries = 0;
  #openedAt = 0;
  #retryTimer = 0;
  #connectTimer = 0;
  #nextId = 1;
  #url;
  #onMessage;
  #onState;
  #start;
  #clock;
  #heartbeat;
  #makeSocket;
  #tag;
  #onOnline = () => this.reconnect();

  /**
   * @param {object} options
   * @param {string} options.url of the stream, `ws:` or `wss:`
   * @param {(message: ServerMessage) => void} options.onMessage every message but `pong`; audio carries
   *   `utterance` and `preSkip`, and offsets in segments are UTF-16 units of the utterance's text
   * @param {(state: ClientState) => void} [options.onState]
   * @param {import('./protocol.js').StartSettings} [options.settings] of the session
   * @param {(url: string) => Socket} [options.makeSocket]
   * @param {Clock} [options.clock]
   */
  constructor({ url, onMessage, onState = () => {}, settings = {}, makeSocket, clock = BROWSER_CLOCK }) {
    this.#url = url;
    this.#onMessage = onMessage;
    this.#onState = onState;
    this.#start = settings;
    this.#clock = clock;
    this.#heartbeat = new Heartbeat(clock, {
      ask: () => this.#socket?.send(serialize({ type: 'ping' })),
      lost: () => this.#lose(0, ''),
    });
    this.#makeSocket = makeSocket ?? ((/** @type {string} */ address) => new WebSocket(address));
    // Ids are never used twice in a session, also when a session is taken over from another page.
    this.#tag = Math.floor(clock.random() * 2 ** 32).toString(36);
    globalThis.addEventListener?.('online', this.#onOnline);
    this.#connect();
  }

  /** How the connection stands. */
  get state() {
    return this.#state;
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
   * Append text to an utterance; the first one opens it. Settings hold from the next segment.
   * @param {string} utterance
   * @param {string} text may be cut anywhere
   * @param {VoiceSettings} [settings]
   */
  text(utterance, text, settings = {}) {
    let spoken = this.#utterances.get(utterance);
    if (!spoken) {
      spoken = new Spoken();
      this.#remember(utterance, spoken);
    }
    spoken.offsets.append(text);
    this.#send({ type: 'text', utterance, text, ...settings });
  }

  /** No more text. @param {string} utterance */
  end(utterance) {
    this.#send({ type: 'end', utterance });
  }

  /** Speak now what the server holds back for the rest of its sentence. @param {string} utterance */
  flush(utterance) {
    this.#send({ type: 'flush', utterance });
  }

  /**
   * Stop an utterance, or everything not fully heard. Its audio is no longer handed on from this moment.
   * @param {string} [utterance]
   * @param {number} [played] content samples heard of it, or else of the one in `playing`
   * @param {string} [playing] the utterance being heard, when everything is stopped
   */
  cancel(utterance, played, playing) {
    for (const [id, spoken] of this.#utterances) {
      if (utterance === undefined || id === utterance) spoken.cancelled = true;
    }
    this.#send({ type: 'cancel', utterance, played, playing });
  }

  /**
   * Tell how far playback is: all earlier utterances are heard, this one up to `played`.
   * @param {string} utterance
   * @param {number} played content samples
   * @param {number} [underruns] how often the player ran dry since it was last told
   */
  progress(utterance, played, underruns) {
    if (this.#state.state === 'open') this.#send({ type: 'progress', utterance, played, underruns });
  }

  /** Try now instead of when the waiting is over; nothing unless waiting. */
  reconnect() {
    if (this.#state.state === 'waiting') this.#connect();
  }

  /** End the session. */
  close() {
    globalThis.removeEventListener?.('online', this.#onOnline);
    this.#giveUp();
    this.#loseUtterances();
    this.#become({ state: 'closed', reason: null });
  }

  #connect() {
    this.#giveUp();
    this.#opened = false;
    this.#become({ state: 'connecting' });
    const socket = this.#makeSocket(this.#url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    // An old socket can still speak, or notice its end, long after it was given up.
    const current = () => socket === this.#socket;
    socket.onopen = () => current() && this.#greet();
    socket.onmessage = ({ data }) => current() && this.#hear(data);
    socket.onclose = ({ code, reason }) => current() && this.#lose(code, reason);
    this.#connectTimer = this.#clock.setTimeout(() => this.#lose(0, ''), CONNECT_WITHIN_MS);
  }

  #greet() {
    this.#opened = true;
    this.#clock.clearTimeout(this.#connectTimer);
    this.#socket?.send(serialize({ type: 'start', ...this.#start }));
    for (const message of this.#pending.splice(0)) this.#socket?.send(serialize(message));
    this.#heartbeat.start();
  }

  /** @param {string | ArrayBuffer} data */
  #hear(data) {
    this.#heartbeat.hear();
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
    if (wanted) this.#onMessage(wanted);
  }

  /**
   * Book what a message says of its utterance, and complete it from what is known.
   * @param {ServerMessage} message
   * @returns {ServerMessage | null} null when nobody wants it
   */
  #prepare(message) {
    if (message.type === 'audio') return this.#withUtterance(message);
    if (message.type === 'pong') return null;
    if (message.type === 'ready') {
      this.#openedAt = this.#clock.now();
      this.#become({ state: 'open' });
      return message;
    }
    const spoken = message.utterance === undefined ? undefined : this.#utterances.get(message.utterance);
    if (!spoken) return message;
    if (message.type === 'started') this.#begin(message, spoken);
    if (message.type === 'segment') return spoken.cancelled ? null : spoken.offsets.convert(message);
    if (message.type === 'done' || message.type === 'cancelled' || message.type === 'error') {
      spoken.ended = true;
    }
    return message;
  }

  /**
   * @param {import('./protocol.js').Started} started
   * @param {Spoken} spoken
   */
  #begin(started, spoken) {
    spoken.ordinal = started.ordinal;
    spoken.preSkip = started.pre_skip;
    this.#ordinals.set(started.ordinal, started.utterance);
  }

  /**
   * @param {import('./protocol.js').Audio} audio
   * @returns {import('./protocol.js').Audio | null}
   */
  #withUtterance(audio) {
    const utterance = this.#ordinals.get(audio.ordinal);
    const spoken = utterance === undefined ? undefined : this.#utterances.get(utterance);
    if (!spoken || spoken.cancelled) return null;
    return { ...audio, utterance, preSkip: spoken.preSkip };
  }

  /** @param {ClientMessage} message */
  #send(message) {
    if (this.#opened) {
      this.#socket?.send(serialize(message));
      return;
    }
    // Somebody wants to speak: that is a better moment to try than any other.
    if (message.type === 'text') this.reconnect();
    if (this.#state.state === 'connecting' && this.#pending.length < MOST_PENDING) this.#pending.push(message);
    else if (message.type === 'text') this.#fail(message.utterance);
  }

  /**
   * @param {string} id
   * @param {Spoken} spoken
   */
  #remember(id, spoken) {
    this.#utterances.set(id, spoken);
    if (this.#utterances.size <= MOST_UTTERANCES) return;
    for (const [old, { ended, ordinal }] of this.#utterances) {
      if (!ended) continue;
      this.#utterances.delete(old);
      if (ordinal !== null && this.#ordinals.get(ordinal) === old) this.#ordinals.delete(ordinal);
      return;
    }
  }

  /**
   * The connection is gone, or given up: say so and come back, unless the server told us not to.
   * @param {number} code of the close; 0 when there was none
   * @param {string} detail
   */
  #lose(code, detail) {
    if (this.#state.state === 'open' && this.#clock.now() - this.#openedAt >= STEADY_MS) this.#tries = 0;
    this.#giveUp();
    const reason = reasonOf(code);
    if (reason === 'taken') {
      this.#become({ state: 'closed', reason });
    } else {
      const retrySeconds = Math.max(this.#backOff(), retryAfterSeconds(detail));
      this.#retryTimer = this.#clock.setTimeout(() => this.#connect(), retrySeconds * 1000);
      this.#become({ state: 'waiting', reason, retrySeconds });
    }
    this.#loseUtterances();
  }

  #backOff() {
    const seconds = BACK_OFF[Math.min(this.#tries, BACK_OFF.length - 1)];
    this.#tries += 1;
    return seconds * (1 + JITTER * (2 * this.#clock.random() - 1));
  }

  /** Let go of the socket, whatever state it is in, and of all timers. */
  #giveUp() {
    const socket = this.#socket;
    this.#socket = null;
    this.#opened = false;
    this.#clock.clearTimeout(this.#retryTimer);
    this.#clock.clearTimeout(this.#connectTimer);
    this.#heartbeat.stop();
    socket?.close(CloseCode.NORMAL);
  }

  /** Without the session its utterances cannot go on. */
  #loseUtterances() {
    const lost = [...this.#utterances].filter(([, { ended }]) => !ended);
    this.#pending = [];
    this.#ordinals.clear();
    this.#utterances.clear();
    for (const [utterance] of lost) this.#fail(utterance);
  }

  /** @param {string} utterance */
  #fail(utterance) {
    this.#utterances.delete(utterance);
    this.#onMessage({
      type: 'error',
      code: 'connection-lost',
      message: 'The connection to the server was lost.',
      retryable: true,
      utterance,
    });
  }

  /** @param {ClientState} state */
  #become(state) {
    this.#state = state;
    this.#onState(state);
  }
}
