// @ts-check
/**
 * A finished line as a file on the listener's disk.
 *
 * Knows recordings and the browser's way of saving. Main thread.
 *
 * @module
 */

/** @typedef {import('./speaker.js').Entry} Entry */

const LONGEST_NAME = 40;

/** How long a file stays readable for the browser's own saving, which starts after the click returns. */
const KEEP_MS = 60_000;

/**
 * Return a file name that says what is in it, with nothing a file system could object to.
 *
 * @param {string} text
 * @param {string} extension
 */
export function fileName(text, extension) {
  const words = text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+/, '');
  const short = [...words].slice(0, LONGEST_NAME).join('').replace(/-+$/, '');
  return `${short === '' ? 'utter' : short.toLowerCase()}.${extension}`;
}

/**
 * Offer a line for saving.
 *
 * @param {Entry} entry - with a recording
 * @param {'wav' | 'opus'} kind
 * @returns {Promise<void>} rejects when the file could not be made
 */
export async function saveRecording(entry, kind) {
  const recording = /** @type {NonNullable<Entry['recording']>} */ (entry.recording);
  const blob = kind === 'wav' ? await recording.wav() : recording.ogg();
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(entry.text, kind);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}
