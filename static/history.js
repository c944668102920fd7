// @ts-check
/**
 * The list of what was spoken, newest first, each with replay, downloads and its latency.
 *
 * Knows entries and the elements that show them; how to replay or save one is handed in. Keeps the newest
 * `MOST_ENTRIES`: one more drops the oldest, its sound included. Main thread.
 *
 * @module
 */

import { voiceName } from './config.js';
import { whyNot } from './download.js';
import { captionOf, fillBar, fillLegend, shortDuration } from './latency.js';
import { CONTENT_RATE_HZ } from './protocol.js';

/** @typedef {import('./download.js').FileKind} FileKind */
/** @typedef {import('./i18n.js').Key} Key */
/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./speaker.js').Entry} Entry */

/**
 * What the list asks of the page.
 *
 * @typedef {object} Actions
 * @property {(entry: Entry) => void} replay
 * @property {(entry: Entry, kind: FileKind) => void} save
 */

export const MOST_ENTRIES = 50;

/** The files a line can be saved as, by what names them to somebody who cannot see. @type {Record<FileKind, Key>} */
const FILES = { wav: 'wavItem', opus: 'opusItem', srt: 'srtItem', vtt: 'vttItem' };
const KINDS = /** @type {FileKind[]} */ (Object.keys(FILES));

/** What is worth saying of how far a line has come. @type {Partial<Record<Entry['status'], Key>>} */
const STATUS_WORDS = { waiting: 'waiting', stopped: 'stopped', cut: 'cut', failed: 'failed' };

/** The history: `add` an entry when it is asked for, `update` it whenever something of it has changed. */
export class History {
  /**
   * @param {HTMLElement} list
   * @param {HTMLTemplateElement} template
   * @param {Language} language
   * @param {Actions} actions
   */
  constructor(list, template, language, actions) {
    this.list = list;
    this.template = template;
    this.language = language;
    this.actions = actions;
    /** @type {Map<Entry, HTMLElement>} oldest first */
    this.items = new Map();
    language.onChange(() => this.relabel());
  }

  /**
   * Put an entry on top; one that is there already is moved, and shown as it is now.
   *
   * @param {Entry} entry
   */
  add(entry) {
    this.drop(entry);
    const item = this.build(entry);
    this.items.set(entry, item);
    this.list.prepend(item);
    this.update(entry);
    const [oldest] = this.items.keys();
    if (this.items.size > MOST_ENTRIES) this.drop(oldest);
  }

  /** @param {Entry} entry */
  update(entry) {
    const item = this.items.get(entry);
    if (item === undefined) return;
    item.classList.toggle('active', entry.status === 'speaking');
    part(item, '.item-meta').textContent = this.describe(entry);
    enable(item, '.play', isReplayable(entry));
    for (const kind of KINDS) this.offer(item, kind, whyNot(entry, kind));
    this.showText(item, entry);
    this.showLatency(item, entry);
  }

  /**
   * Return the entry of this text that could not be spoken to its end; null if there is none.
   *
   * @param {string} text
   */
  unspoken(text) {
    const unfinished = [...this.items.keys()].filter(({ status }) => status === 'failed' || status === 'cut');
    return unfinished.find((entry) => entry.text === text) ?? null;
  }

  get empty() {
    return this.items.size === 0;
  }

  /** Drop every entry that is not being spoken or waiting. */
  clear() {
    for (const entry of [...this.items.keys()]) {
      if (entry.status !== 'speaking' && entry.status !== 'waiting') this.drop(entry);
    }
  }

  /** @param {Entry} entry */
  build(entry) {
    const copy = /** @type {DocumentFragment} */ (this.template.content.cloneNode(true));
    const item = /** @type {HTMLElement} */ (copy.firstElementChild);
    part(item, '.play').addEventListener('click', () => this.actions.replay(entry));
    for (const kind of KINDS) part(item, `.${kind}`).addEventListener('click', () => this.actions.save(entry, kind));
    return item;
  }

  relabel() {
    for (const [entry, item] of this.items) {
      part(item, '.item-text').title = '';
      this.update(entry);
    }
  }

  /**
   * Show the text, and name the buttons by it; a line that is still being written changes its text.
   *
   * @param {HTMLElement} item
   * @param {Entry} entry
   */
  showText(item, entry) {
    const { language } = this;
    const whole = part(item, '.item-text');
    if (whole.title === entry.text) return;
    language.apply(item);
    whole.textContent = entry.text;
    whole.title = entry.text;
    const text = entry.text.length > 60 ? `${entry.text.slice(0, 60)}…` : entry.text;
    part(item, '.play').setAttribute('aria-label', language.say('replayItem', { text }));
    part(item, '.play').title = language.say('replay');
    for (const kind of KINDS) part(item, `.${kind}`).setAttribute('aria-label', language.say(FILES[kind], { text }));
  }

  /**
   * Offer a line as a file, or say why there is none: a screen reader takes the title for the description.
   *
   * @param {HTMLElement} item
   * @param {FileKind} kind
   * @param {Key | null} missing
   */
  offer(item, kind, missing) {
    enable(item, `.${kind}`, missing === null);
    part(item, `.${kind}`).title = missing === null ? '' : this.language.say(missing);
  }

  /** @param {Entry} entry */
  describe(entry) {
    const { language } = this;
    const facts = [];
    const word = STATUS_WORDS[entry.status];
    if (word !== undefined) facts.push(language.say(word));
    if (entry.samples > 0) {
      facts.push(language.say('seconds', { value: language.number(entry.samples / CONTENT_RATE_HZ, 1) }));
    }
    facts.push(voiceName(entry.voice));
    if (entry.speed !== 1) facts.push(language.say('times', { value: language.number(entry.speed, 2) }));
    return facts.join(' · ');
  }

  /**
   * @param {HTMLElement} item
   * @param {Entry} entry
   */
  showLatency(item, entry) {
    const details = part(item, '.item-latency');
    const { latency } = entry;
    details.hidden = latency === null;
    if (latency === null) return;
    fillBar(part(details, '.strip'), latency.stations);
    fillLegend(part(details, '.legend'), latency.stations, this.language);
    const unit = this.language.say('milliseconds');
    const words = `${shortDuration(this.language, latency.total)} ${unit}`;
    part(details, '.item-total').textContent = words;
    const summary = part(details, 'summary');
    summary.setAttribute('aria-label', `${words} ${this.language.say(captionOf(entry))}`);
  }

  /** @param {Entry} entry */
  drop(entry) {
    this.items.get(entry)?.remove();
    this.items.delete(entry);
  }
}

/**
 * Whether playing again makes sense: not before the first time, and without a recording, when it means asking the
 * server again, only once it is over.
 *
 * @param {Entry} entry
 */
export function isReplayable({ status, recording }) {
  return status !== 'waiting' && (status !== 'speaking' || recording !== null);
}

/**
 * @param {Element} root
 * @param {string} selector
 */
function part(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector));
}

/**
 * @param {Element} root
 * @param {string} selector
 * @param {boolean} enabled
 */
function enable(root, selector, enabled) {
  /** @type {HTMLButtonElement} */ (part(root, selector)).disabled = !enabled;
}
