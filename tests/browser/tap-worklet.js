// @ts-check
/**
 * Copies what is rendered to the main thread, a tenth of a second at a time, and says at once when silence ends.
 *
 * Its own output stays silent. Audio thread.
 */

const BATCH_SAMPLES = 4_800;

/** Less than this, -60 dB of full scale, is silence; silence has to last for a while. */
const AUDIBLE = 0.001;
const LEAST_SILENCE_SAMPLES = 9_600;

registerProcessor(
  'tap',
  class extends AudioWorkletProcessor {
    #batch = new Float32Array(BATCH_SAMPLES);
    #filled = 0;
    #quiet = LEAST_SILENCE_SAMPLES;

    /**
     * @param {Float32Array[][]} inputs
     * @param {Float32Array[][]} outputs
     * @returns {boolean}
     */
    process([[input]], [[output]]) {
      // Without a channel the input is silent, as the output is.
      const pcm = input ?? output;
      for (let i = 0; i < pcm.length; i += 1) this.#hear(pcm[i], currentFrame + i);
      return true;
    }

    /**
     * @param {number} sample
     * @param {number} frame
     */
    #hear(sample, frame) {
      const audible = Math.abs(sample) >= AUDIBLE;
      if (audible && this.#quiet >= LEAST_SILENCE_SAMPLES) this.port.postMessage({ frame });
      this.#quiet = audible ? 0 : this.#quiet + 1;
      this.#batch[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled < BATCH_SAMPLES) return;
      const pcm = this.#batch;
      this.port.postMessage({ frame: frame + 1 - BATCH_SAMPLES, pcm }, [pcm.buffer]);
      this.#batch = new Float32Array(BATCH_SAMPLES);
      this.#filled = 0;
    }
  },
);
