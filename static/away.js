// @ts-check
/**
 * What the end of a connection means for the person in front of the page. Pure, but for `navigator.onLine`.
 */

import { CloseCode } from './protocol.js';

/**
 * Why there is no connection: `away` nothing answers, or it fell silent; `offline` this machine has no network;
 * `restarting` the server is shutting down; `full` it has too many clients; `taken` another tab goes on with the
 * session; `refused` it did not accept what it was sent.
 * @typedef {'away' | 'offline' | 'restarting' | 'full' | 'taken' | 'refused'} AwayReason
 */

/** @type {ReadonlyMap<number, AwayReason>} */
const REASONS = new Map([
  [CloseCode.TAKEN_OVER, 'taken'],
  [CloseCode.GOING_AWAY, 'restarting'],
  [CloseCode.OVERLOADED, 'full'],
  [CloseCode.BINARY, 'refused'],
  [CloseCode.MALFORMED, 'refused'],
  [CloseCode.FLOOD, 'refused'],
  [CloseCode.TOO_BIG, 'refused'],
]);

/**
 * @param {number} code of the close; 0 when there was none
 * @returns {AwayReason}
 */
export function reasonOf(code) {
  return REASONS.get(code) ?? (globalThis.navigator?.onLine === false ? 'offline' : 'away');
}

/**
 * Return the wait that a server asks for in the reason of its close, in seconds; 0 if it asks for none.
 * @param {string} detail
 */
export function retryAfterSeconds(detail) {
  const match = /retry_after_ms\D{0,4}(\d{1,7})/.exec(detail);
  return match ? Number(match[1]) / 1000 : 0;
}
