// @ts-check
/**
 * The line being spoken, with the word being heard marked.
 *
 * Knows segments and a position in content samples (48 kHz); who plays them it does not know. `wordAt` is
 * pure; `SpokenLine` touches its one element. Main thread.
 *
 * @module
 */

/** @typedef {Pick<import('./protocol.js').Segment, 'text' | 'offset' | 'start' | 'words'>} Segment */

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

/** Shows one segment at a time in `element`; `show` as often as the display refreshes. */
export class SpokenLine {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {Segment | null} */
    this.segment = null;
    /** @type {HTMLElement[]} by index of the word; holes where a word could not be placed */
    this.spans = [];
    this.word = -1;
  }

  /**
   * Show what is heard at `sample` of the utterance made of `segments`.
   *
   * @param {readonly Segment[]} segments - in order; with none, nothing changes
   * @param {number} sample
   */
  show(segments, sample) {
    const segment = segments[Math.max(0, itemAt(segments, sample))];
    if (segment === undefined) return;
    if (segment !== this.segment) this.write(segment);
    this.mark(itemAt(segment.words, sample));
  }

  /** @param {string} text - shown plain, with no word marked */
  plain(text) {
    this.segment = null;
    this.spans = [];
    this.word = -1;
    this.element.textContent = text;
    this.element.classList.toggle('long', text.length > LONG_LINE);
  }

  /** @param {Segment} segment */
  write(segment) {
    this.plain('');
    this.segment = segment;
    this.element.classList.toggle('long', segment.text.length > LONG_LINE);
    for (const { text, word } of pieces(segment)) {
      const span = document.createElement('span');
      span.textContent = text;
      if (word >= 0) this.spans[word] = span;
      this.element.append(span);
    }
  }

  /** @param {number} word */
  mark(word) {
    if (word === this.word) return;
    for (const [index, span] of this.spans.entries()) {
      span?.classList.toggle('heard', index < word);
      span?.classList.toggle('now', index === word);
    }
    this.word = word;
  }
}
