// @ts-check
/**
 * Playout without an audio worklet, for plain http on a LAN name: short buffers scheduled one after another.
 *
 * The rules are those of `PlayoutCore`; here it renders a little ahead of the context's clock, on the main
 * thread, and its events are held back until the clock reaches them. Needs a 48 kHz context: only there do the
 * buffers meet on whole samples. Knows nothing of ordinals or packets.
 */

import { CANCEL_FADE_SAMPLES, PlayoutCore, SAMPLE_RATE_HZ } from './playout-worklet.js';
import { frameAt } from './playhead.js';

/** @typedef {import('./playout-worklet.js').PlayoutEvent} PlayoutEvent */
/** @typedef {import('./playout-worklet.js').PlayoutOrder} PlayoutOrder */

/** One scheduled buffer: a packet's length. */
const BLOCK_SAMPLES = SAMPLE_RATE_HZ / 50;

/** How far ahead of the clock buffers are scheduled: what a busy main thread may take without a gap. */
const AHEAD_SAMPLES = (SAMPLE_RATE_HZ * 150) / 1000;

/** In hand before sound starts: more than a worklet needs, because buffers are filled before their time. */
const START_SAMPLES = (SAMPLE_RATE_HZ * 80) / 1000;

/** The latest a buffer can be scheduled before its time. */
const MARGIN_SAMPLES = (SAMPLE_RATE_HZ * 10) / 1000;

const PUMP_MS = 10;

/** A buffer due before the next pump, or the one after, cannot wait for more samples. */
const URGENT_SAMPLES = MARGIN_SAMPLES + (2 * SAMPLE_RATE_HZ * PUMP_MS) / 1000;

/**
 * Renders a `PlayoutCore` into scheduled buffers.
 *
 * A cancel of what is already scheduled withdraws everything scheduled and forgets every track; `onReset` then
 * asks the owner to feed the surviving ones again from where they were.
 */
export class ScheduledPlayout {
  #context;
  #destination;
  #emit;
  #onReset;
  #core;
  /** Events of frames the clock has not reached. @type {PlayoutEvent[]} */
  #pending = [];
  /** @type {Set<AudioBufferSourceNode>} */
  #sources = new Set();
  /** Tracks with samples in scheduled buffers. @type {Set<number>} */
  #scheduled = new Set();
  #gain;
  #nextFrame = 0;
  #pumpQueued = false;
  #closed = false;
  #timer;

  /**
   * @param {BaseAudioContext} context at 48 kHz
   * @param {AudioNode} destination
   * @param {{emit: (event: PlayoutEvent) => void, onReset: () => void}} callbacks
   */
  constructor(context, destination, { emit, onReset }) {
    this.#context = context;
    this.#destination = destination;
    this.#emit = emit;
    this.#onReset = onReset;
    this.#core = this.#newCore();
    this.#gain = this.#newGain();
    this.#timer = setInterval(() => this.#pump(), PUMP_MS);
  }

  /** @param {PlayoutOrder} order */
  post(order) {
    const { track } = order;
    const scheduled = track === null ? this.#scheduled.size > 0 : this.#scheduled.has(track);
    if (order.type === 'cancel' && scheduled) this.#withdraw();
    else this.#core.handle(order, this.#nextFrame);
    this.#pumpSoon();
  }

  /** Stop at once and for good. */
  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#gain.disconnect();
  }

  #newCore() {
    return new PlayoutCore((event) => this.#pending.push(event), START_SAMPLES);
  }

  #newGain() {
    const gain = this.#context.createGain();
    gain.connect(this.#destination);
    return gain;
  }

  /** Once for all orders of the task that runs now: the first alone would start, and run dry at once. */
  #pumpSoon() {
    if (this.#pumpQueued) return;
    this.#pumpQueued = true;
    queueMicrotask(() => {
      this.#pumpQueued = false;
      this.#pump();
    });
  }

  #pump() {
    if (this.#closed) return;
    const now = frameAt(this.#context.currentTime);
    if (this.#nextFrame < now + MARGIN_SAMPLES) {
      // This thread was busy for longer than it had scheduled ahead.
      this.#core.stall(this.#nextFrame);
      this.#nextFrame = now + MARGIN_SAMPLES;
    }
    while (this.#nextFrame < now + AHEAD_SAMPLES && this.#shouldSchedule(now)) this.#schedule();
    this.#deliver(now);
  }

  /**
   * Silence is scheduled as late as possible, so that it does not delay samples that come after all.
   * @param {number} now
   */
  #shouldSchedule(now) {
    if (this.#core.idle) return false;
    if (!this.#core.hungry(BLOCK_SAMPLES)) return true;
    return !this.#core.waiting && this.#nextFrame < now + URGENT_SAMPLES;
  }

  #schedule() {
    const buffer = this.#context.createBuffer(1, BLOCK_SAMPLES, SAMPLE_RATE_HZ);
    this.#core.render(buffer.getChannelData(0), this.#nextFrame);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#gain);
    source.onended = () => {
      this.#sources.delete(source);
      // Unlike timers, this is not throttled in a background tab.
      this.#pump();
    };
    source.start(this.#nextFrame / SAMPLE_RATE_HZ);
    this.#sources.add(source);
    this.#nextFrame += BLOCK_SAMPLES;
    for (const { type, track } of this.#pending) if (type === 'playing') this.#scheduled.add(track);
  }

  /** @param {number} now */
  #deliver(now) {
    const due = this.#pending.filter((event) => event.frame <= now);
    this.#pending = this.#pending.filter((event) => event.frame > now);
    for (const event of due) {
      if (event.type === 'ended') this.#scheduled.delete(event.track);
      this.#emit(event);
    }
  }

  #withdraw() {
    const { currentTime } = this.#context;
    const now = frameAt(currentTime);
    this.#deliver(now);
    const silentAt = currentTime + CANCEL_FADE_SAMPLES / SAMPLE_RATE_HZ;
    this.#gain.gain.setValueAtTime(1, currentTime);
    this.#gain.gain.linearRampToValueAtTime(0, silentAt);
    for (const source of this.#sources) {
      source.onended = null;
      source.stop(silentAt);
    }
    this.#sources.clear();
    this.#scheduled.clear();
    this.#pending = [];
    this.#gain = this.#newGain();
    this.#core = this.#newCore();
    this.#nextFrame = now + CANCEL_FADE_SAMPLES;
    this.#onReset();
  }
}
