// @ts-check
/**
 * The player: audio messages in, sound and events out.
 *
 * Holds the utterances in the order they came, decodes a few seconds ahead, feeds the playout, and turns the
 * playout's marks into events and a playhead. Knows no socket; its messages come from `SpeechClient`, which adds
 * `utterance` and `preSkip` to them. Main thread.
 *
 * Buffers: packets wait encoded (at most `MOST_PACKETS`, later ones are dropped and reported), samples are decoded
 * some seconds ahead of the playhead and kept here until played, so that a new audio device can go on
 * where the last one stood.
 */

import { AudioOutput } from './audio-output.js';
import { DecodeAhead } from './decode-ahead.js';
import { DEFAULT_PRE_SKIP, DecoderPool, packetsOf } from './opus.js';
import { frameAt, Timeline } from './playhead.js';
import { SAMPLE_RATE_HZ } from './playout-worklet.js';
import { AudioFlag, AudioKind } from './protocol.js';
import { Utterance } from './utterance.js';

/** @typedef {import('./playout-worklet.js').PlayoutEvent} PlayoutEvent */
/** @typedef {import('./audio-output.js').OutputState} OutputState */

/** Twenty minutes. */
const MOST_PACKETS = 60_000;

/** Cancelled ordinals remembered: more than a server may have open, and only while their packets are in flight. */
const MOST_DROPPED = 64;

/** Ordinals of a server end below this; those from here on are the page's own, for replays. */
export const FIRST_LOCAL_ORDINAL = 65_536;

/**
 * Where sound starts, stops or ends. `played` counts content samples rendered before `contextTime` (seconds).
 * @typedef {{type: 'playing' | 'starved', ordinal: number, utterance: string | undefined, played: number,
 *   contextTime: number}} PlayingEvent
 *
 * Once an utterance that was neither starved nor stopped early is over, or once its fade is.
 * @typedef {{type: 'ended', ordinal: number, utterance: string | undefined, played: number,
 *   contextTime: number, cancelled: boolean}} EndedEvent
 *
 * An utterance ran dry before its end was known; it accompanies `starved`. `count` is the session's.
 * @typedef {{type: 'underrun', ordinal: number, utterance: string | undefined, count: number,
 *   thresholdMs: number}} UnderrunEvent
 *
 * The first audible sample. All times are `performance.now()` milliseconds: first message of the utterance
 * pushed, its first samples decoded, the audible sample rendered, and heard (rendered + output latency).
 * @typedef {{type: 'first-sound', ordinal: number, utterance: string | undefined, played: number,
 *   contextTime: number, receivedAt: number, decodedAt: number, renderedAt: number,
 *   heardAt: number}} FirstSoundEvent
 *
 * What stands between the listener and sound. `decoder`: no WebAssembly; `overflow`: packets were dropped.
 * @typedef {{type: 'state', state: 'running' | 'suspended',
 *   reason: import('./audio-output.js').SilenceReason | 'decoder' | 'overflow' | null}} StateEvent
 *
 * @typedef {PlayingEvent | EndedEvent | UnderrunEvent | FirstSoundEvent | StateEvent} PlayerEvent
 *
 * Where playback is: `played` content samples are rendered, `heard` have left the loudspeaker as far as the
 * browser knows. `ordinal` is null while nothing has been played, or the last thing played has ended.
 * @typedef {{ordinal: number | null, utterance: string | undefined, played: number, heard: number,
 *   contextTime: number, outputTime: number}} Playhead
 */

/** Plays utterances one after another. */
export class Player {
  /** @type {Utterance[]} */
  #utterances = [];
  /** Ordinals cancelled here, and whose they were: their packets in flight are not for playing. @type {Map<number, string | undefined>} */
  #dropped = new Map();
  #timeline = new Timeline();
  #nextId = 1;
  #onEvent;
  #output;
  #pool;
  #decoding;

  /**
   * @param {{latencyHint?: AudioContextLatencyCategory | number, onEvent?: (event: PlayerEvent) => void,
   *   pool?: DecoderPool}} [options]
   */
  constructor({ latencyHint = 'interactive', onEvent = () => {}, pool = new DecoderPool() } = {}) {
    this.#onEvent = onEvent;
    this.#pool = pool;
    this.#output = new AudioOutput(latencyHint, {
      onPlayout: (event) => this.#onPlayout(event),
      onFresh: () => this.#feedAgain(),
      onState: (state) => this.#onEvent({ type: 'state', ...state }),
      isBusy: () => this.#utterances.length > 0,
    });
    this.#decoding = new DecodeAhead(pool, {
      onPcm: (utterance, pcm) => this.#feedNext(utterance, pcm),
      onExhausted: (utterance) => this.#finish(utterance),
      onFailure: () => this.#onEvent({ type: 'state', state: 'suspended', reason: 'decoder' }),
      utterances: () => this.#utterances,
    });
    // Compiled before the first packet comes; whoever needs one and gets none reports the failure.
    this.#pool.ensure().catch(() => {});
  }

  /** For drawing what is played; `null` before the first `unlock`. Read it anew for every frame. */
  get analyser() {
    return this.#output.analyser;
  }

  /**
   * Create or resume the audio device. Call it in a gesture's handler, as often as you like: best at the first
   * key or pointer press, so that the device is awake when there is something to play.
   * @returns {Promise<{state: 'running' | 'suspended', reason: StateEvent['reason']}>}
   */
  async unlock() {
    const unlocked = this.#output.unlock();
    try {
      await this.#pool.ensure();
    } catch {
      return { state: 'suspended', reason: 'decoder' };
    }
    return unlocked;
  }

  /**
   * Queue an audio message. An utterance's first message queues it behind those there; it also ends any earlier
   * one, because a server sends utterances one after another.
   * @param {import('./protocol.js').Audio} message
   * @param {number} [from] content samples of the utterance that were heard elsewhere: it fades in behind them
   * @throws {TypeError} for anything but Opus
   */
  push(message, from = 0) {
    if (message.kind !== AudioKind.OPUS) throw new TypeError('The player plays Opus only.');
    const utterance = this.#utteranceOf(message, from);
    if (!utterance) return;
    const room = MOST_PACKETS - utterance.packets.length;
    const packets = packetsOf(message);
    if (packets.length > room) {
      this.#onEvent({ type: 'state', state: this.#output.state.state, reason: 'overflow' });
    }
    utterance.packets.push(...packets.slice(0, room));
    if (message.flags & AudioFlag.LAST) utterance.complete = true;
    this.#decoding.pump();
  }

  /**
   * Say that an utterance has no more packets: with its exact length, from `done`, or without, after an error.
   * @param {number} ordinal
   * @param {number} [samples]
   */
  finish(ordinal, samples) {
    const utterance = this.#utterances.filter((one) => one.ordinal === ordinal).at(-1);
    if (!utterance) return;
    utterance.complete = true;
    utterance.samples = samples ?? null;
    this.#decoding.pump();
  }

  /**
   * Stop an utterance, or everything: what sounds fades in 10 ms, the rest is dropped, also what still arrives.
   * @param {number} [ordinal]
   * @returns {{played: number}} content samples rendered of it, or of what was sounding; `ended` tells it
   *   again once the fade is over, with the fade
   */
  cancel(ordinal) {
    const { played } = this.#progress(ordinal);
    const stopped = this.#utterances.filter(
      (one) => !one.cancelled && (ordinal === undefined || one.ordinal === ordinal),
    );
    // All are marked before the playout is told of any: it may ask for what is left in between.
    for (const utterance of stopped) this.#drop(utterance);
    for (const utterance of stopped) this.#silence(utterance);
    this.#decoding.pump();
    return { played };
  }

  /** @returns {Playhead} */
  playhead() {
    const { contextTime, outputTime } = this.#output.times();
    const rendered = this.#timeline.at(frameAt(contextTime));
    const utterance = rendered && this.#find(rendered.track);
    if (!utterance || utterance.cancelled) {
      return { ordinal: null, utterance: undefined, played: 0, heard: 0, contextTime, outputTime };
    }
    const heard = this.#timeline.at(frameAt(outputTime));
    return {
      ordinal: utterance.ordinal,
      utterance: utterance.name,
      played: clamp(rendered.played, utterance),
      heard: heard?.track === utterance.id ? clamp(heard.played, utterance) : 0,
      contextTime,
      outputTime,
    };
  }

  /** Drop everything and give the audio device back. `unlock` starts anew. */
  stop() {
    for (const utterance of this.#utterances) utterance.stream.close();
    this.#utterances = [];
    this.#timeline.clear();
    this.#output.close();
  }

  /**
   * @param {number} [ordinal]
   * @returns {{played: number}}
   */
  #progress(ordinal) {
    const head = this.playhead();
    if (ordinal === undefined || head.ordinal === ordinal) return { played: head.played };
    const utterance = this.#utterances.find((one) => one.ordinal === ordinal);
    return { played: utterance?.played ?? 0 };
  }

  /**
   * @param {import('./protocol.js').Audio} message
   * @param {number} from
   * @returns {Utterance | null} null when it was cancelled
   */
  #utteranceOf({ ordinal, utterance: name, preSkip = DEFAULT_PRE_SKIP }, from) {
    if (this.#dropped.has(ordinal)) {
      if (this.#dropped.get(ordinal) === name) return null;
      this.#dropped.delete(ordinal);
    }
    const known = this.#utterances.find((one) => one.ordinal === ordinal && one.name === name);
    if (known) return known;
    const utterance = new Utterance(this.#nextId, ordinal, name, preSkip, from);
    this.#nextId += 1;
    if (ordinal < FIRST_LOCAL_ORDINAL) {
      for (const earlier of this.#utterances) if (earlier.ordinal < FIRST_LOCAL_ORDINAL) earlier.complete = true;
    }
    this.#utterances.push(utterance);
    return utterance;
  }

  /** @param {Utterance} utterance */
  #drop(utterance) {
    this.#dropped.delete(utterance.ordinal);
    this.#dropped.set(utterance.ordinal, utterance.name);
    for (const oldest of this.#dropped.keys()) if (this.#dropped.size > MOST_DROPPED) this.#dropped.delete(oldest);
    utterance.cancelled = true;
    utterance.packets = [];
  }

  /** @param {Utterance} utterance */
  #silence(utterance) {
    if (!this.#find(utterance.id)) return;
    if (utterance.open && this.#output.ready) this.#output.post({ type: 'cancel', track: utterance.id });
    else this.#end(utterance, utterance.played, this.#output.times().contextTime);
  }

  /**
   * @param {Utterance} utterance
   * @param {Float32Array} pcm
   */
  #feedNext(utterance, pcm) {
    if (!utterance.open) this.#open(utterance);
    this.#output.post({ type: 'push', track: utterance.id, pcm });
  }

  /** @param {Utterance} utterance */
  #open(utterance) {
    utterance.open = true;
    this.#output.post({ type: 'open', track: utterance.id, played: utterance.played });
  }

  /** Tell the playout of the end, each time more is known. @param {Utterance} utterance */
  #finish(utterance) {
    if (!utterance.complete || utterance.cancelled || utterance.finished === utterance.samples) return;
    utterance.finished = utterance.samples;
    utterance.stream.close();
    if (utterance.open) this.#output.post({ type: 'finish', track: utterance.id, samples: utterance.samples });
    else this.#end(utterance, utterance.played, this.#output.times().contextTime);
  }

  /** A fresh, empty playout: give it what has not been played. */
  #feedAgain() {
    const { contextTime } = this.#output.times();
    const playing = this.#timeline.at(frameAt(contextTime));
    if (playing) this.#find(playing.track)?.release(playing.played);
    this.#timeline.clear();
    for (const utterance of [...this.#utterances]) {
      if (utterance.cancelled) this.#end(utterance, utterance.played, contextTime);
      else if (utterance.open) this.#feed(utterance);
    }
  }

  /** @param {Utterance} utterance */
  #feed(utterance) {
    this.#open(utterance);
    for (const pcm of utterance.unplayed()) this.#output.post({ type: 'push', track: utterance.id, pcm });
    if (utterance.finished === undefined) return;
    this.#output.post({ type: 'finish', track: utterance.id, samples: utterance.finished });
  }

  /** @param {PlayoutEvent} event */
  #onPlayout(event) {
    const utterance = this.#find(event.track);
    if (!utterance) return;
    const contextTime = event.frame / SAMPLE_RATE_HZ;
    utterance.release(event.played);
    if (event.type === 'first-sound') this.#firstSound(utterance, event.played, contextTime);
    else this.#mark(event);
    if (event.type === 'ended') this.#end(utterance, event.played, contextTime);
    else if (event.type === 'playing') this.#tell('playing', utterance, event.played, contextTime);
    else if (event.type === 'starved') this.#starved(utterance, event);
    this.#decoding.pump();
  }

  /** @param {Exclude<PlayoutEvent, {type: 'first-sound'}>} event */
  #mark({ type, track, frame, played, ...rest }) {
    const running = type === 'playing' || ('running' in rest && rest.running);
    this.#timeline.add({ track, frame, played, running });
  }

  /**
   * @param {Utterance} utterance
   * @param {import('./playout-worklet.js').StarvedEvent} event
   */
  #starved(utterance, { frame, played, underruns, threshold }) {
    this.#tell('starved', utterance, played, frame / SAMPLE_RATE_HZ);
    const thresholdMs = (threshold / SAMPLE_RATE_HZ) * 1000;
    const { ordinal, name } = utterance;
    this.#onEvent({ type: 'underrun', ordinal, utterance: name, count: underruns, thresholdMs });
  }

  /**
   * @param {'playing' | 'starved'} type
   * @param {Utterance} utterance
   * @param {number} played
   * @param {number} contextTime
   */
  #tell(type, { ordinal, name }, played, contextTime) {
    this.#onEvent({ type, ordinal, utterance: name, played, contextTime });
  }

  /**
   * @param {Utterance} utterance
   * @param {number} played
   * @param {number} contextTime
   */
  #firstSound(utterance, played, contextTime) {
    if (utterance.sounded) return;
    utterance.sounded = true;
    const now = performance.now();
    const times = this.#output.times();
    // Told right behind the rendering, unless this thread was busy: then the clock has moved on by more than the
    // device buffer that is rendered in one go.
    const late = Math.max(0, times.contextTime - times.bufferTime - contextTime) * 1000;
    const { ordinal, name, receivedAt, decodedAt } = utterance;
    this.#onEvent({
      type: 'first-sound', ordinal, utterance: name, played, contextTime, receivedAt, decodedAt,
      renderedAt: Math.max(decodedAt, now - late),
      heardAt: now + (contextTime - times.outputTime) * 1000,
    });
  }

  /**
   * @param {Utterance} utterance
   * @param {number} played
   * @param {number} contextTime
   */
  #end(utterance, played, contextTime) {
    utterance.stream.close();
    this.#utterances = this.#utterances.filter((one) => one !== utterance);
    const { ordinal, name, cancelled } = utterance;
    this.#onEvent({ type: 'ended', ordinal, utterance: name, played, contextTime, cancelled });
  }

  /** @param {number} id */
  #find(id) {
    return this.#utterances.find((one) => one.id === id);
  }
}

/**
 * @param {number} played
 * @param {Utterance} utterance
 */
function clamp(played, utterance) {
  return Math.min(played, utterance.samples ?? utterance.end);
}
