// @ts-check
/**
 * The conversation on the page: what was asked, what is being answered, and the box to ask in.
 *
 * An answer appears as it is written, and turns dark as it is heard; one that was interrupted keeps in grey what was
 * not. Knows what was said and where playback is, nothing of the model or the socket. Main thread.
 *
 * @module
 */

import { isComposing } from './composer.js';
import { Follower } from './follow.js';
import { SpokenLine } from './spoken-line.js';

/** @typedef {import('./chat.js').Said} Said */
/** @typedef {import('./i18n.js').Language} Language */
/** @typedef {import('./speaker.js').Entry} Entry */

/**
 * @typedef {object} Actions
 * @property {(question: string) => boolean} onAsk - whether it was taken
 * @property {() => void} onStop
 */

/** One message on the page. @typedef {{item: HTMLElement, line: SpokenLine, live: boolean}} Bubble */

/** The panel of the chat. */
export class ChatView {
  /**
   * @param {Document} page
   * @param {Language} language
   * @param {Actions} actions
   */
  constructor(page, language, actions) {
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (page.getElementById(id));
    this.language = language;
    this.actions = actions;
    this.log = find('chat-log');
    this.welcome = find('chat-welcome');
    this.box = /** @type {HTMLTextAreaElement} */ (find('question'));
    this.stopButton = /** @type {HTMLButtonElement} */ (find('chat-stop'));
    this.goOn = find('go-on');
    this.template = /** @type {HTMLTemplateElement} */ (page.getElementById('said-template'));
    this.follower = new Follower(this.log);
    /** @type {Map<Said, Bubble>} oldest first */
    this.bubbles = new Map();
    this.listen(find('chat-form'), find('chat-questions'));
    language.onChange(() => this.relabel());
  }

  /**
   * @param {HTMLElement} form
   * @param {HTMLElement} questions
   */
  listen(form, questions) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit();
    });
    this.box.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      if (!event.repeat) this.submit();
    });
    this.stopButton.addEventListener('click', () => this.actions.onStop());
    for (const button of questions.querySelectorAll('button')) {
      button.addEventListener('click', () => {
        const byKey = button.matches(':focus-visible');
        this.actions.onAsk(button.textContent ?? '');
        // A button that goes away loses the focus; with a keyboard one goes on where one writes.
        if (byKey && button.hidden) this.box.focus();
      });
    }
  }

  submit() {
    if (this.actions.onAsk(this.box.value)) this.box.value = '';
  }

  /** @param {boolean} busy - whether there is anything to stop */
  setBusy(busy) {
    // A button that can no longer be pressed loses the focus; with a keyboard one goes on where one writes.
    if (!busy && this.stopButton.matches(':focus-visible')) this.box.focus();
    this.stopButton.disabled = !busy;
  }

  /**
   * Show a message as it is now, a new one at the end.
   *
   * @param {Said} said
   */
  update(said) {
    const known = this.bubbles.get(said);
    const bubble = known ?? this.build(said);
    const { text, heard, writing, entry } = said;
    const waiting = entry?.status === 'waiting' || entry?.status === 'speaking';
    bubble.item.classList.toggle('writing', writing);
    bubble.item.classList.toggle('interrupted', heard !== null);
    if (heard !== null) this.showCut(bubble, text, heard);
    else if (entry !== null && waiting) this.showLive(bubble, entry, null);
    else this.showPlain(bubble, text);
    if (heard !== null || said.role === 'user') this.offerMore(heard !== null);
    if (known === undefined) this.follower.toEnd();
  }

  /** @param {boolean} more - whether the newest answer was broken off */
  offerMore(more) {
    if (more === !this.goOn.hidden) return;
    this.goOn.hidden = !more;
    this.goOn.parentElement?.scrollTo({ left: 0 });
  }

  /**
   * Mark what is heard: call with each refresh of the display.
   *
   * @param {{entry: Entry, sample: number} | null} heard
   * @returns {boolean} whether it is shown here
   */
  draw(heard) {
    let shown = false;
    for (const [said, bubble] of this.bubbles) {
      if (heard !== null && said.entry === heard.entry) {
        this.showLive(bubble, heard.entry, heard.sample);
        this.follower.follow(bubble.line.now);
        shown = true;
      } else if (bubble.live && said.entry?.status !== 'waiting') this.update(said);
    }
    return shown;
  }

  /** @param {Said} said */
  drop(said) {
    this.bubbles.get(said)?.item.remove();
    this.bubbles.delete(said);
    this.welcome.hidden = this.bubbles.size > 0;
  }

  /**
   * @param {Said} said
   * @returns {Bubble}
   */
  build(said) {
    const copy = /** @type {DocumentFragment} */ (this.template.content.cloneNode(true));
    const item = /** @type {HTMLElement} */ (copy.firstElementChild);
    item.classList.add(said.role);
    const words = /** @type {HTMLElement} */ (item.querySelector('.words'));
    // The voice speaks English, and so do the answers it is given.
    if (said.role === 'assistant') words.lang = 'en';
    const bubble = { item, line: new SpokenLine(words), live: false };
    this.label(said, item);
    this.bubbles.set(said, bubble);
    this.log.append(item);
    this.welcome.hidden = true;
    return bubble;
  }

  relabel() {
    for (const [said, { item }] of this.bubbles) this.label(said, item);
  }

  /**
   * @param {Said} said
   * @param {HTMLElement} item
   */
  label(said, item) {
    this.language.apply(item);
    const who = /** @type {HTMLElement} */ (item.querySelector('.who'));
    who.textContent = this.language.say(said.role === 'user' ? 'you' : 'theModel');
  }

  /**
   * @param {Bubble} bubble
   * @param {Entry} entry
   * @param {number | null} sample - null as long as nothing new is known
   */
  showLive(bubble, { text, segments }, sample) {
    bubble.live = true;
    bubble.line.element.classList.add('live');
    bubble.line.show(text, segments, sample ?? bubble.line.sample);
  }

  /**
   * @param {Bubble} bubble
   * @param {string} text
   */
  showPlain(bubble, text) {
    bubble.live = false;
    bubble.line.element.classList.remove('live');
    bubble.line.plain(text);
  }

  /**
   * @param {Bubble} bubble
   * @param {string} text
   * @param {number} heard
   */
  showCut(bubble, text, heard) {
    this.showPlain(bubble, text.slice(0, heard));
    const unheard = document.createElement('del');
    unheard.textContent = text.slice(heard);
    bubble.line.element.append(unheard);
  }
}
