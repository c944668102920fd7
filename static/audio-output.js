// @ts-check
/**
 * The audio device: one `AudioContext`, its playout and its analyser, through everything a browser does to them.
 *
 * Creates and resumes the context inside a gesture, falls back to scheduled buffers where there is no worklet,
 * and builds everything anew when the context's clock stands still. Knows no utterances: after every new
 * beginning it says so, and its owner feeds again what has not been played. Main thread.
 */

import { SAMPLE_RATE_HZ } from './playout-worklet.js';
import { frameAt, OutputClock } from './playhead.js';
import { ScheduledPlayout } from './scheduled-playout.js';

/** @typedef {import('./playout-worklet.js').PlayoutEvent} PlayoutEvent */
/** @typedef {import('./playout-worklet.js').PlayoutOrder} PlayoutOrder */

/**
 * What stands between the listener and sound: `gesture` a tap is needed, `interrupted` the system has taken the
 * device (a call), `frozen` the device does not move, `worklet` the playout did not load.
 * @typedef {'gesture' | 'interrupted' | 'frozen' | 'worklet'} SilenceReason
 * @typedef {{state: 'running' | 'suspended', reason: SilenceReason | null}} OutputState
 * @typedef {{post: (order: PlayoutOrder) => void, close: () => void}} Sink
 */

const RESUME_TIMEOUT_MS = 500;
const FROZEN_MS = 500;
const POLL_MS = 10;

/** After so many new contexts in a row that all stood still, the device is broken and stays as it is. */
const MOST_REBUILDS = 3;
const WORKLET_URL = new URL('./playout-worklet.js', import.meta.url);

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Owns the context. One instance lives as long as its player; `close` is final. */
export class AudioOutput {
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {AnalyserNode | null} */
  #analyser = null;
  /** @type {Sink | null} */
  #sink = null;
  /** @type {Promise<void> | null} */
  #loading = null;
  #loadFailed = false;
  #clock = new OutputClock();
  #latencyHint;
  #callbacks;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #watchdog;
  #lastTime = -1;
  #rebuilds = 0;

  /**
   * @param {AudioContextLatencyCategory | number} latencyHint
   * @param {{onPlayout: (event: PlayoutEvent) => void, onFresh: () => void,
   *   onState: (state: OutputState) => void, isBusy: () => boolean}} callbacks
   *   `onFresh`: an empty playout is ready, feed it; `isBusy`: something should be sounding
   */
  constructor(latencyHint, callbacks) {
    this.#latencyHint = latencyHint;
    this.#callbacks = callbacks;
  }

  /** Taps everything that is played; `null` before the first unlock, another one after a rebuild. */
  get analyser() {
    return this.#analyser;
  }

  /** Whether orders reach a playout. */
  get ready() {
    return this.#sink !== null;
  }

  /** @returns {OutputState} */
  get state() {
    if (this.#loadFailed) return { state: 'suspended', reason: 'worklet' };
    const state = /** @type {string | undefined} */ (this.#context?.state);
    if (state === 'running') return { state: 'running', reason: null };
    return { state: 'suspended', reason: state === 'interrupted' ? 'interrupted' : 'gesture' };
  }

  /**
   * Return the context times, in seconds, up to which has been rendered and which is heard now, and how much the
   * device takes at once.
   * @returns {{contextTime: number, outputTime: number, bufferTime: number}} zeros without a context
   */
  times() {
    const context = this.#context;
    if (!context) return { contextTime: 0, outputTime: 0, bufferTime: 0 };
    return {
      contextTime: context.currentTime,
      outputTime: this.#clock.heard(context, performance.now()),
      bufferTime: context.baseLatency || 0,
    };
  }

  /**
   * Create or resume the context. Call it inside a gesture; what a browser grants only there happens before
   * the first await. Never hangs: what is missing stands in the result.
   * @returns {Promise<OutputState>}
   * @throws {DOMException} where the browser can make no context of 48 kHz at all
   */
  async unlock() {
    const context = this.#context ?? this.#create();
    const resumed = this.#resume(context);
    await this.#loading;
    await Promise.race([resumed, pause(RESUME_TIMEOUT_MS)]);
    if (context !== this.#context || this.state.state !== 'running') return this.state;
    if (await this.#moves(context)) return this.state;
    const rebuilt = this.#rebuild();
    await Promise.race([this.#resume(rebuilt), pause(RESUME_TIMEOUT_MS)]);
    if (this.state.state === 'running' && !(await this.#moves(rebuilt))) {
      return { state: 'suspended', reason: 'frozen' };
    }
    return this.state;
  }

  /**
   * Hand an order to the playout. Dropped while none is ready: `onFresh` comes when one is.
   * @param {PlayoutOrder} order
   */
  post(order) {
    this.#sink?.post(order);
  }

  /** Give the device back. */
  close() {
    clearInterval(this.#watchdog);
    this.#watchdog = undefined;
    this.#drop();
  }

  /** @returns {AudioContext} */
  #create() {
    if (navigator.audioSession) navigator.audioSession.type = 'playback';
    const context = new AudioContext({ sampleRate: SAMPLE_RATE_HZ, latencyHint: this.#latencyHint });
    const analyser = context.createAnalyser();
    analyser.connect(context.destination);
    context.onstatechange = () => {
      if (context === this.#context) this.#callbacks.onState(this.state);
    };
    this.#context = context;
    this.#analyser = analyser;
    this.#clock = new OutputClock();
    this.#loading = this.#load(context, analyser);
    this.#lastTime = -1;
    this.#watchdog ??= setInterval(() => this.#watch(), FROZEN_MS);
    return context;
  }

  /**
   * @param {AudioContext} context
   * @param {AudioNode} destination
   */
  async #load(context, destination) {
    try {
      const worklet = /** @type {AudioWorklet | undefined} */ (context.audioWorklet);
      await worklet?.addModule(WORKLET_URL);
      if (context !== this.#context) return;
      this.#loadFailed = false;
      this.#sink = worklet ? this.#workletSink(context, destination) : this.#scheduledSink(context, destination);
      this.#callbacks.onFresh();
    } catch (error) {
      if (context !== this.#context) return;
      console.error('The playout worklet did not load.', error);
      this.#loadFailed = true;
      this.#callbacks.onState(this.state);
    }
  }

  /**
   * @param {AudioContext} context
   * @param {AudioNode} destination
   * @returns {Sink}
   */
  #workletSink(context, destination) {
    const node = new AudioWorkletNode(context, 'utter-playout', {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    node.connect(destination);
    node.port.onmessage = ({ data }) => {
      if (context === this.#context) this.#callbacks.onPlayout(data);
    };
    return { post: (order) => node.port.postMessage(order), close: () => node.disconnect() };
  }

  /**
   * @param {AudioContext} context
   * @param {AudioNode} destination
   * @returns {Sink}
   */
  #scheduledSink(context, destination) {
    return new ScheduledPlayout(context, destination, {
      emit: (event) => this.#callbacks.onPlayout(event),
      onReset: () => this.#callbacks.onFresh(),
    });
  }

  /**
   * @param {AudioContext} context
   * @returns {Promise<void>}
   */
  #resume(context) {
    const state = /** @type {string} */ (context.state);
    if (state === 'running' || state === 'interrupted') return Promise.resolve();
    // A refusal shows in the context's state, which is what is looked at.
    return context.resume().catch(() => {});
  }

  /**
   * Wait until the context's clock advances.
   * @param {AudioContext} context
   * @returns {Promise<boolean>} false if it stood for FROZEN_MS
   */
  async #moves(context) {
    const from = context.currentTime;
    for (let waited = 0; waited < FROZEN_MS; waited += POLL_MS) {
      if (context.currentTime > from) return true;
      await pause(POLL_MS);
    }
    return context.currentTime > from;
  }

  /** A context can call itself running while its clock stands: then only a new one helps. */
  #watch() {
    const context = this.#context;
    if (!context || context.state !== 'running' || !this.#callbacks.isBusy()) {
      this.#lastTime = -1;
      return;
    }
    const frozen = frameAt(context.currentTime) === frameAt(this.#lastTime);
    this.#lastTime = context.currentTime;
    if (!frozen) this.#rebuilds = 0;
    else if (this.#rebuilds < MOST_REBUILDS) {
      this.#rebuilds += 1;
      this.#resume(this.#rebuild());
    } else this.#callbacks.onState({ state: 'suspended', reason: 'frozen' });
  }

  #rebuild() {
    this.#drop();
    return this.#create();
  }

  #drop() {
    const context = this.#context;
    this.#sink?.close();
    this.#sink = null;
    this.#context = null;
    this.#analyser = null;
    // Closing what is closed already, or broken, changes nothing for us.
    context?.close().catch(() => {});
  }
}
