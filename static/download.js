// @ts-check
/**
 * A finished line as a file on the listener's disk.
 *
 * Knows recordings, subtitles and the browser's way of saving. Main thread.
 *
 * @module
 */

import { cuesOf, srt, vtt } from './subtitles.js';

/** @typedef {import('./speaker.js').Entry} Entry */
/** @typedef {'wav' | 'opus' | 'srt' | 'vtt'} FileKind */

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
 * Whether there is enough of a line for such a file: all of its sound, or all of its words.
 *
 * @param {Entry} entry
 * @param {FileKind} kind
 */
export function canSave({ recording, samples, segments }, kind) {
  return kind === 'wav' || kind === 'opus' ? recording !== null : samples > 0 && segments.length > 0;
}

/**
 * Say why there is no such file of a line; null when there is.
 *
 * @param {Entry} entry
 * @param {FileKind} kind
 * @returns {import('./i18n.js').Key | null}
 */
export function whyNot(entry, kind) {
  if (canSave(entry, kind)) return null;
  if (entry.status === 'waiting' || entry.status === 'speaking') return 'filesNotYet';
  return entry.status === 'failed' ? 'filesNone' : 'filesNotWhole';
}

/**
 * Return a line as a file.
 *
 * @param {Entry} entry - that can be saved so
 * @param {FileKind} kind
 * @returns {Promise<Blob>} rejects when it could not be made
 */
async function fileOf({ recording, text, segments, samples }, kind) {
  if (kind === 'srt') return new Blob([srt(cuesOf(text, segments, samples))], { type: 'application/x-subrip' });
  if (kind === 'vtt') return new Blob([vtt(cuesOf(text, segments, samples))], { type: 'text/vtt' });
  const sound = /** @type {NonNullable<Entry['recording']>} */ (recording);
  return kind === 'wav' ? sound.wav() : sound.ogg();
}

/**
 * Offer a line for saving.
 *
 * @param {Entry} entry - that can be saved so
 * @param {FileKind} kind
 * @returns {Promise<void>} rejects when the file could not be made
 */
export async function save(entry, kind) {
  const blob = await fileOf(entry, kind);
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(entry.text, kind);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}
