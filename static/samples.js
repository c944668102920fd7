// @ts-check
/**
 * Lines to click for somebody who has just arrived: one click, and a voice is heard.
 *
 * The lines are English whatever the interface's language is, because the voice speaks English. Main thread.
 *
 * @module
 */

export const SAMPLES = [
  'Hello! You typed nothing yet, and I am already talking.',
  'The 7:45 train to Oxford leaves from platform 3, and it costs £12.50.',
  'Did you hear that? There was a moment of silence, and then, all at once, the whole forest began to sing.',
  'Good morning. I can read to you for as long as you like: letters, recipes, the news, a chapter before you ' +
    'sleep. You do not have to wait until I have read everything myself. I begin with the first few words, and ' +
    'find the rest while you are listening.',
];

/**
 * Fill `list` with one button for each sample.
 *
 * @param {HTMLElement} list
 * @param {HTMLTemplateElement} template
 * @param {(text: string, asked: number) => void} onChoose - `asked` is when it was clicked, `performance.now()`
 */
export function offerSamples(list, template, onChoose) {
  for (const text of SAMPLES) {
    const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
    const button = /** @type {HTMLButtonElement} */ (copy.querySelector('.sample'));
    /** @type {HTMLElement} */ (copy.querySelector('.sample-text')).textContent = text;
    button.addEventListener('click', (event) => onChoose(text, event.timeStamp));
    list.append(copy);
  }
}
