// @ts-check
/**
 * How the connection stands, in the corner; and when the server is away, what happened and what to do.
 *
 * Knows states and reasons, no socket. Main thread.
 *
 * @module
 */

/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./i18n.js').Key} Key */

/**
 * @typedef {object} Standing
 * @property {'connecting' | 'loading' | 'open' | 'waiting' | 'closed'} state
 * @property {Reason} [reason] - why there is no connection
 * @property {number} [retryAt] - when the next try comes, on the clock of `performance.now()`
 */

/** @typedef {'away' | 'offline' | 'restarting' | 'full' | 'taken' | 'refused'} Reason */

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
  offline: 'offlineHelp',
  restarting: 'restartingHelp',
  full: 'fullHelp',
  taken: 'takenHelp',
  refused: 'refusedHelp',
};

const COMMAND = 'python3 run.py';
const TICK_MS = 250;

/** The state in the header and the notice below it. */
export class ConnectionView {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {(words: string) => void} announce - tells somebody who cannot see the notice
   */
  constructor(page, language, announce) {
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (page.getElementById(id));
    this.language = language;
    this.announce = announce;
    this.badge = find('connection');
    this.words = find('connection-text');
    this.notice = find('away');
    this.what = find('away-what');
    this.help = find('away-help');
    this.retry = find('away-retry');
    /** @type {Standing} */
    this.standing = { state: 'connecting' };
    this.timer = 0;
    language.onChange(() => this.render());
  }

  /** @param {Standing} standing */
  show(standing) {
    const wasAway = !this.notice.hidden;
    // While another try runs the notice stays: it must not flicker with every attempt.
    const reason = standing.state === 'connecting' ? this.standing.reason : standing.reason;
    this.standing = { ...standing, reason };
    this.render();
    const isAway = !this.notice.hidden;
    if (isAway && !wasAway) this.announce(`${this.what.textContent} ${this.help.textContent}`);
    if (wasAway && standing.state === 'open') this.announce(this.language.say('back'));
  }

  render() {
    const { reason } = this.standing;
    // Each try in vain is no news: the badge is read out when it changes.
    const state = this.standing.state === 'connecting' && reason !== undefined ? 'waiting' : this.standing.state;
    this.badge.dataset.state = state;
    this.say(this.words, STATE_WORDS[state]);
    this.notice.hidden = reason === undefined;
    this.count(this.standing.retryAt);
    if (reason === undefined) return;
    const words = { command: COMMAND, host: this.host };
    this.what.textContent = this.language.say(reason);
    this.help.textContent = this.language.say(HELP_WORDS[reason], words);
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

  /** @param {number | undefined} retryAt - count down to it; without one, stop counting */
  count(retryAt) {
    clearInterval(this.timer);
    this.retry.textContent = this.standing.state === 'connecting' ? this.language.say('retryNow') : '';
    if (retryAt === undefined) return;
    const tick = () => {
      const seconds = Math.ceil((retryAt - performance.now()) / 1000);
      this.retry.textContent = seconds > 0 ? this.language.say('retry', { seconds }) : this.language.say('retryNow');
    };
    tick();
    this.timer = setInterval(tick, TICK_MS);
  }
}
