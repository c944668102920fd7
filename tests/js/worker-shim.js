// @ts-check
/** The vendored decoder wants a `Worker` to derive a class from that is never used; Node has none. */

if (!('Worker' in globalThis)) Object.assign(globalThis, { Worker: class {} });
