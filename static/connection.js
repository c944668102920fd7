// @ts-check
/**
 * How the connection stands, in the corner; and when the server is away, what happened and what to do.
 *
 * Knows states and reasons, no socket. Main thread.
 *
 * @module
 */

import { startCommand } from './config.js';

/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./i18n.js').Key} Key */

/**
 * @typedef {object} Standing
 * @property {'connecting' | 'loading' | 'open' | 'waiting' | 'closed'} state
 * @property {Reason} [reason] - why there is no connection
 * @property {number} [port] - of the socket, where that is what cannot be reached
 * @property {number} [retryAt] - when the next try comes, on the clock of `performance.now()`
 * @property {boolean} [resuming] - what was being spoken goes on once the connection is back
 */

/**
 * As the client gives it, or `blocked`: the page's own server answers, its socket does not.
 *
 * @typedef {import('./away.js').AwayReason | 'blocked'} Reason
 */

/** @type {Record<Standing['state'], Key>} */
const STATE_WORDS = {
  connecting: 'connecting',
  loading: 'loading',
  open: 'open',
  waiting: 'waitingState',
  closed: 'closed',
};

/** @type {Record<Reason, Key>} */
const HELP_WORDS = {
  away: 'awayHelp',
  blocked: 'blockedHelp',
  offline: 'offlineHelp',
  restarting: 'restartingHelp',
  full: 'fullHelp',
  taken: 'takenHelp',
  refused: 'refusedHelp',
};

const TICK_MS = 250;

/** The state in the header and the notice below it. */
export class ConnectionView {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {(words: string) => void} announce - tells somebody who cannot see the notice
   * @param {() => boolean} calm - sound still plays, so that there is no cause for alarm while all may still go on
   */
  constructor(page, language, announce, calm) {
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (page.getElementById(id));
    this.language = language;
    this.announce = announce;
    this.calm = calm;
    this.badge = find('connection');
    this.words = find('connection-text');
    this.notice = find('away');
    this.what = find('away-what');
    this.help = find('away-help');
    this.retry = find('away-retry');
    this.begin = find('away-begin');
    /** @type {Standing} */
    this.standing = { state: 'connecting' };
    /** What starts the server; set anew whenever it has told where it listens. */
    this.command = startCommand(null, location);
    this.timer = 0;
    this.toldAway = false;
    language.onChange(() => this.render());
  }

  /** @param {Standing} standing */
  show(standing) {
    // Each try in vain is no news: what was said stays, and is not read out again, until something changes.
    const inVain = standing.state === 'connecting' && this.standing.state !== 'open';
    this.standing = inVain ? { ...this.standing, retryAt: undefined, resuming: standing.resuming } : standing;
    this.refresh();
    if (standing.state === 'open' && this.toldAway) this.tell(false, this.language.say('back'));
  }

  /** Show it as it is now: call when sound begins or ends. */
  refresh() {
    this.render();
    if (!this.notice.hidden && !this.toldAway) this.tell(true, `${this.what.textContent} ${this.help.textContent}`);
  }

  /**
   * @param {boolean} away
   * @param {string} words
   */
  tell(away, words) {
    this.toldAway = away;
    this.announce(words);
  }

  render() {
    const { state, reason, retryAt, port = 0, resuming = false } = this.standing;
    const quiet = resuming && this.calm();
    const returning = state === 'connecting' ? resuming : state === 'waiting' && quiet;
    this.badge.dataset.state = returning ? 'connecting' : state;
    this.say(this.words, returning ? 'reconnecting' : STATE_WORDS[state]);
    this.notice.hidden = reason === undefined || quiet;
    this.begin.hidden = reason !== 'taken';
    this.count(state === 'waiting', retryAt);
    if (reason === undefined) return;
    this.what.textContent = this.language.say(reason, { port });
    this.help.textContent = this.language.say(HELP_WORDS[reason], { command: this.command, host: this.host });
  }

  /**
   * @param {HTMLElement} element
   * @param {Key} key
   */
  say(element, key) {
    const words = this.language.say(key);
    if (element.textContent !== words) element.textContent = words;
  }

  get host() {
    const { hostname } = location;
    const here = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
    return here ? this.language.say('thisComputer') : hostname;
  }

  /**
   * @param {boolean} trying - whether there will be another try
   * @param {number | undefined} retryAt - when; without it, it is being made now
   */
  count(trying, retryAt) {
    clearInterval(this.timer);
    this.retry.textContent = trying ? this.language.say('retryNow') : '';
    if (retryAt === undefined) return;
    const tick = () => {
      const seconds = Math.ceil((retryAt - performance.now()) / 1000);
      if (seconds > 0) this.retry.textContent = this.language.say('retry', { seconds });
    };
    tick();
    this.timer = setInterval(tick, TICK_MS);
  }
}
