// @ts-check
/**
 * As much of a document as the views need: elements with text, classes and children.
 */

/** An element, a span or anything else. */
export class FakeElement {
  /** @type {FakeElement[]} */
  children = [];
  /** @type {FakeElement | null} */
  parent = null;
  #text = '';
  #classes = new Set();

  classList = {
    add: (/** @type {string} */ name) => void this.#classes.add(name),
    remove: (/** @type {string} */ name) => void this.#classes.delete(name),
    contains: (/** @type {string} */ name) => this.#classes.has(name),
    toggle: (/** @type {string} */ name, /** @type {boolean} */ on) =>
      void (on ? this.#classes.add(name) : this.#classes.delete(name)),
  };

  /** @returns {string} */
  get textContent() {
    return this.#text + this.children.map((child) => child.textContent).join('');
  }

  /** @param {string} text */
  set textContent(text) {
    this.replaceChildren();
    this.#text = text;
  }

  get isConnected() {
    return this.parent !== null;
  }

  /** @param {FakeElement} child */
  append(child) {
    this.insertBefore(child, null);
  }

  /**
   * @param {FakeElement} child
   * @param {FakeElement | null} before
   */
  insertBefore(child, before) {
    child.parent = this;
    this.children.splice(before === null ? this.children.length : this.children.indexOf(before), 0, child);
  }

  replaceChildren() {
    for (const child of this.children.splice(0)) child.parent = null;
    this.#text = '';
  }
}

/** Makes elements, and stands for `document` while a test runs. */
export class FakePage {
  constructor() {
    Object.assign(globalThis, { document: { createElement: () => this.create('span') } });
  }

  /** @param {string} _name */
  create(_name) {
    return new FakeElement();
  }
}
