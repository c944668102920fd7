// The few names of Node that the tests use. Node's own types would change those of the browser files beside them.

declare module 'node:test' {
  export function test(name: string, body: () => void | Promise<void>): Promise<void>;
  export function afterEach(body: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    ok(value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(body: () => unknown, error?: unknown): void;
    rejects(body: Promise<unknown> | (() => Promise<unknown>), error?: unknown): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}

declare module 'node:fs' {
  export function readFileSync(path: URL): Uint8Array<ArrayBuffer>;
  export function readFileSync(path: URL, encoding: 'utf8'): string;
}

declare module 'node:crypto' {
  export function createHash(algorithm: string): {
    update(data: Uint8Array): { digest(encoding: 'hex'): string };
  };
}

declare module 'node:fs/promises' {
  export function readFile(path: URL, encoding: 'utf8'): Promise<string>;
}
