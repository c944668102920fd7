// @ts-check
/**
 * A server of paper that keeps sessions over a loss, and the network before it, which can be cut at any moment.
 *
 * It speaks one code point a packet: the sound of a text is the text, so that what was lost or came twice can be
 * read. Nothing moves by itself: messages lie in two queues until they are delivered.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PACKET_SAMPLES = 960;

/** Packets sent ahead of what the client has told to have played. */
const LEAD = 6;

/** @typedef {{id: string, text: string[], ended: boolean, ordinal: number | null, sent: number, played: number,
 *   end: any, told: any[]}} Spoken */
/** @typedef {{owner: Spoken, sequence: number, timestamp: number, flags: number, letter: string}} Packet */

/** @param {Uint8Array} bytes */
export const letterOf = (bytes) => decoder.decode(bytes);

class Session {
  /** @type {Map<string, Spoken>} in the order they were opened */
  spoken = new Map();
  /** @type {Packet[]} */
  packets = [];
  next = 0;
  ordinal = 0;
  /** @type {Line | null} */
  line = null;

  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** @param {any} message */
  hear(message) {
    const spoken = this.spoken.get(message.utterance);
    if (message.type === 'text') this.#text(message, spoken);
    else if (message.type === 'end' && spoken && !spoken.end) spoken.ended = true;
    else if (message.type === 'progress' && spoken) this.#progress(spoken, message.played);
    else if (message.type === 'cancel') this.#cancel(message);
    else if (message.type === 'ping') this.line?.say({ type: 'pong' });
  }

  /** @param {any} message @param {Spoken | undefined} spoken */
  #text({ utterance, text }, spoken) {
    if (spoken?.end) {
      this.line?.say({ type: 'warning', code: 'utterance-ended', message: '', utterance });
      return;
    }
    if (!spoken) {
      spoken = { id: utterance, text: [], ended: false, ordinal: null, sent: 0, played: 0, end: null, told: [] };
      this.spoken.set(utterance, spoken);
    }
    spoken.text.push(...text);
  }

  /** @param {Spoken} spoken @param {number} played */
  #progress(spoken, played) {
    for (const one of this.spoken.values()) {
      if (one === spoken) break;
      one.played = Infinity;
    }
    spoken.played = Math.max(spoken.played, Math.min(played, spoken.sent * PACKET_SAMPLES));
  }

  /** @param {{utterance?: string}} message */
  #cancel({ utterance }) {
    const unheard = [...this.spoken.values()].filter((one) => this.#unheard(one));
    const stopped = unheard.filter(({ id }) => utterance === undefined || id === utterance);
    for (const one of stopped) {
      this.packets = this.packets.filter(({ owner }) => owner !== one);
      this.#end(one, { type: 'cancelled', utterance: one.id, text_spoken: '', text_remaining: one.text.join('') });
    }
    if (stopped.length > 0 || utterance === undefined) return;
    const code = this.spoken.has(utterance) ? 'nothing-to-cancel' : 'unknown-utterance';
    this.line?.say({ type: 'warning', code, message: '', utterance });
  }

  /** @param {Spoken} one */
  #unheard({ end, played, sent }) {
    return end === null || (end.type === 'done' && played < sent * PACKET_SAMPLES);
  }

  /** @param {Spoken} spoken @param {any} end */
  #end(spoken, end) {
    spoken.end = end;
    this.#tell(spoken, end);
  }

  /** @param {Spoken} spoken @param {any} message */
  #tell(spoken, message) {
    spoken.told.push(message);
    this.line?.say(message);
  }

  /** Speak the next packet, if one is due. @returns {boolean} whether anything was said */
  speak() {
    const spoken = [...this.spoken.values()].find(({ end }) => end === null);
    if (!spoken) return false;
    if (spoken.ordinal === null) {
      spoken.ordinal = this.ordinal++;
      this.#tell(spoken, { type: 'started', utterance: spoken.id, ordinal: spoken.ordinal, voice: 'v', pre_skip: 0 });
      return true;
    }
    if (spoken.sent < spoken.text.length) return this.#speakLetter(spoken, spoken.ordinal);
    if (!spoken.ended) return false;
    this.#end(spoken, { type: 'done', utterance: spoken.id, samples: spoken.sent * PACKET_SAMPLES, timings: {} });
    return true;
  }

  /** @param {Spoken} spoken @param {number} ordinal */
  #speakLetter(spoken, ordinal) {
    const ahead = this.packets.filter(({ owner, timestamp }) => timestamp >= owner.played).length;
    if (ahead >= LEAD) return false;
    const letter = spoken.text[spoken.sent];
    if (spoken.sent === 0) this.#segment(spoken);
    const packet = {
      owner: spoken, sequence: this.next++, timestamp: spoken.sent++ * PACKET_SAMPLES,
      flags: spoken.sent === 1 ? 1 : 0, letter,
    };
    this.packets.push(packet);
    this.line?.say(bytesOf([packet], ordinal));
    return true;
  }

  /** @param {Spoken} spoken */
  #segment({ id, text, told }) {
    const segment = { type: 'segment', utterance: id, index: 0, text: text.join(''), offset: 0, start: 0, words: [] };
    told.push(segment);
    this.line?.say(segment);
  }

  /** Fail the utterance being spoken. */
  fail() {
    const spoken = [...this.spoken.values()].find(({ end }) => end === null);
    if (!spoken) return;
    const error = { code: 'synthesis-failed', message: '', retryable: false };
    this.#end(spoken, { type: 'error', ...error, utterance: spoken.id });
  }

  /** @param {Line} line @param {any} resume */
  resume(line, { next, cancel = [], pre_roll = 0, playing, played = 0 }) {
    this.line = null;
    const heard = this.spoken.get(playing);
    if (heard) this.#progress(heard, played);
    for (const id of cancel) if (this.spoken.has(id)) this.#cancel({ utterance: id });
    this.line = line;
    const utterances = [...this.spoken.values()].filter((one) => this.#unheard(one)).map((one) => ({
      utterance: one.id, ordinal: one.ordinal, received: one.text.length, ended: one.ended, state: 'speaking',
    }));
    line.say(ready(this.token, { resumed: true, utterances }));
    for (const { told } of this.spoken.values()) for (const message of told) line.say(message);
    const again = this.packets.filter(({ sequence }) => sequence >= next);
    const follows = again.find(({ sequence }) => sequence >= next + pre_roll)?.owner;
    for (const packet of again) {
      const roll = packet.sequence < next + pre_roll;
      if (roll && packet.owner !== follows) continue;
      const flags = packet.flags | (roll ? 4 : 0) | (pre_roll > 0 && packet.sequence === next ? 8 : 0);
      line.say(bytesOf([{ ...packet, flags }], packet.owner.ordinal ?? 0));
    }
  }
}

/** One connection. Each side hears the other only when `deliver` says so. */
export class Line {
  /** @type {any[]} */
  toServer = [];
  /** @type {any[]} */
  toClient = [];
  /** @type {Session | null} */
  session = null;

  /** @param {FakeServer} server @param {import('./fake-connection.js').FakeSocket} socket */
  constructor(server, socket) {
    this.server = server;
    this.socket = socket;
    socket.send = (/** @type {string} */ text) => {
      socket.sent.push(JSON.parse(text));
      this.toServer.push(text);
    };
    socket.close = (/** @type {number | undefined} */ code) => {
      socket.closed = true;
      socket.codes.push(code);
      this.drop();
    };
  }

  /** @param {any} message */
  say(message) {
    this.toClient.push(message);
  }

  /** Let the oldest message arrive. @param {boolean} up to the server @returns {boolean} whether there was one */
  deliver(up) {
    const queue = up ? this.toServer : this.toClient;
    if (queue.length === 0) return false;
    const message = queue.shift();
    if (up) this.server.hear(this, JSON.parse(message));
    else this.socket.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
    return true;
  }

  /** What is under way is lost, and the server notices. */
  drop() {
    this.toServer = [];
    this.toClient = [];
    if (this.session?.line === this) this.session.line = null;
    this.session = null;
  }

  /** What is under way is lost, and both sides notice. @param {number} [code] */
  cut(code = 1006) {
    this.drop();
    this.socket.onclose({ code, reason: '' });
  }
}

/** Sessions by token. */
export class FakeServer {
  /** @type {Map<string, Session>} */
  sessions = new Map();
  /** The newest. @type {Session | null} */
  session = null;

  /** @param {Line} line @param {any} message */
  hear(line, message) {
    if (message.type === 'start') this.#start(line, message);
    else line.session?.hear(message);
  }

  /** @param {Line} line @param {any} start */
  #start(line, { resume }) {
    const known = resume && this.sessions.get(resume.session);
    if (known) {
      line.session = known;
      known.resume(line, resume);
      return;
    }
    const session = new Session(`token-${this.sessions.size}`);
    this.sessions.set(session.token, session);
    this.session = line.session = session;
    session.line = line;
    if (resume) line.say({ type: 'error', code: 'resume-refused', message: '', retryable: false });
    line.say(ready(session.token, { resumed: false }));
  }

  /** Know nobody any more, as after a restart. */
  forget() {
    this.sessions.clear();
    this.session = null;
  }
}

/** @param {string} session @param {object} rest */
function ready(session, rest) {
  return { type: 'ready', session, version: 1, voice: 'v', limits: {}, ...rest };
}

/** @param {Packet[]} packets @param {number} ordinal @returns {ArrayBuffer} */
function bytesOf(packets, ordinal) {
  const [{ flags, sequence, timestamp }] = packets;
  const letters = packets.map(({ letter }) => encoder.encode(letter));
  const bytes = new Uint8Array(12 + letters.reduce((sum, one) => sum + 2 + one.length, 0));
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint8(1, flags);
  view.setUint16(2, ordinal, true);
  view.setUint32(4, sequence, true);
  view.setUint32(8, timestamp, true);
  let at = 12;
  for (const letter of letters) {
    view.setUint16(at, letter.length, true);
    bytes.set(letter, at + 2);
    at += 2 + letter.length;
  }
  return bytes.buffer;
}
