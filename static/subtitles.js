// @ts-check
/**
 * A spoken text as subtitles: cues of two short lines, cut where the words and their times allow it, as SRT or WebVTT.
 *
 * Knows segments with word times in content samples, nothing of files or elements. Pure.
 *
 * @module
 */

import { CONTENT_RATE_HZ } from './protocol.js';
import { pieces } from './spoken-line.js';

/** @typedef {import('./spoken-line.js').Segment} Segment */

/**
 * What is never cut: a word, or a character of a script that is written without spaces. Times in seconds; `spaced` if
 * it stands apart from the one before; `strength` says how well a cut behind it reads.
 *
 * @typedef {{text: string, columns: number, start: number, end: number, spaced: boolean, strength: number}} Unit
 *
 * Times in seconds.
 * @typedef {{start: number, end: number, lines: string[]}} Cue
 */

/** Columns of a line; a character of Chinese, Japanese or Korean takes two. */
export const MOST_COLUMNS = 42;

/** How long a cue may stand, in seconds. */
export const LONGEST_S = 7;

/** A cue stays this long, where the next one leaves it room, and a little longer than its sound. */
const SHORTEST_S = 1;
const LINGER_S = 0.3;

const Strength = Object.freeze({ WORD: 0, CLAUSE: 1, SENTENCE: 2, PARAGRAPH: 3 });

/** What a cut between two cues costs, by its strength, and what it costs to have none there. */
const CUT_COST = [3, 0.8, 0, 0];
const UNCUT_COST = [0, 0, 0.4, 2];
const CUE_COST = 1;

/** Characters of two columns; the second half are pictures. */
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const CLOSING = '[\\p{Pe}\\p{Pf}\\u0022\\u0027\\u3001\\u3002\\uff01\\uff0c\\uff0e\\uff1a\\uff1b\\uff1f!,.:;?…]*';
const PART_OF_PICTURE = '(?:[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]|\\u200d.)*';
const ATOMS = new RegExp(`(?:${WIDE.source})${PART_OF_PICTURE}${CLOSING}|(?:(?!${WIDE.source}).)+`, 'gsu');
const SENTENCE_END = /[.!?…。！？][\p{Pe}\p{Pf}"']*$/u;
const CLAUSE_END = /[,;:，、；：—–][\p{Pe}\p{Pf}"']*$/u;

/**
 * Return the cues of a text.
 *
 * @param {string} text
 * @param {readonly Segment[]} segments - all of them, in order, offsets in UTF-16 units
 * @param {number} samples - length of the sound in content samples
 * @returns {Cue[]} in order, none overlapping
 */
export function cuesOf(text, segments, samples) {
  const units = unitsOf(text, segments, samples / CONTENT_RATE_HZ);
  const cues = divide(units).map((part) => ({
    start: part[0].start, end: part[part.length - 1].end, lines: linesOf(part),
  }));
  return cues.map((cue, index) => {
    const limit = cues[index + 1]?.start ?? Math.max(samples / CONTENT_RATE_HZ, cue.end);
    const wanted = Math.max(cue.end + LINGER_S, cue.start + SHORTEST_S);
    return { ...cue, end: Math.min(limit, Math.max(cue.end, Math.min(wanted, cue.start + LONGEST_S))) };
  }).filter(({ start, end }) => end > start);
}

/**
 * Return the cues as an SRT file.
 *
 * @param {readonly Cue[]} cues
 */
export function srt(cues) {
  return cues.map(({ start, end, lines }, index) => {
    // Nothing else can be mistaken in this format, which has no way to escape.
    const text = lines.join('\n').replaceAll('-->', '→');
    return `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${text}\n`;
  }).join('\n');
}

/**
 * Return the cues as a WebVTT file.
 *
 * @param {readonly Cue[]} cues
 */
export function vtt(cues) {
  const blocks = cues.map(({ start, end, lines }) => {
    const text = lines.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return `${stamp(start, '.')} --> ${stamp(end, '.')}\n${text}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/**
 * @param {number} seconds
 * @param {string} point - before the milliseconds
 */
function stamp(seconds, point) {
  const ms = Math.round(seconds * 1000);
  const two = (/** @type {number} */ value) => String(Math.floor(value) % 60).padStart(2, '0');
  const hours = String(Math.floor(ms / 3_600_000)).padStart(2, '0');
  return `${hours}:${two(ms / 60_000)}:${two(ms / 1000)}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/**
 * @param {string} text
 * @param {readonly Segment[]} segments
 * @param {number} length - of the sound, in seconds
 * @returns {Unit[]}
 */
function unitsOf(text, segments, length) {
  /** @type {Unit[]} */
  const units = [];
  let done = 0;
  for (const [index, segment] of segments.entries()) {
    const until = segments[index + 1]?.start ?? length * CONTENT_RATE_HZ;
    for (const { from, to, start, end } of timed(segment, until)) {
      const between = text.slice(done, from);
      // What stands between two words and is no space belongs to the first, or else to the second.
      const stray = between.trim();
      const last = units[units.length - 1];
      if (last !== undefined) extend(last, stray, between);
      const word = (last === undefined ? stray : '') + text.slice(from, to);
      units.push(...atoms(word, start / CONTENT_RATE_HZ, end / CONTENT_RATE_HZ, /\s/.test(between)));
      done = to;
    }
  }
  const last = units[units.length - 1];
  if (last !== undefined) extend(last, text.slice(done).trim(), '');
  return units;
}

/**
 * @param {Unit} unit
 * @param {string} stray - what belongs to it too
 * @param {string} after - what stands between it and the next
 */
function extend(unit, stray, after) {
  unit.text += stray;
  unit.columns += width(stray);
  unit.strength = strengthOf(unit.text, after);
}

/**
 * Return where in the text the words of a segment are, and when; where it tells none, they share its time.
 *
 * @param {Segment} segment
 * @param {number} until - when the next one begins
 * @returns {{from: number, to: number, start: number, end: number}[]}
 */
function timed(segment, until) {
  const { text, offset, start } = segment;
  let at = offset;
  const found = [];
  for (const { text: part, word } of pieces(segment)) {
    if (word >= 0) {
      found.push({ from: at, to: at + part.length, start: segment.words[word].start, end: segment.words[word].end });
    }
    at += part.length;
  }
  if (found.length > 0) return found;
  const when = (/** @type {number} */ place) => start + ((until - start) * place) / text.length;
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    from: offset + index, to: offset + index + word.length, start: when(index), end: when(index + word.length),
  }));
}

/**
 * Cut a word into what may stand on different lines; its time is shared by width.
 *
 * @param {string} word
 * @param {number} start
 * @param {number} end
 * @param {boolean} spaced
 * @returns {Unit[]}
 */
function atoms(word, start, end, spaced) {
  const parts = (word.match(ATOMS) ?? [word]).flatMap(short);
  const total = width(word);
  let passed = 0;
  return parts.map((text, index) => {
    const columns = width(text);
    const from = start + ((end - start) * passed) / total;
    passed += columns;
    const to = index === parts.length - 1 ? end : start + ((end - start) * passed) / total;
    return { text, columns, start: from, end: to, spaced: spaced && index === 0, strength: strengthOf(text, '') };
  });
}

/**
 * Cut what would not fit on a line: an address, or a row of signs.
 *
 * @param {string} text
 */
function short(text) {
  if (width(text) <= MOST_COLUMNS) return [text];
  const characters = [...text];
  const count = MOST_COLUMNS / 2;
  return Array.from({ length: Math.ceil(characters.length / count) }, (_, index) =>
    characters.slice(index * count, (index + 1) * count).join(''));
}

/**
 * @param {string} text - of a unit
 * @param {string} after - what stands between it and the next
 */
function strengthOf(text, after) {
  if (after.includes('\n')) return Strength.PARAGRAPH;
  if (SENTENCE_END.test(text)) return Strength.SENTENCE;
  return CLAUSE_END.test(text) ? Strength.CLAUSE : Strength.WORD;
}

/**
 * Divide units into cues so that the whole costs least: few cues, cut at the ends of sentences and clauses.
 *
 * @param {readonly Unit[]} units
 * @returns {Unit[][]}
 */
function divide(units) {
  /** The cheapest way to divide the first n units, and where its last cue begins. */
  const best = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= units.length; to += 1) {
    let found = { cost: Infinity, from: to - 1 };
    let uncut = 0;
    for (let from = to - 1; from >= 0; from -= 1) {
      const part = units.slice(from, to);
      if (from < to - 1) {
        if (cutOf(part) === null || units[to - 1].end - units[from].start > LONGEST_S) break;
        uncut += UNCUT_COST[units[from].strength];
      }
      const cost = best[from].cost + CUE_COST + uncut + CUT_COST[units[to - 1].strength] + shortness(part);
      if (cost < found.cost) found = { cost, from };
    }
    best.push(found);
  }
  const parts = [];
  for (let to = units.length; to > 0; to = best[to].from) parts.unshift(units.slice(best[to].from, to));
  return parts;
}

/**
 * What a cue costs that is read in a hurry.
 *
 * @param {readonly Unit[]} part
 */
function shortness(part) {
  const seconds = part[part.length - 1].end - part[0].start;
  return seconds > 0 ? Math.max(0, SHORTEST_S - seconds) : 100;
}

/**
 * Return a cue's lines, at most two.
 *
 * @param {readonly Unit[]} units - that `cutOf` has found room for
 * @returns {string[]}
 */
function linesOf(units) {
  const cut = cutOf(units) ?? 0;
  return cut === 0 ? [join(units)] : [join(units.slice(0, cut)), join(units.slice(cut))];
}

/**
 * Return where a cue's second line begins: where both are alike in length, or at a clause where that can be. 0 if one
 * line is enough, null if two are not.
 *
 * @param {readonly Unit[]} units
 * @returns {number | null}
 */
function cutOf(units) {
  const total = units.reduce((sum, unit) => sum + columnsOf(unit), 0) - Number(units[0].spaced);
  if (units.length === 1 || total <= MOST_COLUMNS) return 0;
  let found = null;
  let least = Infinity;
  let upper = -Number(units[0].spaced);
  for (let cut = 1; cut < units.length; cut += 1) {
    upper += columnsOf(units[cut - 1]);
    const lower = total - upper - Number(units[cut].spaced);
    if (upper > MOST_COLUMNS) break;
    if (lower > MOST_COLUMNS) continue;
    const cost = Math.abs(upper - lower) / MOST_COLUMNS - (units[cut - 1].strength > 0 ? 0.5 : 0);
    if (cost < least) [found, least] = [cut, cost];
  }
  return found;
}

/** @param {Unit} unit - the space before it counts */
function columnsOf({ columns, spaced }) {
  return columns + Number(spaced);
}

/** @param {readonly Unit[]} units */
function join(units) {
  return units.map(({ text, spaced }, index) => (spaced && index > 0 ? ` ${text}` : text)).join('');
}

/**
 * Columns that a text takes.
 *
 * @param {string} text
 */
export function width(text) {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}
