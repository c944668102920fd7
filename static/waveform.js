// @ts-check
/**
 * The live waveform: the level of what is being played, as bars that drift to the left.
 *
 * Knows an AnalyserNode and a canvas, nothing of utterances. Draws only while something is to be seen: once
 * the bars have run out after `stop`, no frame is asked for. Main thread.
 *
 * @module
 */

const BAR_WIDTH = 3;
const BAR_GAP = 3;
const PITCH = BAR_WIDTH + BAR_GAP;
const BAR_INTERVAL_MS = 55;

/** With reduced motion nothing drifts and nothing jumps: a row of equal bars is lit as far as the level reaches. */
const CALM_INTERVAL_MS = 250;
const CALM_HEIGHT = 0.3;

/** Root mean square levels that draw nothing and fill the canvas. Speech peaks near -14 dB. */
const QUIETEST_DB = -54;
const LOUDEST_DB = -13;

/** Above 1 it shows the shape of syllables better than loudness itself does. */
const CONTRAST = 1.7;

/**
 * Map the root mean square of some samples to a bar height in [0, 1], by loudness rather than by amplitude.
 *
 * @param {Float32Array} samples
 */
export function barHeight(samples) {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-12);
  const share = (decibels - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB);
  return Math.min(1, Math.max(0, share)) ** CONTRAST;
}

/** Bars on a canvas. `start` while sound plays, `stop` when it ends; the bars then drift out. */
export class Waveform {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    /** @type {AnalyserNode | null} */
    this.analyser = null;
    this.samples = new Float32Array(2048);
    /** @type {number[]} newest last; never more than fit the canvas */
    this.bars = [];
    this.running = false;
    this.frame = 0;
    this.newest = 0;
    this.calm = matchMedia('(prefers-reduced-motion: reduce)');
    this.colour = '';
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolour());
  }

  /** @param {AnalyserNode} analyser */
  start(analyser) {
    this.analyser = analyser;
    this.running = true;
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.draw(now));
  }

  stop() {
    this.running = false;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.recolour();
  }

  recolour() {
    this.colour = getComputedStyle(this.canvas).color;
    this.paint(0);
  }

  /** @param {number} now */
  draw(now) {
    const interval = this.calm.matches ? CALM_INTERVAL_MS : BAR_INTERVAL_MS;
    if (now - this.newest > 4 * interval) this.newest = now - interval;
    while (now - this.newest >= interval) {
      this.newest += interval;
      this.advance();
    }
    this.paint(this.calm.matches ? 0 : (now - this.newest) / interval);
    const visible = this.running || this.bars.some((bar) => bar > 0);
    this.frame = visible ? requestAnimationFrame((next) => this.draw(next)) : 0;
  }

  advance() {
    this.bars.push(this.running ? this.level() : 0);
    const room = Math.ceil(this.canvas.clientWidth / PITCH) + 1;
    if (this.bars.length > room) this.bars.splice(0, this.bars.length - room);
  }

  level() {
    if (this.analyser === null) return 0;
    const samples = this.samples.subarray(0, Math.min(this.samples.length, this.analyser.fftSize));
    this.analyser.getFloatTimeDomainData(samples);
    return barHeight(samples);
  }

  /** @param {number} shift - how far, in bars, everything has drifted since the newest bar came */
  paint(shift) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.context.clearRect(0, 0, width, height);
    this.context.fillStyle = this.colour;
    const room = Math.ceil(width / PITCH) + 1;
    const newest = this.bars.at(-1) ?? 0;
    for (let index = 0; index < room; index += 1) {
      const x = width - (index + shift) * PITCH - BAR_WIDTH;
      if (this.calm.matches) this.paintBar(x, x < newest * width ? CALM_HEIGHT : 0, height, 0);
      else this.paintBar(x, this.bars[this.bars.length - 1 - index] ?? 0, height, index / room);
    }
  }

  /**
   * @param {number} x
   * @param {number} bar
   * @param {number} height
   * @param {number} age - 0 for the newest, towards 1 for the oldest
   */
  paintBar(x, bar, height, age) {
    const tall = Math.max(BAR_WIDTH, bar * height);
    this.context.globalAlpha = bar > 0 ? 1 - 0.75 * age : 0.22;
    this.context.beginPath();
    this.context.roundRect(x, (height - tall) / 2, BAR_WIDTH, tall, BAR_WIDTH / 2);
    this.context.fill();
  }
}
