// @ts-check
/**
 * Where the time went between Enter and the first audible sample, and the strip that shows it.
 *
 * Knows times and elements, nothing of sockets or audio. `latencyOf` is pure; the rest builds elements. All
 * times are milliseconds; the browser's are on the clock of `performance.now()`. Main thread.
 *
 * @module
 */

/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {'writing' | 'split' | 'chunk' | 'encode' | 'network' | 'server' | 'decode' | 'playout'} StationName */
/** @typedef {{name: StationName, ms: number}} Station */

/**
 * @typedef {object} Measured
 * @property {number} enter - when the person asked for it
 * @property {number} written - when the text that is said first was there: `enter`, unless it was still being written
 * @property {number} firstMessage - when the first audio message arrived
 * @property {number} firstSound - when the first audible sample left for the output
 * @property {number} decode - how long decoding the first packet took
 */

/** @typedef {Readonly<Record<string, number | null | undefined>>} ServerTimings */

/**
 * How long a line took to be heard, and where that time went.
 *
 * @typedef {{total: number, stations: readonly Station[]}} Latency
 */

const LEAST_SHOWN_MS = 0.05;

/**
 * Divide the time from Enter to the first sound among the stations, in the order in which it passed.
 *
 * No share is negative, and the shares add up to the whole. What the server measured is its own, but that its clock
 * starts with the first of the text: what it waited for the rest is nobody's, `writing`, and shown where there was any.
 * The network's share is what of the wait for the first message the server did not account for; playout is what is
 * left. As long as the server has told nothing, its part and the network's are one station, `server`.
 *
 * @param {Measured} measured
 * @param {ServerTimings} timings - of the server's `done`; empty before it
 * @returns {Latency}
 */
export function latencyOf(measured, timings) {
  const wait = Math.max(0, measured.firstMessage - measured.enter);
  const local = Math.max(0, measured.firstSound - measured.firstMessage);
  const decode = Math.min(measured.decode, local);
  const stations = [
    ...waited(wait, Math.max(0, Math.min(measured.written - measured.enter, wait)), timings),
    station('decode', decode),
    station('playout', local - decode),
  ];
  return { total: wait + local, stations };
}

/**
 * @param {number} wait
 * @param {number} writing - how much of it was spent before there was enough text
 * @param {ServerTimings} timings
 */
function waited(wait, writing, timings) {
  const before = writing > 0 ? [station('writing', writing)] : [];
  if (typeof timings.ttfb !== 'number') return [...before, station('server', wait - writing)];
  const server = Math.min(Math.max(0, timings.ttfb - writing), wait - writing);
  const split = Math.min(Math.max(0, (timings.split ?? 0) - writing), server);
  const chunk = Math.min(sum(timings, ['queue', 'begin', 'first_chunk']), server - split);
  return [
    ...before,
    station('split', split),
    station('chunk', chunk),
    station('encode', server - split - chunk),
    station('network', wait - writing - server),
  ];
}

/**
 * @param {StationName} name
 * @param {number} ms
 * @returns {Station}
 */
function station(name, ms) {
  return { name, ms };
}

/**
 * Word a duration the way a person reads it: a decimal below 10 ms, none above.
 *
 * @param {Language} language
 * @param {number} ms
 */
export function shortDuration(language, ms) {
  return language.number(ms, ms >= LEAST_SHOWN_MS && ms < 9.95 ? 1 : 0);
}

/**
 * Fill `bar` with one part per station, as wide as its share. Decoration: the legend says the same in words.
 *
 * @param {HTMLElement} bar
 * @param {readonly Station[]} parts
 */
export function fillBar(bar, parts) {
  bar.replaceChildren(
    ...parts.map(({ name, ms }) => {
      const part = document.createElement('span');
      part.className = `part ${name}`;
      part.style.flexGrow = String(Math.max(ms, 0));
      return part;
    }),
  );
}

/**
 * Fill `list` with one entry per station: its colour, its name and its milliseconds.
 *
 * @param {HTMLElement} list - a `ul`
 * @param {readonly Station[]} parts
 * @param {Language} language
 */
export function fillLegend(list, parts, language) {
  list.setAttribute('aria-label', language.say('stations'));
  list.replaceChildren(
    ...parts.map(({ name, ms }) => {
      const item = document.createElement('li');
      item.title = language.say(`${name}Title`);
      item.append(
        labelled('span', `swatch ${name}`, ''),
        labelled('span', 'station', language.say(name)),
        labelled('span', 'value', `${shortDuration(language, ms)} ${language.say('milliseconds')}`),
      );
      return item;
    }),
  );
}

/**
 * @param {ServerTimings} timings
 * @param {string[]} names
 */
function sum(timings, names) {
  return names.reduce((total, name) => total + (timings[name] ?? 0), 0);
}

/**
 * @param {string} tag
 * @param {string} className
 * @param {string} text
 */
function labelled(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Return the words for what was measured: a line that is still being written has no Enter of its own.
 *
 * @param {{streamed: boolean}} entry
 * @returns {import('./i18n.js').Key}
 */
export function captionOf({ streamed }) {
  return streamed ? 'firstSoundStreamed' : 'firstSound';
}
