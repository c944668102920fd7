// @ts-check
/**
 * An audio device of paper: contexts whose clock moves when told, and that keep every sample they put out.
 *
 * With a worklet, the playout core runs in it as it does in a browser; without one, scheduled buffers are mixed.
 */

import { PlayoutCore } from '../../static/playout-worklet.js';

const RATE_HZ = 48_000;
const QUANTUM = 128;

class FakeGain {
  /** Gain at times, linear in between. @type {[number, number][]} */
  points = [[0, 1]];
  connected = true;
  gain = {
    setValueAtTime: (/** @type {number} */ value, /** @type {number} */ time) => this.points.push([time, value]),
    linearRampToValueAtTime: (/** @type {number} */ value, /** @type {number} */ time) =>
      this.points.push([time, value]),
  };

  connect() {}

  disconnect() {
    this.connected = false;
  }

  /** @param {number} time */
  at(time) {
    const after = this.points.findIndex(([when]) => when > time);
    if (after < 0) return this.points[this.points.length - 1][1];
    const [[t0, v0], [t1, v1]] = [this.points[Math.max(0, after - 1)], this.points[after]];
    return t1 === t0 ? v1 : v0 + ((v1 - v0) * (time - t0)) / (t1 - t0);
  }
}

class FakeSource {
  /** @type {any} */
  buffer = null;
  /** @type {any} */
  onended = null;
  /** @type {any} */
  gain = null;
  from = Infinity;
  until = Infinity;
  over = false;

  connect(/** @type {any} */ gain) {
    this.gain = gain;
  }

  start(/** @type {number} */ when) {
    this.from = Math.round(when * RATE_HZ);
    this.until = this.from + this.buffer.pcm.length;
  }

  stop(/** @type {number} */ when) {
    this.until = Math.min(this.until, Math.round(when * RATE_HZ));
  }

  /** @param {number} frame */
  sample(frame) {
    if (frame < this.from || frame >= this.until || !this.gain.connected) return 0;
    return this.buffer.pcm[frame - this.from] * this.gain.at(frame / RATE_HZ);
  }
}

/** Stands in for `AudioContext`. */
export class FakeContext {
  /** Every context made since `install`. @type {FakeContext[]} */
  static made = [];
  /** Whether contexts have a worklet. */
  static worklet = true;
  /** Whether `resume` is granted. */
  static granted = true;

  state = 'suspended';
  frame = 0;
  baseLatency = 0;
  outputLatency = 0;
  destination = {};
  /** @type {any} */
  onstatechange = null;
  /** @type {any} */
  node = null;
  /** @type {FakeSource[]} */
  sources = [];
  /** @type {number[]} */
  out = [];
  audioWorklet = FakeContext.worklet ? { addModule: async () => {} } : undefined;

  constructor() {
    FakeContext.made.push(this);
  }

  get currentTime() {
    return this.frame / RATE_HZ;
  }

  createAnalyser() {
    return { connect() {}, context: this };
  }

  createGain() {
    return new FakeGain();
  }

  createBuffer(/** @type {number} */ _channels, /** @type {number} */ length) {
    const pcm = new Float32Array(length);
    return { pcm, getChannelData: () => pcm };
  }

  createBufferSource() {
    const source = new FakeSource();
    this.sources.push(source);
    return source;
  }

  async resume() {
    if (!FakeContext.granted) return new Promise(() => {});
    this.state = 'running';
    this.onstatechange?.();
    return undefined;
  }

  async close() {
    this.state = 'closed';
  }

  /** Let the device play. @param {number} frames a multiple of the quantum */
  advance(frames) {
    for (let done = 0; done < frames; done += QUANTUM) {
      const block = new Float32Array(QUANTUM);
      if (this.node) this.node.core.render(block, this.frame);
      for (let i = 0; i < QUANTUM; i += 1) {
        for (const source of this.sources) block[i] += source.sample(this.frame + i);
      }
      this.out.push(...block);
      this.frame += QUANTUM;
      this.#endSources();
    }
  }

  #endSources() {
    const ended = this.sources.filter((source) => source.until <= this.frame);
    this.sources = this.sources.filter((source) => source.until > this.frame);
    for (const source of ended) source.onended?.();
  }
}

/** Stands in for `AudioWorkletNode`; orders arrive at once, events too. */
class FakeWorkletNode {
  core = new PlayoutCore((event) => this.port.onmessage?.({ data: event }));

  /** @param {FakeContext} context */
  constructor(context) {
    context.node = this;
    this.port = {
      /** @type {any} */
      onmessage: null,
      postMessage: (/** @type {any} */ order) => this.core.handle(order, context.frame),
    };
  }

  connect() {}

  disconnect() {}
}

/**
 * Put the fakes in the browser's place, with no context made yet.
 * @param {{worklet?: boolean, granted?: boolean}} [options]
 */
export function install({ worklet = true, granted = true } = {}) {
  FakeContext.made = [];
  FakeContext.worklet = worklet;
  FakeContext.granted = granted;
  Object.assign(globalThis, { AudioContext: FakeContext, AudioWorkletNode: FakeWorkletNode });
  if (!globalThis.navigator) Object.assign(globalThis, { navigator: {} });
}
