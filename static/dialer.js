// @ts-check
/**
 * A socket that comes back: dials, notices that the other side is gone, and dials again after a while.
 *
 * Knows no session and no message but `ping`. A socket that was given up is never heard again, whatever it still has
 * to say. Main thread; sockets, timers and clock are passed in.
 */

import { retryAfterSeconds } from './away.js';
import { Heartbeat } from './heartbeat.js';
import { serialize } from './protocol.js';

/**
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

/** One address, dialled as often as it takes. */
export class Dialer {
  /** @type {Socket | null} */
  #socket = null;
  #open = false;
  #tries = 0;
  /** When the other side welcomed us. @type {number | null} */
  #welcomedAt = null;
  #retryTimer = 0;
  #connectTimer = 0;
  #url;
  #makeSocket;
  #clock;
  #callbacks;
  #heartbeat;

  /**
   * @param {string} url
   * @param {(url: string) => Socket} makeSocket
   * @param {Clock} clock
   * @param {{onOpen: () => void, onData: (data: string | ArrayBuffer) => void, onDial: () => void,
   *   onLost: (code: number, detail: string) => void}} callbacks
   *   `onDial`: a try begins; `onLost`: the socket is gone, with the code of its close, 0 when there was none
   */
  constructor(url, makeSocket, clock, callbacks) {
    this.#url = url;
    this.#makeSocket = makeSocket;
    this.#clock = clock;
    this.#callbacks = callbacks;
    this.#heartbeat = new Heartbeat(clock, {
      ask: () => this.send({ type: 'ping' }),
      lost: () => this.#lose(0, ''),
    });
  }

  /** Whether what is sent goes out. */
  get open() {
    return this.#open;
  }

  /** Try now. */
  dial() {
    this.hangUp();
    this.#callbacks.onDial();
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

  /**
   * Try again after a while that grows from loss to loss.
   * @param {string} detail of the close: a server may ask for a longer while
   * @returns {number} seconds
   */
  redial(detail) {
    const seconds = Math.max(this.#backOff(), retryAfterSeconds(detail));
    this.#retryTimer = this.#clock.setTimeout(() => this.dial(), seconds * 1000);
    return seconds;
  }

  /** The other side has taken us in: if that lasts, the next loss is the first one. */
  welcome() {
    this.#welcomedAt = this.#clock.now();
  }

  /** Drop it silently unless open. @param {import('./protocol.js').ClientMessage} message */
  send(message) {
    if (this.#open) this.#socket?.send(serialize(message));
  }

  /**
   * Let go of the socket, whatever state it is in, and of all timers.
   *
   * Without a code the other side is told nothing of what it means: what reaches it late must not end what a newer
   * socket goes on with.
   * @param {number} [code]
   */
  hangUp(code) {
    const socket = this.#socket;
    this.#socket = null;
    this.#open = false;
    this.#welcomedAt = null;
    this.#clock.clearTimeout(this.#retryTimer);
    this.#clock.clearTimeout(this.#connectTimer);
    this.#heartbeat.stop();
    if (code === undefined) socket?.close();
    else socket?.close(code);
  }

  #greet() {
    this.#open = true;
    this.#clock.clearTimeout(this.#connectTimer);
    this.#callbacks.onOpen();
    this.#heartbeat.start();
  }

  /** @param {string | ArrayBuffer} data */
  #hear(data) {
    this.#heartbeat.hear();
    this.#callbacks.onData(data);
  }

  /**
   * @param {number} code
   * @param {string} detail
   */
  #lose(code, detail) {
    if (this.#welcomedAt !== null && this.#clock.now() - this.#welcomedAt >= STEADY_MS) this.#tries = 0;
    this.hangUp();
    this.#callbacks.onLost(code, detail);
  }

  #backOff() {
    const seconds = BACK_OFF[Math.min(this.#tries, BACK_OFF.length - 1)];
    this.#tries += 1;
    return seconds * (1 + JITTER * (2 * this.#clock.random() - 1));
  }
}
