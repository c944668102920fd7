// @ts-check
/**
 * Playout: a queue of utterances' samples on one side, render quanta of any length on the other.
 *
 * `PlayoutCore` holds every rule: start threshold, fades, underruns, ends, cancels. It knows no codec, no
 * ordinals, no clock but the frame it is asked to render, and no thread: in a browser it lives on the audio
 * thread inside an `AudioWorkletProcessor`, elsewhere (tests, plain http) wherever its caller lives.
 *
 * All of it is one file, so that the audio thread is ready after one fetch.
 *
 * No sample is lost or doubled: what is rendered of a track is, apart from fades, exactly what was pushed, in
 * order. Silence rendered while waiting does not count as played.
 */

/** Rate of everything here, in Hz. */
export const SAMPLE_RATE_HZ = 48_000;

const samplesOf = (/** @type {number} */ ms) => (SAMPLE_RATE_HZ * ms) / 1000;

/** Raised-cosine fade when samples run out and when they come back. */
export const FADE_SAMPLES = samplesOf(5);

/** Fade of a cancel: what is heard of an utterance after it was stopped. */
export const CANCEL_FADE_SAMPLES = samplesOf(10);

/** Samples in hand before sound starts: the first packet and one more. */
export const START_SAMPLES = samplesOf(30);

/** How much more is wanted in hand after each underrun, and the most that is ever wanted. */
export const UNDERRUN_STEP_SAMPLES = samplesOf(20);
export const MOST_START_SAMPLES = samplesOf(200);

/** Distance of two reports while a track is at the head of the queue. */
export const REPORT_SAMPLES = samplesOf(80);

/** A sample is audible from -60 dB of full scale on. */
export const AUDIBLE = 0.001;

/**
 * What the core tells. `frame` is the frame of the context it holds for, `played` the track's content
 * samples rendered before that frame.
 *
 * - `playing`: sound starts or comes back at `frame`; `played` advances one for one from there.
 * - `report`: still playing (or, with `running` false, still waiting); every `REPORT_SAMPLES`.
 * - `starved`: an underrun; nothing is left and the end has not been announced. `underruns` counts them all,
 *   `threshold` is what will be waited for.
 * - `first-sound`: the first audible sample of the track is at `frame`.
 * - `ended`: nothing of the track comes any more; `cancelled` says why.
 *
 * @typedef {{type: 'playing' | 'first-sound', track: number, frame: number, played: number}} MarkEvent
 * @typedef {{type: 'report', track: number, frame: number, played: number, running: boolean}} ReportEvent
 * @typedef {{type: 'starved', track: number, frame: number, played: number, underruns: number,
 *   threshold: number}} StarvedEvent
 * @typedef {{type: 'ended', track: number, frame: number, played: number, cancelled: boolean}} EndedEvent
 * @typedef {MarkEvent | ReportEvent | StarvedEvent | EndedEvent} PlayoutEvent
 *
 * Orders to the core, as messages: see the methods of the same names.
 * @typedef {{type: 'open', track: number, played: number}} OpenOrder
 * @typedef {{type: 'push', track: number, pcm: Float32Array}} PushOrder
 * @typedef {{type: 'finish', track: number, samples: number | null}} FinishOrder
 * @typedef {{type: 'cancel', track: number | null}} CancelOrder
 * @typedef {OpenOrder | PushOrder | FinishOrder | CancelOrder} PlayoutOrder
 */

/** One utterance's samples, waiting to be rendered. */
class Track {
  /** @type {Float32Array[]} */
  #chunks = [];
  #head = 0;

  /**
   * @param {number} id
   * @param {number} played
   */
  constructor(id, played) {
    this.id = id;
    this.played = played;
    this.written = played;
    /** Exact length in samples, once it is known. */
    this.length = Infinity;
    /** Nothing more will be pushed. */
    this.complete = false;
    this.cancelled = false;
    this.audible = false;
  }

  /** Samples that can be rendered now. */
  get available() {
    return Math.max(0, Math.min(this.written, this.length) - this.played);
  }

  /** @param {Float32Array} pcm */
  push(pcm) {
    if (pcm.length === 0) return;
    this.#chunks.push(pcm);
    this.written += pcm.length;
  }

  /**
   * Move the next samples to `out`; never more than `available` of them.
   * @param {Float32Array} out
   */
  take(out) {
    let at = 0;
    while (at < out.length) {
      const chunk = this.#chunks[0];
      const part = chunk.subarray(this.#head, this.#head + out.length - at);
      out.set(part, at);
      at += part.length;
      this.#head += part.length;
      if (this.#head === chunk.length) {
        this.#chunks.shift();
        this.#head = 0;
      }
    }
    this.played += at;
  }
}

/**
 * Gain between 0 and 1 that moves along a raised cosine and can turn round at any point without a step.
 */
class Fader {
  #length = FADE_SAMPLES;
  /** 0 is silence, `#length` is full gain. */
  #position = FADE_SAMPLES;

  get silent() {
    return this.#position === 0;
  }

  get full() {
    return this.#position === this.#length;
  }

  /** Samples to full gain (`rising`) or to silence. @param {boolean} rising */
  remaining(rising) {
    return rising ? this.#length - this.#position : this.#position;
  }

  /** @param {boolean} full */
  jump(full) {
    this.#length = FADE_SAMPLES;
    this.#position = full ? FADE_SAMPLES : 0;
  }

  /** Take `length` samples for a whole fade from here on; the gain stays where it is. @param {number} length */
  stretch(length) {
    this.#position = Math.round((this.#position * length) / this.#length);
    this.#length = length;
  }

  /**
   * @param {Float32Array} pcm
   * @param {boolean} rising
   */
  apply(pcm, rising) {
    const step = rising ? 1 : -1;
    for (let i = 0; i < pcm.length; i += 1) {
      // A fade out ends on silence and a fade in on full gain: the position moves first.
      this.#position += step;
      pcm[i] *= 0.5 - 0.5 * Math.cos((Math.PI * this.#position) / this.#length);
    }
  }
}

/**
 * The queue and its rules.
 *
 * Bounded by its feeder, which pushes only a few seconds ahead of `played`; the core itself drops nothing.
 */
export class PlayoutCore {
  /** @type {Track[]} */
  #tracks = [];
  #fader = new Fader();
  #waiting = true;
  /** The head track has run dry, so that its next start is a return and fades in. */
  #returning = false;
  #threshold;
  #underruns = 0;
  #sinceReport = 0;
  /** @type {(event: PlayoutEvent) => void} */
  #emit;

  /**
   * @param {(event: PlayoutEvent) => void} emit called inside `render` and `cancel`
   * @param {number} [start] samples in hand before sound starts
   */
  constructor(emit, start = START_SAMPLES) {
    this.#emit = emit;
    this.#threshold = start;
  }

  /** Whether nothing is queued at all. */
  get idle() {
    return this.#tracks.length === 0;
  }

  /** Whether silence would be rendered until more is in hand. */
  get waiting() {
    return this.#waiting;
  }

  /**
   * Whether rendering `count` samples now would wait or run dry although more samples are to come.
   * @param {number} count
   */
  hungry(count) {
    const track = this.#tracks[0];
    if (!track || track.complete || track.cancelled) return false;
    const enough = count + FADE_SAMPLES;
    return track.available < (this.#waiting ? Math.max(this.#threshold, enough) : enough);
  }

  /**
   * Carry out an order that came as a message.
   * @param {PlayoutOrder} order
   * @param {number} frame frame that will be rendered next
   */
  handle(order, frame) {
    if (order.type === 'open') this.open(order.track, order.played);
    else if (order.type === 'push') this.push(order.track, order.pcm);
    else if (order.type === 'finish') this.finish(order.track, order.samples);
    else this.cancel(order.track, frame);
  }

  /**
   * Queue a track behind the others. `played` counts what was rendered of it elsewhere: it fades in behind that.
   * @param {number} id
   * @param {number} played
   */
  open(id, played = 0) {
    this.#tracks.push(new Track(id, played));
  }

  /**
   * Append samples to an open track; a track that has ended, or was cancelled, takes nothing.
   * @param {number} id
   * @param {Float32Array} pcm mono, in [-1, 1]
   */
  push(id, pcm) {
    const track = this.#find(id);
    if (track && !track.complete && !track.cancelled) track.push(pcm);
  }

  /**
   * Say that no more samples come, and how long the track is: what was pushed beyond that is not played.
   * May be said again, first with `null` for a length not known yet.
   * @param {number} id
   * @param {number | null} samples
   */
  finish(id, samples) {
    const track = this.#find(id);
    if (!track) return;
    track.complete = true;
    if (samples !== null) track.length = samples;
  }

  /**
   * Drop a track, or all of them with `null`. What is sounding fades within `CANCEL_FADE_SAMPLES`.
   * @param {number | null} id
   * @param {number} frame frame that will be rendered next
   */
  cancel(id, frame) {
    const head = this.#tracks[0];
    for (const track of this.#tracks.filter((one) => id === null || one.id === id)) {
      const fades = track === head && !this.#waiting && track.available > 0 && this.#fadeAway(track);
      if (!fades) this.#end(track, frame, true);
    }
  }

  /**
   * Say that the frames from here on went by without being rendered: an underrun, whoever was to blame, and the
   * track fades in when it comes back.
   * @param {number} frame
   */
  stall(frame) {
    const track = this.#tracks[0];
    if (track && !this.#waiting) this.#fallSilent(track, frame);
  }

  /**
   * Fill `out` with what comes next, silence included.
   * @param {Float32Array} out any length
   * @param {number} frame frame of its first sample
   */
  render(out, frame) {
    let at = 0;
    while (at < out.length) {
      const track = this.#tracks[0];
      if (!track) break;
      const count = this.#renderPart(track, out.subarray(at), frame + at);
      if (count === 0 && this.#tracks[0] === track) break;
      at += count;
    }
    out.fill(0, at);
    this.#report(out.length, frame + out.length);
  }

  /**
   * Render a run of samples under one rule. Returns how many; 0 when the track waits or has ended.
   * @param {Track} track
   * @param {Float32Array} out
   * @param {number} frame
   * @returns {number}
   */
  #renderPart(track, out, frame) {
    if (track.available === 0 && (track.complete || track.cancelled)) {
      this.#end(track, frame, track.cancelled);
      return 0;
    }
    if (this.#waiting && !this.#start(track, out.length, frame)) return 0;
    const rising = this.#rising(track, out.length);
    const count = Math.min(out.length, track.available, this.#runLength(track, rising));
    const part = out.subarray(0, count);
    track.take(part);
    if (!(rising && this.#fader.full)) this.#fader.apply(part, rising);
    this.#listen(track, part, frame);
    if (!rising && this.#fader.silent) this.#fallSilent(track, frame + count);
    return count;
  }

  /**
   * Whether the gain is at, or moves to, full: false once the samples in hand cannot fill this quantum and
   * still leave a fade's worth.
   * @param {Track} track
   * @param {number} wanted
   */
  #rising(track, wanted) {
    if (track.cancelled) return false;
    // At full gain the samples above the last fade's worth still play unchanged.
    return !this.hungry(wanted) || (this.#fader.full && track.available > FADE_SAMPLES);
  }

  /**
   * How long the rule that holds now can hold.
   * @param {Track} track
   * @param {boolean} rising
   */
  #runLength(track, rising) {
    if (!(rising && this.#fader.full)) return this.#fader.remaining(rising);
    return track.complete ? Infinity : track.available - FADE_SAMPLES;
  }

  /**
   * @param {Track} track
   * @param {number} wanted
   * @param {number} frame
   * @returns {boolean} whether the track plays now
   */
  #start(track, wanted, frame) {
    if (this.hungry(wanted)) return false;
    this.#waiting = false;
    this.#fader.jump(!this.#returning && track.played === 0);
    this.#returning = false;
    this.#emit({ type: 'playing', track: track.id, frame, played: track.played });
    this.#sinceReport = 0;
    return true;
  }

  /**
   * @param {Track} track
   * @param {Float32Array} part
   * @param {number} frame
   */
  #listen(track, part, frame) {
    if (track.audible) return;
    const index = part.findIndex((sample) => Math.abs(sample) >= AUDIBLE);
    if (index < 0) return;
    track.audible = true;
    const played = track.played - part.length + index;
    this.#emit({ type: 'first-sound', track: track.id, frame: frame + index, played });
  }

  /**
   * @param {Track} track
   * @param {number} frame
   */
  #fallSilent(track, frame) {
    if (track.cancelled) {
      this.#end(track, frame, true);
      return;
    }
    this.#waiting = true;
    this.#returning = true;
    this.#underruns += 1;
    this.#threshold = Math.min(this.#threshold + UNDERRUN_STEP_SAMPLES, MOST_START_SAMPLES);
    const { id, played } = track;
    this.#emit({
      type: 'starved', track: id, frame, played, underruns: this.#underruns, threshold: this.#threshold,
    });
  }

  /**
   * @param {Track} track
   * @returns {boolean} whether anything is left to fade
   */
  #fadeAway(track) {
    if (track.cancelled) return true;
    track.cancelled = true;
    this.#fader.stretch(Math.min(CANCEL_FADE_SAMPLES, track.available));
    return !this.#fader.silent;
  }

  /**
   * @param {Track} track
   * @param {number} frame
   * @param {boolean} cancelled
   */
  #end(track, frame, cancelled) {
    if (this.#tracks[0] === track) {
      this.#waiting = true;
      this.#returning = false;
    }
    this.#tracks = this.#tracks.filter((one) => one !== track);
    this.#emit({ type: 'ended', track: track.id, frame, played: track.played, cancelled });
  }

  /**
   * @param {number} rendered
   * @param {number} frame
   */
  #report(rendered, frame) {
    this.#sinceReport += rendered;
    const track = this.#tracks[0];
    if (!track || this.#sinceReport < REPORT_SAMPLES) return;
    this.#sinceReport = 0;
    this.#emit({ type: 'report', track: track.id, frame, played: track.played, running: !this.#waiting });
  }

  /** @param {number} id */
  #find(id) {
    return this.#tracks.find((track) => track.id === id);
  }
}

// The class below exists only on the audio thread: elsewhere this file is imported for its pure part.
if (typeof registerProcessor === 'function') {
  registerProcessor(
    'utter-playout',
    class extends AudioWorkletProcessor {
      #core = new PlayoutCore((event) => this.port.postMessage(event));

      constructor() {
        super();
        this.port.onmessage = ({ data }) => this.#core.handle(data, currentFrame);
      }

      /**
       * @param {Float32Array[][]} _inputs
       * @param {Float32Array[][]} outputs
       * @returns {boolean}
       */
      process(_inputs, outputs) {
        this.#core.render(outputs[0][0], currentFrame);
        return true;
      }
    },
  );
}
