// @ts-check
/**
 * A text being spoken, with what was heard of it and the word being heard marked.
 *
 * Knows a text, its segments and a position in content samples (48 kHz); who plays them it does not know. `itemAt`,
 * `pieces` and `heardLength` are pure; `SpokenLine` touches its one element. Main thread.
 *
 * @module
 */

/** @typedef {Pick<import('./protocol.js').Segment, 'text' | 'offset' | 'start' | 'words'>} Segment */

/**
 * A stretch of the text, and from when on it counts as heard. A word without sound is never the one being heard.
 *
 * @typedef {{span: HTMLElement, start: number, word: boolean}} Mark
 */

const LONG_LINE = 90;

/**
 * Return the index of the last item that has started at `sample`, or -1 before the first one.
 *
 * @param {readonly {start: number}[]} items - in order of `start`
 * @param {number} sample
 */
export function itemAt(items, sample) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].start <= sample) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Cut a segment's text into what stands between words and the words themselves, in order.
 *
 * @param {Segment} segment - its offset and its words' are UTF-16 units in the utterance's text
 * @returns {{text: string, word: number}[]} `word` is the index of the word, or -1
 */
export function pieces(segment) {
  const { text } = segment;
  const found = [];
  let done = 0;
  for (const [word, { offset, length }] of segment.words.entries()) {
    const from = offset - segment.offset;
    // Times that point outside the text, or backwards, mark nothing; the text itself is always whole.
    if (from < done || from + length > text.length) continue;
    if (from > done) found.push({ text: text.slice(done, from), word: -1 });
    found.push({ text: text.slice(from, from + length), word });
    done = from + length;
  }
  if (done < text.length) found.push({ text: text.slice(done), word: -1 });
  return found;
}

/**
 * Return how much of the text was heard to the end of a word, in UTF-16 units, by the rule that the server follows: a
 * word being heard was not heard, and of a segment without words nothing was, before the next one.
 *
 * @param {readonly Segment[]} segments - in order
 * @param {number} sample
 */
export function heardLength(segments, sample) {
  const begun = segments.filter(({ start }) => start < sample).at(-1);
  if (begun === undefined) return 0;
  const { text, offset, words } = begun;
  if (words.length === 0) return offset;
  return words.find(({ end }) => end > sample)?.offset ?? offset + text.length;
}

/** Shows a text in `element`, which may still be growing; `show` as often as the display refreshes. */
export class SpokenLine {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** The word being heard, for whoever keeps it in view. @type {HTMLElement | null} */
    this.now = null;
    this.text = '';
    /** @type {readonly Segment[]} */
    this.segments = [];
    /** @type {Mark[]} in order; their start never falls */
    this.marks = [];
    /** Marks that count as heard. */
    this.heard = 0;
    /** Where playback was when this was shown last. */
    this.sample = 0;
    /** How much of the text has marks. */
    this.done = 0;
    this.tail = document.createElement('span');
  }

  /**
   * Show what is heard at `sample` of the utterance with this text and these segments.
   *
   * @param {string} text
   * @param {readonly Segment[]} segments - in order, of what is known so far
   * @param {number} sample
   */
  show(text, segments, sample) {
    if (!this.goesOn(text, segments)) this.clear();
    for (const segment of segments.slice(this.segments.length)) this.append(text, segment);
    this.segments = segments.slice();
    if (text !== this.text) this.element.classList.toggle('long', text.length > LONG_LINE);
    this.text = text;
    const rest = text.slice(this.done);
    if (this.tail.textContent !== rest) this.tail.textContent = rest;
    if (!this.tail.isConnected) this.element.append(this.tail);
    this.sample = sample;
    this.mark(itemAt(this.marks, sample) + 1);
  }

  /** @param {string} text - shown plain, with no word marked */
  plain(text) {
    this.clear();
    this.element.textContent = text;
    this.element.classList.toggle('long', text.length > LONG_LINE);
  }

  /**
   * Whether this only adds to what is shown already.
   *
   * @param {string} text
   * @param {readonly Segment[]} segments
   */
  goesOn(text, segments) {
    return this.tail.isConnected && text.startsWith(this.text) && segments.length >= this.segments.length &&
      this.segments.every((segment, index) => segment === segments[index]);
  }

  clear() {
    this.element.replaceChildren();
    this.now = null;
    this.text = '';
    this.segments = [];
    this.marks = [];
    this.heard = 0;
    this.sample = 0;
    this.done = 0;
  }

  /**
   * @param {string} text
   * @param {Segment} segment
   */
  append(text, segment) {
    // What is no slice of the text, in order, cannot be placed in it.
    if (segment.offset < this.done || !text.startsWith(segment.text, segment.offset)) return;
    if (segment.offset > this.done) this.add(text.slice(this.done, segment.offset), segment.start, false);
    let start = segment.start;
    for (const { text: part, word } of pieces(segment)) {
      if (word >= 0) start = Math.max(start, segment.words[word].start);
      this.add(part, start, word >= 0 && segment.words[word].end > segment.words[word].start);
    }
    this.done = segment.offset + segment.text.length;
  }

  /**
   * @param {string} text
   * @param {number} start
   * @param {boolean} word
   */
  add(text, start, word) {
    const span = document.createElement('span');
    span.textContent = text;
    this.element.insertBefore(span, this.tail.isConnected ? this.tail : null);
    this.marks.push({ span, start: Math.max(start, this.marks.at(-1)?.start ?? 0), word });
  }

  /** @param {number} heard - how many marks count as heard, the word being heard included */
  mark(heard) {
    if (heard === this.heard) return;
    for (let at = this.heard; at < heard; at += 1) this.marks[at].span.classList.add('heard');
    for (let at = heard; at < this.heard; at += 1) this.marks[at].span.classList.remove('heard');
    this.heard = heard;
    let last = heard - 1;
    while (last >= 0 && !this.marks[last].word) last -= 1;
    const now = last < 0 ? null : this.marks[last].span;
    if (now === this.now) return;
    this.now?.classList.remove('now');
    now?.classList.add('now');
    this.now = now;
  }
}
