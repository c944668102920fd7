// @ts-check
/**
 * The way to the server: finds out where it is, connects, and explains what it means when nothing answers.
 *
 * Knows the configuration, the client and the view of the connection; nothing of lines or sound. Main thread.
 *
 * @module
 */

import { SpeechClient } from './client.js';
import { fetchConfig, isLoaded, socketUrl, startCommand } from './config.js';

/** @typedef {import('./client.js').ClientState} ClientState */
/** @typedef {import('./config.js').LoadedConfig} LoadedConfig */
/** @typedef {import('./session-store.js').SavedSession} SavedSession */

/**
 * @typedef {object} Callbacks
 * @property {(message: import('./protocol.js').ServerMessage) => void} onMessage
 * @property {(client: SpeechClient, config: LoadedConfig, saved: SavedSession | null) => void} onReady - again after
 *   each restart of the server; `saved` is what the client goes on with since the page was loaded
 * @property {() => void} onTaken - another tab goes on with the session
 */

const RETRY_MS = 1000;

/** A server that starts answers for its page a moment before its socket: only a longer silence is a block. */
const BLOCKED_AFTER_S = 0.75;

/** One page's link; `open` once. */
export class Link {
  /**
   * @param {import('./connection.js').ConnectionView} view
   * @param {import('./comeback.js').Comeback} comeback
   * @param {Callbacks} callbacks
   */
  constructor(view, comeback, callbacks) {
    this.view = view;
    this.comeback = comeback;
    this.callbacks = callbacks;
    /** @type {SpeechClient | null} */
    this.client = null;
    this.asking = false;
  }

  /** Ask the server where its socket is and what it can do, until it can speak; then connect. */
  async open() {
    if (this.asking) return;
    this.asking = true;
    const [config, saved] = await Promise.all([this.untilLoaded(), this.client ? null : this.comeback.take()]);
    this.asking = false;
    this.client ??= this.connect(config, saved);
    this.callbacks.onReady(this.client, config, saved);
    this.client.reconnect();
  }

  /**
   * @param {LoadedConfig} config
   * @param {SavedSession | null} saved
   */
  connect(config, saved) {
    const client = new SpeechClient({
      url: socketUrl(config, location),
      onMessage: this.callbacks.onMessage,
      onState: (state) => this.onState(state),
      saved,
    });
    this.comeback.hand(client);
    return client;
  }

  /** Begin a fresh session after another tab has taken this one's. */
  restart() {
    this.client?.restart();
  }

  /** @returns {Promise<LoadedConfig>} */
  async untilLoaded() {
    for (;;) {
      const config = await this.ask();
      if (config !== null && isLoaded(config)) return config;
      if (config !== null) this.view.show({ state: 'loading' });
      else this.view.show({ state: 'waiting', reason: navigator.onLine ? 'away' : 'offline' });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Fetch the configuration, and let the view remember how a server that tells it was started. */
  async ask() {
    const config = await fetchConfig();
    if (config !== null) this.view.command = startCommand(config, location);
    return config;
  }

  /** @param {ClientState} state */
  onState(state) {
    if (state.state === 'waiting') this.explain(state);
    else if (state.state === 'closed') this.view.show({ state: 'closed', reason: state.reason ?? undefined });
    else this.view.show(state);
    if (state.state === 'closed' && state.reason === 'taken') this.callbacks.onTaken();
  }

  /**
   * Find out what a silent socket means: no server, one that is still loading, or one that only pages can reach.
   *
   * @param {Extract<ClientState, {state: 'waiting'}>} state
   */
  async explain(state) {
    const { resuming } = state;
    const retryAt = performance.now() + state.retrySeconds * 1000;
    this.view.show({ state: 'connecting', resuming });
    const config = state.reason === 'away' ? await this.ask() : null;
    if (this.client?.state !== state) return;
    if (config === null) this.view.show({ state: 'waiting', reason: state.reason, retryAt, resuming });
    else if (!isLoaded(config)) this.open();
    else if (state.retrySeconds >= BLOCKED_AFTER_S) {
      this.view.show({ state: 'waiting', reason: 'blocked', port: config.websocket.port, retryAt, resuming });
    }
  }
}
