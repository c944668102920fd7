// @ts-check
/** What a client is given in place of timers and sockets: both move only when the test says so. */

/** @typedef {import('../../static/dialer.js').Socket} Socket */

/** A clock that moves when told; timers fire in order of their time. */
export class FakeClock {
  time = 0;
  /** What `random` gives: 0.5 is no jitter. */
  chance = 0.5;
  #next = 1;
  /** @type {Map<number, {at: number, callback: () => void}>} */
  timers = new Map();

  now = () => this.time;
  random = () => this.chance;

  setTimeout = (/** @type {() => void} */ callback, /** @type {number} */ ms) => {
    this.timers.set(this.#next, { at: this.time + ms, callback });
    return this.#next++;
  };

  clearTimeout = (/** @type {number} */ timer) => void this.timers.delete(timer);

  /** @param {number} ms */
  advance(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].callback();
    }
    this.time = end;
  }

  /** Time passes and nobody is called: a busy thread, a laptop asleep. @param {number} ms */
  oversleep(ms) {
    this.time += ms;
  }
}

/** A socket whose other end is the test. @implements {Socket} */
export class FakeSocket {
  /** @type {any[]} */
  sent = [];
  closed = false;
  /** Codes it was closed with; undefined without one. @type {(number | undefined)[]} */
  codes = [];
  /** @type {BinaryType} */
  binaryType = 'blob';
  /** @type {any} */
  onopen = null;
  /** @type {any} */
  onmessage = null;
  /** @type {any} */
  onclose = null;

  /** @param {any} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  /** @param {number} [code] */
  close(code) {
    this.closed = true;
    this.codes.push(code);
  }

  /** @param {object | ArrayBuffer} message */
  say(message) {
    this.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
  }

  greet() {
    this.onopen();
    this.say({ type: 'ready', session: 's', version: 1, voice: 'heart', limits: {}, resumed: false });
  }

  get types() {
    return this.sent.map(({ type }) => type);
  }
}
