// @ts-check
/**
 * Opus packets to an Ogg Opus file (RFC 3533, RFC 7845). Knows no player and no wire. Pure.
 */

import { CONTENT_RATE_HZ, PACKET_SAMPLES } from './protocol.js';

const PAGE_HEADER_BYTES = 27;
const CRC_OFFSET = 22;
const MOST_LACING = 255;
const CRC_POLYNOMIAL = 0x04c11db7;

/** A second to a page. */
const PACKETS_PER_PAGE = CONTENT_RATE_HZ / PACKET_SAMPLES;

const PageFlag = Object.freeze({ BEGIN: 2, END: 4 });

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ CRC_POLYNOMIAL : crc << 1;
  return crc >>> 0;
});

/**
 * What the file holds: `samples` of content at 48 kHz behind `preSkip` samples of encoder delay.
 * @typedef {{packets: Uint8Array[], preSkip: number, samples: number, inputRateHz: number}} OpusRecording
 */

/**
 * Build the whole file: one mono stream of 20 ms packets.
 * @param {OpusRecording} recording
 * @param {number} serial number of the stream; any 32 bits
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function oggOpus({ packets, preSkip, samples, inputRateHz }, serial) {
  let sequence = 0;
  const page = (/** @type {Uint8Array[]} */ content, /** @type {number} */ granule, flags = 0) =>
    oggPage({ packets: content, granule, flags, serial, sequence: sequence++ });
  const pages = [page([opusHead(preSkip, inputRateHz)], 0, PageFlag.BEGIN), page([opusTags()], 0)];
  for (const group of groupsOf(packets)) {
    const last = group.end === packets.length;
    // The last granule says where the content ends, which is before the last packet does.
    const granule = last ? preSkip + samples : group.end * PACKET_SAMPLES;
    pages.push(page(group.packets, granule, last ? PageFlag.END : 0));
  }
  return joined(pages);
}

/**
 * @param {Uint8Array[]} packets
 * @returns {{packets: Uint8Array[], end: number}[]} `end` counts the packets up to and with the group
 */
function groupsOf(packets) {
  const groups = [];
  let group = { packets: /** @type {Uint8Array[]} */ ([]), end: 0 };
  let lacing = 0;
  for (const packet of packets) {
    const values = lacingOf(packet).length;
    if (group.packets.length === PACKETS_PER_PAGE || lacing + values > MOST_LACING) {
      groups.push(group);
      group = { packets: [], end: group.end };
      lacing = 0;
    }
    group.packets.push(packet);
    group.end += 1;
    lacing += values;
  }
  groups.push(group);
  return groups;
}

/**
 * @param {Uint8Array} packet
 * @returns {number[]} its segment lengths: 255 each, then one below 255 that ends it
 */
function lacingOf(packet) {
  const full = Math.floor(packet.length / 255);
  return [...new Array(full).fill(255), packet.length % 255];
}

/**
 * @param {{packets: Uint8Array[], granule: number, flags: number, serial: number, sequence: number}} page
 * @returns {Uint8Array<ArrayBuffer>}
 */
function oggPage({ packets, granule, flags, serial, sequence }) {
  const lacing = packets.flatMap(lacingOf);
  const header = new Uint8Array(PAGE_HEADER_BYTES + lacing.length);
  const view = new DataView(header.buffer);
  header.set(ascii('OggS'));
  header[5] = flags;
  view.setBigUint64(6, BigInt(granule), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  header[26] = lacing.length;
  header.set(lacing, PAGE_HEADER_BYTES);
  const page = joined([header, ...packets]);
  new DataView(page.buffer).setUint32(CRC_OFFSET, crcOf(page), true);
  return page;
}

/**
 * @param {number} preSkip
 * @param {number} inputRateHz
 */
function opusHead(preSkip, inputRateHz) {
  const head = new Uint8Array(19);
  const view = new DataView(head.buffer);
  head.set(ascii('OpusHead'));
  head[8] = 1; // version
  head[9] = 1; // channels
  view.setUint16(10, preSkip, true);
  view.setUint32(12, inputRateHz, true);
  return head;
}

function opusTags() {
  const vendor = ascii('Utter');
  const tags = new Uint8Array(8 + 4 + vendor.length + 4);
  tags.set(ascii('OpusTags'));
  new DataView(tags.buffer).setUint32(8, vendor.length, true);
  tags.set(vendor, 12);
  return tags;
}

/** @param {Uint8Array} bytes @returns {number} Ogg's checksum, over a page whose checksum field is zero */
function crcOf(bytes) {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ byte];
  return crc >>> 0;
}

/** @param {string} text */
function ascii(text) {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/**
 * @param {Uint8Array[]} parts
 * @returns {Uint8Array<ArrayBuffer>}
 */
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
