// @ts-check
/** A short Opus stream with what libopus decodes of it, and the tools to serve it. */

import { readFileSync } from 'node:fs';

/** @param {string} hex @returns {Uint8Array<ArrayBuffer>} */
export function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

const data = JSON.parse(readFileSync(new URL('../data/opus_stream.json', import.meta.url), 'utf8'));

/** @type {Uint8Array[]} */
export const packets = data.packets.map(bytesOf);

export const preSkip = /** @type {number} */ (data.pre_skip);

/**
 * What libopus decodes at every `stride`th sample, pre-skip included.
 * @type {{stride: number, samples: number[]}}
 */
export const expected = { stride: data.stride, samples: data.samples };

/**
 * An audio message of the stream's packets from `first` on.
 * @param {number} first
 * @param {number} count
 * @param {Partial<import('../../static/protocol.js').Audio>} [rest]
 * @returns {import('../../static/protocol.js').Audio}
 */
export function messageOf(first, count, rest = {}) {
  return {
    type: 'audio', kind: 1, flags: 0, ordinal: 0, sequence: first, timestamp: first * 960,
    packets: packets.slice(first, first + count), utterance: 'u', preSkip, ...rest,
  };
}
