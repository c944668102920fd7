// @ts-check
/**
 * Where one chooses how text is read: a list of pronunciations to be filled in while on air, emoji, and markup.
 *
 * Knows the choices and the elements that show them; what is to be tried is handed to `onTry`. Main thread.
 *
 * @module
 */

import { isComposing } from './composer.js';
import { LONGEST_SAID, LONGEST_WORD, tidy } from './pronunciations.js';
import { READING_KEY } from './reading.js';

/** @typedef {import('./i18n.js').Key} Key */
/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./pronunciations.js').Refusal} Refusal */
/** @typedef {import('./reading.js').Reading} Reading */

/**
 * What it asks of the page.
 *
 * @typedef {object} Actions
 * @property {(word: string, asked: number) => void} onTry - `asked` is when, on the clock of `performance.now()`
 * @property {(words: string) => void} announce - for somebody who cannot see what has changed
 */

/** The limits that a refusal may name. */
const LIMITS = { word: LONGEST_WORD, said: LONGEST_SAID };

/** What can be done with a pronunciation, by what names it to somebody who cannot see. @type {Record<string, Key>} */
const BUTTONS = { try: 'tryItem', edit: 'editItem', remove: 'removeItem' };

/** Shows `reading`, and changes it. */
export class ReadingView {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {Reading} reading
   * @param {Actions} actions
   */
  constructor(page, language, reading, actions) {
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (page.getElementById(id));
    this.language = language;
    this.reading = reading;
    this.actions = actions;
    this.state = find('reading-state');
    this.form = /** @type {HTMLFormElement} */ (find('pronunciation-form'));
    this.word = /** @type {HTMLInputElement} */ (find('pronunciation-word'));
    this.said = /** @type {HTMLInputElement} */ (find('pronunciation-said'));
    this.addButton = find('pronunciation-add');
    this.cancelButton = find('pronunciation-cancel');
    this.refusalText = find('pronunciation-refusal');
    this.list = find('pronunciation-list');
    this.template = /** @type {HTMLTemplateElement} */ (find('pronunciation-template'));
    this.unkept = find('reading-unkept');
    this.emoji = /** @type {HTMLInputElement} */ (find('names-emoji'));
    this.plain = /** @type {HTMLInputElement} */ (find('plain'));
    /** The word whose pronunciation is being changed. @type {string | null} */
    this.editing = null;
    /** Why the last one was not taken. @type {Refusal | null} */
    this.refusal = null;
    this.listen();
    language.onChange(() => this.render());
    this.render();
  }

  listen() {
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit();
    });
    this.form.addEventListener('keydown', (event) => this.onKey(event));
    this.form.addEventListener('input', () => this.refuse(null));
    this.cancelButton.addEventListener('click', () => this.cancel());
    for (const box of [this.emoji, this.plain]) {
      box.addEventListener('change', () => {
        Object.assign(this.reading, { namesEmoji: this.emoji.checked, plain: this.plain.checked });
        this.save();
      });
    }
    addEventListener('storage', ({ key }) => {
      if (key === READING_KEY) this.reload();
    });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key !== 'Enter') return;
    const onward = event.target === this.word && tidy(this.word.value) !== '' && tidy(this.said.value) === '';
    // What ends a composition is no answer yet; what comes from a word alone goes on to how it is said.
    if (isComposing(event) || onward) event.preventDefault();
    if (onward && !isComposing(event)) this.said.focus();
  }

  submit() {
    const [word, said] = [tidy(this.word.value), tidy(this.said.value)];
    const { pronunciations } = this.reading;
    const known = pronunciations.has(word) && word !== this.editing;
    const refusal = pronunciations.set(word, said, this.editing);
    this.refuse(refusal);
    if (refusal !== null) {
      fieldOf(refusal, this.word, this.said)?.focus();
      return;
    }
    this.fill(null);
    this.save();
    this.word.focus();
    this.actions.announce(this.language.say(known ? 'pronunciationReplaced' : 'pronunciationKept', { word, said }));
  }

  /** @param {string} word */
  edit(word) {
    this.fill(word);
    this.render();
    this.said.focus();
    this.said.select();
  }

  cancel() {
    const word = this.editing;
    this.fill(null);
    this.render();
    (this.button(word, 'edit') ?? this.word).focus();
  }

  /** @param {string} word */
  remove(word) {
    const words = this.words;
    const at = words.indexOf(word);
    this.reading.pronunciations.remove(word);
    if (this.editing === word) this.fill(null);
    this.save();
    // What was pressed is gone, and must not take the focus with it.
    (this.button(words[at + 1] ?? words[at - 1] ?? null, 'remove') ?? this.word).focus();
    this.actions.announce(this.language.say('pronunciationRemoved', { word }));
  }

  /** Another tab has changed it. */
  reload() {
    this.reading.load();
    // What is being changed here stays in the fields, and becomes a new one if it was removed there.
    if (this.editing !== null && !this.reading.pronunciations.has(this.editing)) this.editing = null;
    this.render();
  }

  save() {
    this.reading.save();
    this.render();
  }

  /**
   * Put a pronunciation into the fields to be changed, or clear them.
   *
   * @param {string | null} word
   */
  fill(word) {
    this.editing = word;
    this.word.value = word ?? '';
    this.said.value = word === null ? '' : (this.reading.pronunciations.lexicon[word] ?? '');
    this.refuse(null);
  }

  /** @param {Refusal | null} refusal */
  refuse(refusal) {
    this.refusal = refusal;
    this.refusalText.hidden = refusal === null;
    this.refusalText.textContent = refusal === null ? '' : this.language.say(refusal, LIMITS);
    const wrong = refusal === null ? null : fieldOf(refusal, this.word, this.said);
    for (const field of [this.word, this.said]) field.setAttribute('aria-invalid', String(field === wrong));
  }

  render() {
    const { reading, language } = this;
    this.emoji.checked = reading.namesEmoji;
    this.plain.checked = reading.plain;
    this.unkept.hidden = reading.kept;
    this.addButton.textContent = language.say(this.editing === null ? 'add' : 'keep');
    this.cancelButton.hidden = this.editing === null;
    this.list.hidden = reading.pronunciations.size === 0;
    this.list.replaceChildren(...this.pairs.map(([word, said]) => this.build(word, said)));
    this.state.textContent = this.summary();
    this.refuse(this.refusal);
  }

  /** Say in short what is not as usual. */
  summary() {
    const { reading, language } = this;
    const { size } = reading.pronunciations;
    const facts = [];
    if (size > 0) facts.push(language.say('pronunciationCount', { count: language.number(size) }));
    if (reading.namesEmoji) facts.push(language.say('emojiState'));
    if (reading.plain) facts.push(language.say('plainState'));
    return facts.join(' · ');
  }

  /** The newest first: it is the one to be heard and changed. */
  get pairs() {
    return this.reading.pronunciations.pairs.reverse();
  }

  get words() {
    return this.pairs.map(([word]) => word);
  }

  /**
   * @param {string} word
   * @param {string} said
   */
  build(word, said) {
    const copy = /** @type {DocumentFragment} */ (this.template.content.cloneNode(true));
    const item = /** @type {HTMLElement} */ (copy.firstElementChild);
    this.language.apply(item);
    item.classList.toggle('editing', word === this.editing);
    part(item, '.pronunciation-word').textContent = word;
    part(item, '.pronunciation-said').textContent = said;
    part(item, '.pronunciation-pair').title = `${word} → ${said}`;
    for (const [name, key] of Object.entries(BUTTONS)) {
      const button = part(item, `.${name}`);
      button.title = this.language.say(key, { word });
      button.setAttribute('aria-label', button.title);
    }
    part(item, '.try').addEventListener('click', ({ timeStamp }) => this.actions.onTry(word, timeStamp));
    part(item, '.edit').addEventListener('click', () => this.edit(word));
    part(item, '.remove').addEventListener('click', () => this.remove(word));
    return item;
  }

  /**
   * @param {string | null} word
   * @param {'edit' | 'remove'} name
   * @returns {HTMLElement | null}
   */
  button(word, name) {
    const at = word === null ? -1 : this.words.indexOf(word);
    return at < 0 ? null : part(this.list.children[at], `.${name}`);
  }
}

/**
 * Return the field that a refusal is about; a full list is about neither.
 *
 * @template T
 * @param {Refusal} refusal
 * @param {T} word
 * @param {T} said
 * @returns {T | null}
 */
function fieldOf(refusal, word, said) {
  if (refusal === 'listFull') return null;
  return refusal === 'wordMissing' || refusal === 'wordTooLong' ? word : said;
}

/**
 * @param {Element} root
 * @param {string} selector
 */
function part(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector));
}
