// @ts-check
/**
 * What is happening now: the line being spoken, the waveform, and the latency of the newest line.
 *
 * Knows the speaker's entries and positions; changes nothing in them. Asks for frames only while something
 * is being spoken. Main thread.
 *
 * @module
 */

import { fillBar, fillLegend, shortDuration } from './latency.js';
import { SpokenLine } from './spoken-line.js';
import { Waveform } from './waveform.js';

/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./latency.js').Latency} Latency */
/** @typedef {import('./speaker.js').Speaker} Speaker */

/** Draws the stage of `speaker`. */
export class Stage {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {Speaker} speaker
   */
  constructor(page, language, speaker) {
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (page.getElementById(id));
    this.language = language;
    this.speaker = speaker;
    this.lineElement = find('line');
    this.line = new SpokenLine(this.lineElement);
    this.waveform = new Waveform(/** @type {HTMLCanvasElement} */ (find('waveform')));
    this.number = find('first-sound');
    this.strip = find('strip');
    this.legend = find('legend');
    this.hint = find('latency-hint');
    /** @type {Latency | null} what is shown */
    this.latency = null;
    this.spoken = false;
    this.frame = 0;
    language.onChange(() => this.relabel());
    this.relabel();
  }

  /** Start drawing if it is not going on already: call when something begins to be spoken. */
  wake() {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  /**
   * Show how long the newest line took; it stays until another is shown.
   *
   * @param {Latency} latency
   */
  measure(latency) {
    this.latency = latency;
    this.number.textContent = shortDuration(this.language, latency.total);
    this.number.classList.remove('none');
    this.strip.hidden = this.legend.hidden = false;
    this.hint.hidden = true;
    fillBar(this.strip, latency.stations);
    fillLegend(this.legend, latency.stations, this.language);
  }

  draw() {
    const heard = this.speaker.heard();
    this.lineElement.classList.toggle('live', heard !== null);
    if (heard !== null) {
      this.spoken = true;
      this.lineElement.classList.remove('idle');
      this.line.show(heard.entry.segments, heard.sample);
      const analyser = this.speaker.analyser;
      if (analyser !== null) this.waveform.start(analyser);
    }
    this.frame = this.speaker.busy ? requestAnimationFrame(() => this.draw()) : 0;
    if (this.frame === 0) this.rest();
  }

  rest() {
    this.waveform.stop();
    this.lineElement.classList.remove('live');
    this.lineElement.classList.add('idle');
    // The last line stays to be read; only before the first one is there something to say about nothing.
    if (!this.spoken) this.line.plain(this.language.say('idle'));
  }

  relabel() {
    if (this.frame === 0) this.rest();
    if (this.latency !== null) this.measure(this.latency);
  }
}
