// Names the checker does not know by itself.

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  constructor(options?: unknown);
}

declare const currentFrame: number;

declare function registerProcessor(
  name: string,
  processor: new () => AudioWorkletProcessor & {
    process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
  },
): void;

interface Navigator {
  /** Safari's: which kind of audio this page plays. */
  readonly audioSession?: { type: string };
}

/** What tests/browser/tap.py puts before tap.js: the text of tap-worklet.js. */
declare const tapWorklet: string;
