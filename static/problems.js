// @ts-check
/**
 * What went wrong, in a sentence a person can act on, in the language in use.
 *
 * Knows codes of the server, of the client and of the player, and one notice. Main thread.
 *
 * @module
 */

import { isKey } from './i18n.js';

/** @typedef {import('./i18n.js').Key} Key */
/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./i18n.js').Parameters} Parameters */

/** Codes that are not themselves the key of their words. @type {Readonly<Record<string, Key>>} */
const WORDS_FOR = {
  'not-connected': 'unspoken',
  'connection-lost': 'lost',
};

/** Why there is no sound, as the player puts it. @type {Readonly<Record<string, Key>>} */
const SILENCE = {
  gesture: 'soundBlocked',
  interrupted: 'soundInterrupted',
  frozen: 'soundFailed',
  worklet: 'soundFailed',
  decoder: 'decoderFailed',
  overflow: 'soundOverflow',
};

/** How the server names what is wrong with a pronunciation, among other settings. */
const ABOUT_LEXICON = /lexicon/;

/** The notice under the text box: one problem at a time, the newest. */
export class Problems {
  /**
   * @param {Document} page
   * @param {Language} language
   */
  constructor(page, language) {
    this.language = language;
    this.notice = /** @type {HTMLElement} */ (page.getElementById('problem'));
    this.text = /** @type {HTMLElement} */ (page.getElementById('problem-text'));
    /** @type {(() => string) | null} words it anew when the language changes */
    this.words = null;
    this.aboutSound = false;
    page.getElementById('problem-close')?.addEventListener('click', () => this.clear());
    language.onChange(() => this.render());
  }

  /**
   * @param {Key} key
   * @param {Parameters} [parameters]
   */
  say(key, parameters) {
    this.aboutSound = false;
    this.words = () => this.language.say(key, parameters);
    this.render();
  }

  /**
   * Show a problem by its code; one without words of ours is shown in the server's.
   *
   * @param {string} code
   * @param {string} [message]
   */
  show(code, message = '') {
    const key = WORDS_FOR[code] ?? code;
    if (code === 'invalid-option' && ABOUT_LEXICON.test(message)) this.say('invalidLexicon', { message });
    else if (isKey(key)) this.say(key);
    else if (message === '') this.say('internal');
    else {
      this.aboutSound = false;
      this.words = () => message;
      this.render();
    }
  }

  /**
   * Say why nothing can be heard; `null` when it can, which takes back what was said about sound only.
   *
   * @param {string | null} reason
   */
  sound(reason) {
    if (reason === null) {
      if (this.aboutSound) this.clear();
      return;
    }
    this.say(SILENCE[reason] ?? 'soundFailed');
    this.aboutSound = true;
  }

  clear() {
    this.words = null;
    this.render();
  }

  render() {
    this.notice.hidden = this.words === null;
    this.text.textContent = this.words?.() ?? '';
  }
}
