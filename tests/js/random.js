// @ts-check
/** A seeded source of numbers, so that a random test that fails fails again. */

/**
 * Return a function that gives numbers in [0, 1), the same ones for the same seed (xorshift).
 * @param {number} seed
 * @returns {() => number}
 */
export function numbers(seed) {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/**
 * Return a function that gives whole numbers from `low` to `high`, both included.
 * @param {number} seed
 */
export function integers(seed) {
  const next = numbers(seed);
  return (/** @type {number} */ low, /** @type {number} */ high) => low + Math.floor(next() * (high - low + 1));
}
