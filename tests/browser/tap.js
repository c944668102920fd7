// @ts-check
/**
 * Listens in on the page from inside: what came over its sockets, which keys were pressed when, and every sample
 * that left its player for the audio device.
 *
 * Runs before the page's own scripts and leaves them as they are: it stands behind the browser's own classes.
 * Knows the name of the player's worklet and that its marks travel over the port. One audio device at a time is
 * heard; `devices` tells whether there was another. Main thread; the samples come from `tap-worklet.js`, whose text
 * stands in `tapWorklet`: a worklet's file cannot be put under the page's address from outside.
 *
 * Nothing is bounded: a test is short.
 */

(() => {
  const RATE_HZ = 48_000;
  const PIECE = 0x8000;
  const worklet = URL.createObjectURL(new Blob([tapWorklet], { type: 'text/javascript' }));

  /** @typedef {{frame: number, pcm: Float32Array}} Heard */

  class Tap {
    devices = 0;
    /** In the order of their frames, without a gap. @type {Heard[]} */
    heard = [];
    /** Frame and moment at which silence ended. @type {{frame: number, at: number}[]} */
    sounds = [];
    /** What the playout tells the player. @type {{type: string, frame: number}[]} */
    marks = [];
    /** Text, or base64 for what was binary. @type {{text?: string, audio?: string}[]} */
    messages = [];
    /**
     * `at` on the clock of `performance.now()`, `frame` the device's at that moment, `messages` how many had come.
     * @type {{key: string, at: number, frame: number, messages: number}[]}
     */
    keys = [];
    /** From the next `cancel` on, hold back what the page sends until so many audio messages have come; 0: do not. */
    holdsCancelFor = 0;
    /** @type {BaseAudioContext | null} */
    context = null;
    /** @type {{condition: () => boolean, resolve: () => void}[]} */
    #waiting = [];

    /** The frame behind the last one heard. */
    get upTo() {
      const last = this.heard.at(-1);
      return last ? last.frame + last.pcm.length : 0;
    }

    /** The frame that is rendered next. */
    get now() {
      return Math.round((this.context?.currentTime ?? 0) * RATE_HZ);
    }

    /** @param {string} type */
    count(type) {
      return this.marks.filter((mark) => mark.type === type).length;
    }

    /**
     * Resolve once `condition` holds; it is asked whenever something has arrived.
     * @param {() => boolean} condition
     * @returns {Promise<void>}
     */
    when(condition) {
      if (condition()) return Promise.resolve();
      return new Promise((resolve) => this.#waiting.push({ condition, resolve }));
    }

    /** Something has arrived. */
    wake() {
      const met = this.#waiting.filter(({ condition }) => condition());
      this.#waiting = this.#waiting.filter((one) => !met.includes(one));
      for (const { resolve } of met) resolve();
    }

    /** Everything so far, in a form that can leave the page. */
    report() {
      const { devices, sounds, marks, messages, keys } = this;
      const pcm = new Float32Array(this.heard.reduce((sum, one) => sum + one.pcm.length, 0));
      let at = 0;
      for (const one of this.heard) {
        pcm.set(one.pcm, at);
        at += one.pcm.length;
      }
      const frame = this.heard[0]?.frame ?? 0;
      return { devices, sounds, marks, messages, keys, frame, pcm: base64(pcm.buffer) };
    }
  }

  const tap = new Tap();
  Object.assign(window, { tap });

  /** @param {ArrayBufferLike} buffer */
  function base64(buffer) {
    const bytes = new Uint8Array(buffer);
    const pieces = [];
    for (let at = 0; at < bytes.length; at += PIECE) {
      pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
    }
    return btoa(pieces.join(''));
  }

  addEventListener('keydown', ({ key, timeStamp }) => {
    const late = Math.round(((performance.now() - timeStamp) / 1000) * RATE_HZ);
    tap.keys.push({ key, at: timeStamp, frame: tap.now - late, messages: tap.messages.length });
  }, { capture: true });

  window.WebSocket = class extends WebSocket {
    /** @type {Parameters<WebSocket['send']>[0][]} */
    #held = [];
    #holdsFor = 0;

    /** @param {ConstructorParameters<typeof WebSocket>} parameters */
    constructor(...parameters) {
      super(...parameters);
      this.addEventListener('message', ({ data }) => {
        tap.messages.push(typeof data === 'string' ? { text: data } : { audio: base64(data) });
        if (typeof data !== 'string') this.#countDown();
        tap.wake();
      });
    }

    /** @param {Parameters<WebSocket['send']>[0]} data */
    send(data) {
      if (tap.holdsCancelFor > 0 && typeof data === 'string' && JSON.parse(data).type === 'cancel') {
        this.#holdsFor = tap.holdsCancelFor;
        tap.holdsCancelFor = 0;
      }
      if (this.#holdsFor > 0) this.#held.push(data);
      else super.send(data);
    }

    #countDown() {
      if (this.#holdsFor === 0) return;
      this.#holdsFor -= 1;
      if (this.#holdsFor === 0) for (const data of this.#held.splice(0)) super.send(data);
    }
  };

  const { addModule } = AudioWorklet.prototype;
  AudioWorklet.prototype.addModule = async function (...parameters) {
    await Promise.all([addModule.apply(this, parameters), addModule.call(this, worklet)]);
  };

  /** @typedef {(this: AudioNode, target: AudioNode, ...rest: number[]) => AudioNode} Connect */
  const connect = /** @type {Connect} */ (AudioNode.prototype.connect);
  /** @type {Connect} */
  function connectAndListen(target, ...rest) {
    const connected = connect.call(this, target, ...rest);
    if (this instanceof AudioWorkletNode) listen(this, target);
    return connected;
  }
  Object.assign(AudioNode.prototype, { connect: connectAndListen });

  /**
   * @param {AudioWorkletNode} player
   * @param {AudioNode} output what the player's samples pass through on their way to the device
   */
  function listen(player, output) {
    const node = new AudioWorkletNode(player.context, 'tap', { outputChannelCount: [1] });
    tap.devices += 1;
    tap.context = player.context;
    tap.heard = [];
    player.port.addEventListener('message', ({ data }) => {
      tap.marks.push(data);
      tap.wake();
    });
    node.port.onmessage = ({ data }) => {
      if ('pcm' in data) tap.heard.push(data);
      else tap.sounds.push({ ...data, at: performance.now() });
      tap.wake();
    };
    connect.call(output, node);
    // It adds nothing to what is heard, but only what leads to the device is rendered.
    connect.call(node, player.context.destination);
  }
})();
