// @ts-check
/**
 * Where the line is written: the text box, its keys, voice and speed.
 *
 * Knows no socket and no sound; what is to be spoken is handed to `onSpeak`. Main thread.
 *
 * @module
 */

import { voiceName } from './config.js';
import { recall, remember } from './i18n.js';

/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {{name: string, language: string, description: string}} Voice */

/**
 * What the composer asks of the page. `asked` is when the key went down or the button was pressed, on the
 * clock of `performance.now()`.
 *
 * @typedef {object} Actions
 * @property {(text: string, asked: number) => boolean} onSpeak - whether the line was taken
 * @property {() => void} onStop
 */

const VOICE_KEY = 'utter.voice';
const SPEED_KEY = 'utter.speed';

/** Show the count of characters from this share of the limit on. */
const COUNT_FROM = 0.8;

/**
 * Whether a key press belongs to an input method that is still composing: its Enter picks a candidate and
 * its Escape drops one.
 *
 * @param {Pick<KeyboardEvent, 'isComposing' | 'keyCode'>} event
 */
export function isComposing(event) {
  // Safari sends the confirming Enter after the composition has ended, marked only by the old code 229.
  return event.isComposing || event.keyCode === 229;
}

/** The form, once wired, asks `actions` to speak and to stop. */
export class Composer {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {Actions} actions
   */
  constructor(page, language, actions) {
    const find = (/** @type {string} */ id) => page.getElementById(id);
    this.language = language;
    this.actions = actions;
    this.form = /** @type {HTMLFormElement} */ (find('composer'));
    this.box = /** @type {HTMLTextAreaElement} */ (find('text'));
    this.count = /** @type {HTMLElement} */ (find('count'));
    this.voices = /** @type {HTMLSelectElement} */ (find('voice'));
    this.spoken = /** @type {HTMLElement} */ (find('voice-language'));
    this.slider = /** @type {HTMLInputElement} */ (find('speed'));
    this.speedValue = /** @type {HTMLOutputElement} */ (find('speed-value'));
    this.stopButton = /** @type {HTMLButtonElement} */ (find('stop'));
    this.limit = Infinity;
    /** @type {readonly Voice[]} */
    this.known = [];
    this.listen(page);
    this.slider.value = recall(SPEED_KEY) ?? '1';
    this.showSpeed();
    language.onChange(() => this.relabel());
  }

  get voice() {
    return this.voices.value;
  }

  get speed() {
    return Number(this.slider.value);
  }

  /** Code points in the box, as the server counts them. */
  get length() {
    return [...this.box.value].length;
  }

  /** @param {boolean} speaking - whether there is anything to stop */
  setSpeaking(speaking) {
    // A button that can no longer be pressed loses the focus; with a keyboard one goes on where one writes.
    if (!speaking && this.stopButton.matches(':focus-visible')) this.box.focus();
    this.stopButton.disabled = !speaking;
  }

  /**
   * Offer these voices; the remembered one stays chosen where it still exists.
   *
   * @param {readonly Voice[]} voices - not empty
   * @param {string} preferred
   * @param {number} limit - code points that can be spoken at once
   */
  offer(voices, preferred, limit) {
    this.limit = limit;
    this.known = voices;
    const wanted = this.voices.disabled ? recall(VOICE_KEY) : this.voices.value;
    this.voices.replaceChildren(...voices.map((voice) => this.option(voice)));
    this.voices.value = voices.some(({ name }) => name === wanted) ? String(wanted) : preferred;
    this.voices.disabled = false;
    this.showLanguage();
    this.showCount();
  }

  /** @param {Document} page */
  listen(page) {
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit(event.timeStamp);
    });
    this.box.addEventListener('keydown', (event) => this.onKey(event));
    this.box.addEventListener('input', () => this.showCount());
    this.stopButton.addEventListener('click', () => this.actions.onStop());
    this.slider.addEventListener('input', () => this.showSpeed());
    this.slider.addEventListener('change', () => remember(SPEED_KEY, this.slider.value));
    this.voices.addEventListener('change', () => {
      remember(VOICE_KEY, this.voices.value);
      this.showLanguage();
    });
    // On the whole page and before anything else sees it: stopping must not depend on where the focus is.
    page.addEventListener('keydown', (event) => this.onAnyKey(event), { capture: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    if (!event.repeat) this.submit(event.timeStamp);
  }

  /** @param {KeyboardEvent} event */
  onAnyKey(event) {
    if (event.key === 'Escape' && !isComposing(event)) this.actions.onStop();
  }

  /** @param {number} asked */
  submit(asked) {
    const taken = this.actions.onSpeak(this.box.value, asked);
    // The line stays, selected: typing replaces it, Enter says it again, and nothing is lost.
    if (taken && this.box.ownerDocument.activeElement === this.box) this.box.select();
  }

  showCount() {
    const { length, limit } = this;
    this.count.hidden = length < limit * COUNT_FROM;
    this.count.classList.toggle('over', length > limit);
    const { language } = this;
    const words = { count: language.number(length), limit: language.number(limit) };
    this.count.textContent = this.count.hidden ? '' : language.say('remaining', words);
  }

  showSpeed() {
    const words = this.language.say('times', { value: this.language.number(this.speed, 2) });
    this.speedValue.textContent = words;
    this.slider.setAttribute('aria-valuetext', words);
  }

  relabel() {
    this.showSpeed();
    this.showCount();
    this.showLanguage();
    for (const [index, voice] of this.known.entries()) {
      this.voices.options[index].textContent = this.describe(voice);
    }
  }

  /** @param {Voice} voice */
  option(voice) {
    const option = document.createElement('option');
    option.value = voice.name;
    option.title = voice.description;
    option.textContent = this.describe(voice);
    return option;
  }

  /** Say what the chosen voice speaks: somebody who reads the page in another language must know before trying. */
  showLanguage() {
    const chosen = this.known.find(({ name }) => name === this.voice);
    this.spoken.textContent = chosen === undefined ? '' : this.nameLanguage(chosen.language);
  }

  /** @param {Voice} voice */
  describe({ name, language }) {
    const alike = this.known.every((voice) => voice.language === language);
    return alike ? voiceName(name) : `${voiceName(name)} · ${this.nameLanguage(language)}`;
  }

  /** @param {string} tag */
  nameLanguage(tag) {
    return new Intl.DisplayNames([this.language.tag], { type: 'language', style: 'short' }).of(tag) ?? tag;
  }
}
