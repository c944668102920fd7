// @ts-check
/**
 * Keeps what is being heard in view, in a box that scrolls, and never against the person who scrolls it.
 *
 * Knows a box and an element in it. `placeFor` is pure. Main thread; call `follow` as often as the display refreshes.
 *
 * @module
 */

/** Share of the box's height above what has just been brought into view. */
const LEAD = 0.3;

/** Share of the remaining way that is scrolled with each refresh. */
const PACE = 0.18;

/**
 * Return where to scroll to, or null where the element is in view.
 *
 * @param {{top: number, bottom: number}} element - in the coordinates of the box's content
 * @param {{scrollTop: number, clientHeight: number, scrollHeight: number}} box
 * @returns {number | null}
 */
export function placeFor({ top, bottom }, { scrollTop, clientHeight, scrollHeight }) {
  if (top >= scrollTop && bottom <= scrollTop + clientHeight) return null;
  return Math.min(Math.max(0, top - clientHeight * LEAD), Math.max(0, scrollHeight - clientHeight));
}

/** Follows one element after the other through `box`. */
export class Follower {
  /**
   * @param {HTMLElement} box
   * @param {{matches: boolean}} [calm] - whether motion is to be avoided
   */
  constructor(box, calm = matchMedia('(prefers-reduced-motion: reduce)')) {
    this.box = box;
    this.calm = calm;
    /** Where we scrolled to last: anything else is a person's doing. */
    this.ours = box.scrollTop;
    /** The person looks at something else, until what is heard comes into view there. */
    this.released = false;
    /** @type {number | null} */
    this.target = null;
    box.addEventListener('scroll', () => this.onScroll(), { passive: true });
  }

  /** Follow again, whatever the person did before: something new begins. */
  restart() {
    this.released = false;
    this.target = null;
    this.ours = this.box.scrollTop;
  }

  /** Show the end of the content. */
  toEnd() {
    this.restart();
    this.scroll(this.box.scrollHeight - this.box.clientHeight);
  }

  /** @param {HTMLElement | null} element - what is being heard, inside the box */
  follow(element) {
    if (element === null || this.box.scrollHeight <= this.box.clientHeight) return;
    const place = placeFor(this.placeOf(element), this.box);
    if (place === null) this.released = false;
    if (this.released) return;
    this.target = place ?? this.target;
    if (this.target === null) return;
    const way = this.target - this.box.scrollTop;
    this.scroll(this.calm.matches || Math.abs(way) < 1 ? this.target : this.box.scrollTop + way * PACE);
    if (Math.abs(way) < 1) this.target = null;
  }

  /** @param {HTMLElement} element */
  placeOf(element) {
    const own = element.getBoundingClientRect();
    const up = this.box.scrollTop - this.box.getBoundingClientRect().top - this.box.clientTop;
    return { top: own.top + up, bottom: own.bottom + up };
  }

  /** @param {number} to */
  scroll(to) {
    this.box.scrollTop = to;
    this.ours = this.box.scrollTop;
  }

  onScroll() {
    if (Math.abs(this.box.scrollTop - this.ours) <= 1) return;
    this.released = true;
    this.target = null;
    this.ours = this.box.scrollTop;
  }
}
