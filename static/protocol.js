// @ts-check
/**
 * The wire, version 1, as the browser sees it: builds client messages, reads server messages and audio.
 *
 * The only place in the browser that knows wire bytes. Knows no socket, no clock and no audio device. Pure.
 * Sample counts and timestamps are 48 kHz samples of content. Text offsets are Unicode code points on the
 * wire and UTF-16 units in JavaScript; `TextOffsets` converts.
 */

/** Rate of every sample count and timestamp, in Hz. */
export const CONTENT_RATE_HZ = 48_000;

/** Content samples in one packet: 20 ms. */
export const PACKET_SAMPLES = CONTENT_RATE_HZ / 50;

/** Value of an audio message's `kind`. */
export const AudioKind = Object.freeze({ OPUS: 1, PCM: 2 });

/** Bits of an audio message's `flags`. */
export const AudioFlag = Object.freeze({ FIRST: 1, LAST: 2, PRE_ROLL: 4, DECODER_RESET: 8 });

/** Close codes the browser tells apart; 1003, 1007, 1008 and 1009 all say that our messages were not accepted. */
export const CloseCode = Object.freeze({
  NORMAL: 1000,
  GOING_AWAY: 1001,
  BINARY: 1003,
  MALFORMED: 1007,
  FLOOD: 1008,
  TOO_BIG: 1009,
  OVERLOADED: 1013,
  TAKEN_OVER: 4001,
});

const HEADER_BYTES = 12;
const LENGTH_BYTES = 2;

/**
 * Settings of a session or of the text that follows; what is absent keeps its default.
 * @typedef {{voice?: string, language?: string, speed?: number, pitch?: number, markup?: 'auto' | 'plain',
 *   emoji?: 'drop' | 'name', lexicon?: {[word: string]: string}}} VoiceSettings
 *
 * @typedef {VoiceSettings & {format?: 'opus' | 'pcm', sample_rate?: number, bitrate?: number,
 *   captions?: boolean, lead_ms?: number | null}} StartSettings
 *
 * The session to go on with: `next` is the sequence number of the first packet wanted, the first `pre_roll` of them for
 * a new decoder only; `cancel` names what was cancelled meanwhile, `playing` and `played` where playback is.
 * @typedef {{session: string, next: number, pre_roll?: number, cancel: string[], playing?: string,
 *   played?: number}} Resume
 *
 * @typedef {{type: 'start', resume?: Resume} & StartSettings} Start
 * @typedef {{type: 'text', utterance: string, text: string} & VoiceSettings} Text
 * @typedef {{type: 'flush', utterance: string}} Flush
 * @typedef {{type: 'end', utterance: string}} End
 * @typedef {{type: 'cancel', utterance?: string, played?: number, playing?: string}} Cancel
 * @typedef {{type: 'progress', utterance: string, played: number, underruns?: number}} Progress
 * @typedef {{type: 'ping'}} Ping
 * @typedef {Start | Text | Flush | End | Cancel | Progress | Ping} ClientMessage
 *
 * What a resumed session has of an utterance that is not fully heard: `received` code points of its text, and its end.
 * @typedef {{utterance: string, received: number, ended: boolean, state: string, ordinal?: number | null}} Unheard
 *
 * @typedef {{type: 'ready', session: string, version: number, voice: string,
 *   limits: Record<string, number>, resumed: boolean, utterances?: Unheard[] | null}} Ready
 * @typedef {{type: 'started', utterance: string, ordinal: number, voice: string, pre_skip: number}} Started
 * @typedef {{text: string, offset: number, length: number, start: number, end: number}} Word
 * @typedef {{type: 'segment', utterance: string, index: number, text: string, offset: number, start: number,
 *   words: Word[]}} Segment
 * @typedef {{type: 'done', utterance: string, samples: number, timings: Record<string, number>,
 *   reason?: string}} Done
 * @typedef {{type: 'cancelled', utterance: string, text_spoken: string, text_remaining: string}} Cancelled
 * @typedef {{type: 'warning', code: string, message: string, utterance?: string,
 *   retry_after_ms?: number}} Warning
 * @typedef {{type: 'error', code: string, message: string, retryable: boolean, utterance?: string,
 *   retry_after_ms?: number}} WireError
 * @typedef {{type: 'pong'}} Pong
 *
 * `sequence` and `timestamp` are those of the first packet; packet k adds k and k * PACKET_SAMPLES.
 * `utterance` and `preSkip` are not in the bytes: the client adds them from the `started` of the ordinal.
 * @typedef {{type: 'audio', kind: number, flags: number, ordinal: number, sequence: number,
 *   timestamp: number, packets: Uint8Array[], utterance?: string, preSkip?: number}} Audio
 *
 * @typedef {Ready | Started | Segment | Done | Cancelled | Warning | WireError | Pong | Audio} ServerMessage
 */

/** What the server sent is not version 1 of the wire. */
export class ProtocolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'ProtocolError';
  }
}

/**
 * Fields every server message of a type has, with their `typeof`.
 * @type {Record<string, Record<string, string>>}
 */
const REQUIRED = {
  ready: { session: 'string', version: 'number', voice: 'string' },
  started: { utterance: 'string', ordinal: 'number', voice: 'string', pre_skip: 'number' },
  segment: { utterance: 'string', index: 'number', text: 'string', offset: 'number', start: 'number' },
  done: { utterance: 'string', samples: 'number', timings: 'object' },
  cancelled: { utterance: 'string', text_spoken: 'string', text_remaining: 'string' },
  warning: { code: 'string', message: 'string' },
  error: { code: 'string', message: 'string', retryable: 'boolean' },
  pong: {},
};

/**
 * Build the text of a client message. Fields that are `undefined` are left out.
 * @param {ClientMessage} message
 * @returns {string}
 */
export function serialize(message) {
  return JSON.stringify(message);
}

/**
 * Read one message of the server: a string is control, an `ArrayBuffer` is audio.
 *
 * A control message of a type this version does not know gives `null`, so that a newer server can say more.
 * @param {string | ArrayBuffer} data
 * @returns {ServerMessage | null}
 * @throws {ProtocolError} if it is neither valid control nor valid audio
 */
export function parse(data) {
  return typeof data === 'string' ? parseControl(data) : parseAudio(data);
}

/**
 * @param {string} text
 * @returns {ServerMessage | null}
 */
function parseControl(text) {
  const message = parseObject(text);
  const required = Object.hasOwn(REQUIRED, message.type) ? REQUIRED[message.type] : undefined;
  if (!required) return null;
  for (const [field, type] of Object.entries(required)) {
    if (typeof message[field] !== type || message[field] === null) {
      throw new ProtocolError(`${message.type}.${field} must be a ${type}`);
    }
  }
  if (message.type === 'segment' && !Array.isArray(message.words)) {
    throw new ProtocolError('segment.words must be an array');
  }
  return /** @type {ServerMessage} */ (/** @type {unknown} */ (message));
}

/**
 * @param {string} text
 * @returns {Record<string, any>}
 */
function parseObject(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError('control message is not JSON');
  }
  if (typeof value !== 'object' || value === null || typeof value.type !== 'string') {
    throw new ProtocolError('control message has no type');
  }
  return value;
}

/**
 * Read an audio message. The packets are views into `buffer`, not copies.
 * @param {ArrayBuffer} buffer
 * @returns {Audio}
 * @throws {ProtocolError} if a length points past the end, or there is no packet
 */
export function parseAudio(buffer) {
  if (buffer.byteLength < HEADER_BYTES) throw new ProtocolError('audio message shorter than its header');
  const view = new DataView(buffer);
  const kind = view.getUint8(0);
  if (kind !== AudioKind.OPUS && kind !== AudioKind.PCM) {
    throw new ProtocolError(`audio message of unknown kind ${kind}`);
  }
  return {
    type: 'audio',
    kind,
    flags: view.getUint8(1),
    ordinal: view.getUint16(2, true),
    sequence: view.getUint32(4, true),
    timestamp: view.getUint32(8, true),
    packets: readPackets(view),
  };
}

/**
 * @param {DataView<ArrayBuffer>} view
 * @returns {Uint8Array[]}
 */
function readPackets(view) {
  const packets = [];
  let at = HEADER_BYTES;
  while (at < view.byteLength) {
    if (at + LENGTH_BYTES > view.byteLength) throw new ProtocolError('audio message ends inside a length');
    const length = view.getUint16(at, true);
    at += LENGTH_BYTES;
    if (at + length > view.byteLength) throw new ProtocolError('audio message ends inside a packet');
    packets.push(new Uint8Array(view.buffer, at, length));
    at += length;
  }
  if (packets.length === 0) throw new ProtocolError('audio message without a packet');
  return packets;
}

/**
 * Converts offsets in a growing text from code points to UTF-16 units.
 *
 * Remembers only where the text leaves the basic plane, so that text without emoji costs nothing. A surrogate
 * pair cut in two by separate `append` calls counts as one code point, as it does for the server.
 */
export class TextOffsets {
  /** Code point index of every code point that takes two UTF-16 units, ascending. @type {number[]} */
  #wide = [];
  #codePoints = 0;
  #openHigh = false;

  /** @param {string} text */
  constructor(text = '') {
    this.append(text);
  }

  /** Code points in the text so far. */
  get length() {
    return this.#codePoints;
  }

  /** @param {string} text */
  append(text) {
    for (let unit = 0; unit < text.length; unit += 1) {
      const code = text.charCodeAt(unit);
      const completesPair = this.#openHigh && code >= 0xdc00 && code <= 0xdfff;
      if (completesPair) this.#wide.push(this.#codePoints - 1);
      else this.#codePoints += 1;
      this.#openHigh = !completesPair && code >= 0xd800 && code <= 0xdbff;
    }
  }

  /**
   * Return the UTF-16 offset of the code point with this index.
   * @param {number} codePoint
   * @returns {number}
   */
  utf16(codePoint) {
    let low = 0;
    let high = this.#wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#wide[middle] < codePoint) low = middle + 1;
      else high = middle;
    }
    return codePoint + low;
  }

  /**
   * Return the segment with its offsets, and those and the lengths of its words, in UTF-16 units.
   * @param {Segment} segment
   * @returns {Segment}
   */
  convert(segment) {
    const words = segment.words.map((word) => {
      const offset = this.utf16(word.offset);
      return { ...word, offset, length: this.utf16(word.offset + word.length) - offset };
    });
    return { ...segment, offset: this.utf16(segment.offset), words };
  }
}
