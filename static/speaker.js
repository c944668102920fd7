// @ts-check
/**
 * What the page does with a line: ask for it, play it, keep it, stop it, play it again.
 *
 * Stands between the client, the player and the views: knows what was asked for and how far it has come, but
 * no element and no word of either language. Main thread.
 *
 * Every line that is waiting or sounding is a *turn*; it leaves when its sound has ended and no more can come.
 * Turns are bounded by what the server lets a session open.
 *
 * @module
 */

import { latencyOf } from './latency.js';
import { Recording } from './recorder.js';
import { Script } from './script.js';

/** @typedef {import('./client.js').SpeechClient} SpeechClient */
/** @typedef {import('./player.js').Player} Player */
/** @typedef {import('./player.js').PlayerEvent} PlayerEvent */
/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').Segment} Segment */

/** The part of the client that is used. @typedef {Pick<SpeechClient, 'newId' | 'speak' | 'text' | 'end' | 'cancel' | 'progress'>} Client */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */

/**
 * `stopped` by the person, `cut` by a loss after some of it was heard, `failed` before any was.
 * @typedef {'waiting' | 'speaking' | 'spoken' | 'stopped' | 'cut' | 'failed'} Status
 */

/**
 * One line that was asked for, as the history shows it.
 *
 * @typedef {object} Entry
 * @property {string} text
 * @property {string} voice
 * @property {number} speed
 * @property {Status} status
 * @property {Segment[]} segments - in order, with offsets in UTF-16 units
 * @property {number} samples - exact length in content samples; 0 until it is known
 * @property {Recording | null} recording - once it is complete
 * @property {boolean} streamed - it was spoken while it was still being written
 * @property {boolean} delayed - it had to wait for another line or for a tap, so its latency means nothing
 * @property {import('./latency.js').Latency | null} latency - once heard; finer once the server has told its part
 */

/**
 * @typedef {object} Turn
 * @property {string} name - of the utterance; a replay has the name of what it repeats
 * @property {Entry} entry
 * @property {boolean} replay
 * @property {number} asked - on the clock of `performance.now()`
 * @property {number} from - content samples of it that were heard before the page was loaded
 * @property {[number, number][]} pieces - of a line that was still being written before the server took its first
 *   segment from it: how much text there was, in UTF-16 units, and since when
 * @property {number | null} written - when the text of the first segment was there; null as long as none is known
 * @property {number | null} ordinal - once there is sound of it
 * @property {Recording} recording - what has arrived so far
 * @property {import('./latency.js').Measured | null} measured
 * @property {import('./latency.js').ServerTimings} timings - empty until the server's `done`
 * @property {boolean} unreadable - the server has told of text that the voice cannot read
 */

/**
 * @typedef {object} Watcher
 * @property {(entry: Entry) => void} onEntry - something of it has changed
 * @property {(latency: import('./latency.js').Latency, entry: Entry) => void} onLatency - of the line heard last
 * @property {(code: string, message: string) => void} onProblem - `message` is the server's, in English
 * @property {(reason: string | null) => void} onSound - why not everything can be heard; null when it can
 */

/** Speaks lines one after another through `player`; `client` is set once the server has said where it is. */
export class Speaker {
  /**
   * @param {Player} player
   * @param {Watcher} watcher
   * @param {() => import('./reading.js').ReadingSettings} reading - how text is read now: asked when a line begins
   */
  constructor(player, watcher, reading) {
    this.player = player;
    this.watcher = watcher;
    this.reading = reading;
    /** @type {Client | null} */
    this.client = null;
    /** @type {Map<string, Turn>} by name, in the order they will be heard */
    this.turns = new Map();
    /** Whether sound leaves the player. */
    this.sounding = false;
    /** How often the player ran dry and the server has not been told. */
    this.underruns = 0;
  }

  /** Whether anything is waiting or sounding. */
  get busy() {
    return this.turns.size > 0;
  }

  /** For the waveform; null before the first sound. */
  get analyser() {
    return this.player.analyser;
  }

  /**
   * What is heard at this moment, and how far into it, in content samples; null in silence, unless it is about to go on
   * where it stopped.
   *
   * @returns {{entry: Entry, sample: number} | null}
   */
  heard() {
    const { utterance, heard } = this.player.playhead();
    const turn = this.turn(utterance);
    if (turn !== undefined) return { entry: turn.entry, sample: Math.max(heard, turn.from) };
    const [next] = this.turns.values();
    return next !== undefined && next.from > 0 ? { entry: next.entry, sample: next.from } : null;
  }

  /**
   * Go on with lines that were asked for before the page was loaded.
   *
   * @param {SavedSession} saved
   * @param {{voice: string, speed: number}} settings - of lines that tell none
   * @returns {Entry[]} in order
   */
  restore({ lines, playing, played }, settings) {
    return lines.map(({ utterance, script }) => {
      const asked = Script.restore(utterance, script);
      const entry = newEntry(asked.text, { ...settings, ...asked.settings });
      entry.delayed = true;
      const from = utterance === playing ? played : 0;
      this.begin({ name: utterance, entry, replay: false, asked: 0, recording: new Recording(utterance) }, from);
      return entry;
    });
  }

  /**
   * Ask for a line; it is heard after those asked for before. Only with a client.
   *
   * @param {Entry} entry - a new one, or one that is over without a recording: it begins anew
   * @param {number} asked - when the person asked, on the clock of `performance.now()`
   */
  speak(entry, asked) {
    const client = /** @type {Client} */ (this.client);
    const { text, voice, speed } = entry;
    Object.assign(entry, newEntry(text, { voice, speed }), { delayed: this.busy });
    const name = client.newId();
    this.begin({ name, entry, replay: false, asked, recording: new Recording(name) });
    client.speak(text, { utterance: name, voice, speed, ...this.reading() });
  }

  /**
   * Ask for a line that is still being written, and begin with what there is of it. Only with a client.
   *
   * @param {Entry} entry - a new one
   * @param {number} asked - when its first text was there, on the clock of `performance.now()`
   * @returns {string} its name, for `append` and `finish`
   */
  open(entry, asked) {
    const client = /** @type {Client} */ (this.client);
    const { text, voice, speed } = entry;
    Object.assign(entry, { streamed: true, delayed: this.busy });
    const name = client.newId();
    this.begin({ name, entry, replay: false, asked, recording: new Recording(name) }).pieces.push([text.length, asked]);
    client.text(name, text, { voice, speed, ...this.reading() });
    return name;
  }

  /**
   * Add text to a line; one that is over takes no more.
   *
   * @param {string} name
   * @param {string} text - cut anywhere
   * @param {number} written - when it was there, on the clock of `performance.now()`
   * @returns {boolean} whether the line goes on
   */
  append(name, text, written) {
    const turn = this.turn(name);
    if (turn === undefined || turn.replay) return false;
    turn.entry.text += text;
    if (turn.written === null) turn.pieces.push([turn.entry.text.length, written]);
    this.client?.text(name, text);
    return true;
  }

  /**
   * Say that a line is wholly written.
   *
   * @param {string} name
   */
  finish(name) {
    const turn = this.turn(name);
    if (turn !== undefined && !turn.replay) this.client?.end(name);
  }

  /**
   * Stop what sounds and play a finished line again.
   *
   * @param {Entry} entry - with a recording
   */
  replay(entry) {
    const recording = /** @type {Recording} */ (entry.recording);
    this.stop();
    const turn = this.begin({ name: recording.utterance, entry, replay: true, asked: 0, recording });
    turn.ordinal = recording.replay(this.player);
    this.watcher.onEntry(entry);
  }

  /**
   * Stop everything at once.
   *
   * @returns {boolean} whether there was anything to stop
   */
  stop() {
    if (!this.busy) return false;
    const head = this.player.playhead();
    const { played } = this.player.cancel();
    const asked = [...this.turns.values()].filter(({ replay }) => !replay);
    const playing = asked.find(({ name }) => name === head.utterance) ?? asked[0];
    if (playing !== undefined) {
      this.client?.cancel(undefined, playing.name === head.utterance ? played : playing.from, playing.name);
    }
    const stopped = [...this.turns.values()];
    this.turns.clear();
    for (const turn of stopped) this.become(turn.entry, turn.replay ? 'spoken' : 'stopped');
    return true;
  }

  /** Whatever has not been heard yet waits for a person, not for us: its latency is not to be shown. */
  delay() {
    for (const { entry } of this.turns.values()) entry.delayed = true;
  }

  /** Tell the server how far playback is: call about four times a second while busy. */
  report() {
    const { utterance, played } = this.player.playhead();
    const turn = this.turn(utterance);
    if (turn !== undefined) this.tell(turn, played);
  }

  /**
   * @param {Turn} turn
   * @param {number} played
   */
  tell(turn, played) {
    if (turn.replay) return;
    this.client?.progress(turn.name, played, this.underruns || undefined);
    this.underruns = 0;
  }

  /** @param {ServerMessage} message */
  onMessage(message) {
    if (message.type === 'warning') console.warn(`${message.code}: ${message.message}`);
    if (message.type === 'error') this.onError(message);
    // Until it hears of it, the server takes what was played meanwhile to be still in hand.
    if (message.type === 'ready' && message.resumed) this.report();
    const turn = this.turn('utterance' in message ? message.utterance : undefined);
    if (turn === undefined) return;
    if (message.type === 'warning' && message.code === 'unreadable-text') {
      turn.unreadable = true;
      this.watcher.onProblem(message.code, message.message);
    }
    if (message.type === 'segment') this.onSegment(turn, message);
    if (message.type === 'audio') this.onAudio(turn, message);
    if (message.type === 'done') this.onDone(turn, message);
  }

  /** @param {PlayerEvent} event */
  onPlayer(event) {
    if (event.type === 'state') {
      this.watcher.onSound(event.reason);
      return;
    }
    if (event.type === 'playing') this.sounding = true;
    if (event.type === 'starved' || event.type === 'ended') this.sounding = false;
    const turn = this.turn(event.utterance);
    // What a replay repeats has its name: the end of what was stopped before must not end the replay.
    if (turn === undefined || turn.ordinal !== event.ordinal) return;
    if (event.type === 'playing') this.become(turn.entry, 'speaking');
    if (event.type === 'underrun' && !turn.replay) this.underruns += 1;
    if (event.type === 'first-sound') this.onFirstSound(turn, event);
    if (event.type === 'ended') this.onEnded(turn, event);
  }

  /**
   * @param {Turn} turn
   * @param {Segment} segment
   */
  onSegment(turn, segment) {
    insertSegment(turn.entry.segments, segment);
    if (turn.written !== null) return;
    const needed = segment.offset + segment.text.length;
    const [, written] = turn.pieces.find(([length]) => length >= needed) ?? [needed, turn.asked];
    Object.assign(turn, { written, pieces: [] });
  }

  /**
   * @param {Turn} turn
   * @param {import('./protocol.js').Audio} message
   */
  onAudio(turn, message) {
    turn.ordinal = message.ordinal;
    turn.recording.add(message);
    this.player.push(message, turn.from);
  }

  /**
   * @param {Turn} turn
   * @param {import('./protocol.js').Done} message
   */
  onDone(turn, { samples, timings }) {
    const { entry } = turn;
    entry.samples = samples;
    turn.timings = timings;
    if (turn.ordinal === null) {
      const spoken = samples > 0 && turn.from >= samples;
      if (!spoken && !turn.unreadable) this.watcher.onProblem('nothingToSay', '');
      this.leave(turn, spoken ? 'spoken' : 'failed');
      return;
    }
    turn.recording.finish(samples);
    // What was heard before the page was loaded is not in it.
    if (turn.from === 0) entry.recording = turn.recording;
    this.player.finish(turn.ordinal, samples);
    this.measure(turn);
    this.watcher.onEntry(entry);
  }

  /** @param {import('./protocol.js').WireError} message */
  onError({ code, message, utterance }) {
    const turn = this.turn(utterance);
    // What is stopped or over cannot fail any more in a way that matters to a person.
    if (utterance !== undefined && turn === undefined) return;
    const unheard = code === 'connection-lost' && turn?.ordinal === null;
    this.watcher.onProblem(unheard ? 'not-connected' : code, message);
    if (turn === undefined) return;
    if (turn.ordinal === null) this.leave(turn, 'failed');
    else this.player.finish(turn.ordinal);
  }

  /**
   * @param {Turn} turn
   * @param {import('./player.js').FirstSoundEvent} event
   */
  onFirstSound(turn, { receivedAt, decodedAt, renderedAt, heardAt }) {
    if (turn.replay || turn.entry.delayed) return;
    const firstSound = Math.max(renderedAt, heardAt);
    const decode = decodedAt - receivedAt;
    const written = turn.written ?? turn.asked;
    turn.measured = { enter: turn.asked, written, firstMessage: receivedAt, firstSound, decode };
    performance.clearMeasures('utter.rendered');
    performance.measure('utter.rendered', { start: turn.asked, end: renderedAt });
    this.measure(turn);
    this.watcher.onEntry(turn.entry);
  }

  /**
   * @param {Turn} turn
   * @param {import('./player.js').EndedEvent} event
   */
  onEnded(turn, { played }) {
    this.tell(turn, played);
    this.leave(turn, turn.replay || turn.entry.samples > 0 ? 'spoken' : 'cut');
  }

  /** @param {Turn} turn */
  measure({ entry, measured, timings }) {
    if (measured === null) return;
    entry.latency = latencyOf(measured, timings);
    this.watcher.onLatency(entry.latency, entry);
  }

  /**
   * @param {Omit<Turn, 'from' | 'pieces' | 'written' | 'ordinal' | 'measured' | 'timings' | 'unreadable'>} turn
   * @param {number} [from]
   * @returns {Turn}
   */
  begin(turn, from = 0) {
    /** @type {Turn} */
    const begun = {
      ...turn, from, pieces: [], written: null, ordinal: null, measured: null, timings: {}, unreadable: false,
    };
    this.turns.set(turn.name, begun);
    return begun;
  }

  /**
   * @param {Turn} turn
   * @param {Status} status
   */
  leave(turn, status) {
    this.turns.delete(turn.name);
    this.become(turn.entry, status);
  }

  /**
   * @param {Entry} entry
   * @param {Status} status
   */
  become(entry, status) {
    entry.status = status;
    this.watcher.onEntry(entry);
  }

  /** @param {string | undefined} name */
  turn(name) {
    return name === undefined ? undefined : this.turns.get(name);
  }
}

/**
 * Return an entry that has not been asked for yet.
 *
 * @param {string} text
 * @param {{voice: string, speed: number}} settings
 * @returns {Entry}
 */
export function newEntry(text, { voice, speed }) {
  return {
    text, voice, speed, status: 'waiting', segments: [], samples: 0, recording: null,
    streamed: false, delayed: false, latency: null,
  };
}

/**
 * Put `segment` where its index belongs; the same index again replaces the earlier one.
 *
 * @param {Segment[]} segments
 * @param {Segment} segment
 */
function insertSegment(segments, segment) {
  const at = segments.findIndex(({ index }) => index >= segment.index);
  if (at < 0) segments.push(segment);
  else segments.splice(at, segments[at].index === segment.index ? 1 : 0, segment);
}
