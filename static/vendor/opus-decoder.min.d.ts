// What is used of the vendored decoder. The file is no module: it leaves its classes in
// globalThis['opus-decoder'], and these types describe what lies there.

export interface OpusDecoder {
  /** Settles once the WebAssembly is compiled; never, where a policy forbids that. */
  readonly ready: Promise<void>;
  /** Decode one packet; damage gives no samples, and the next packet decodes as if nothing had been. */
  decodeFrame(packet: Uint8Array): { channelData: Float32Array[]; samplesDecoded: number };
  free(): void;
}

export interface OpusDecoderModule {
  OpusDecoder: new (options: { channels: number; sampleRate: number }) => OpusDecoder;
}
