// @ts-check
/**
 * What the server tells the page about itself: where the socket is, which voices there are, what is too long.
 *
 * Knows `/config.json` and nothing else. Main thread.
 *
 * @module
 */

/** A server that takes longer than this is taken to be away. */
const TIMEOUT_MS = 2500;

/** Where a server listens that was told nothing else. */
const DEFAULTS = { host: '127.0.0.1', port: 8080, socketPort: 8765 };

/**
 * @typedef {object} Config
 * @property {string} version
 * @property {{host: string, port: number}} page - where the server listens for it
 * @property {{port: number, path: string}} websocket
 * @property {{name: string, language: string, description: string}[]} voices - empty while they load
 * @property {string | null} default_voice
 * @property {{text: number}} limits
 *
 * @typedef {Config & {default_voice: string}} LoadedConfig
 */

/**
 * Fetch the configuration; `null` when the server does not answer, whatever the reason.
 *
 * @returns {Promise<Config | null>}
 */
export async function fetchConfig() {
  try {
    const response = await fetch('config.json', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? /** @type {Config} */ (await response.json()) : null;
  } catch {
    // A refused connection and half an answer mean the same here: not there yet, ask again later.
    return null;
  }
}

/**
 * Whether the server has a voice to speak with; it answers before it has.
 *
 * @param {Config} config
 * @returns {config is LoadedConfig}
 */
export function isLoaded(config) {
  return config.default_voice !== null;
}

/**
 * Return how a voice of this name is called on the page.
 *
 * @param {string} name
 */
export function voiceName(name) {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/**
 * Return the address of the socket: on the host the page came from, encrypted exactly when the page is.
 *
 * @param {Config} config
 * @param {Pick<Location, 'protocol' | 'hostname'>} location
 */
export function socketUrl({ websocket }, { protocol, hostname }) {
  const scheme = protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${hostname}:${websocket.port}${websocket.path}`;
}

/**
 * Return the command that starts the server where this page will find it again.
 *
 * @param {Config | null} config - as last heard; without it only the page's own address tells
 * @param {Pick<Location, 'port'>} location
 */
export function startCommand(config, location) {
  const { host, port } = config?.page ?? { host: DEFAULTS.host, port: Number(location.port) || DEFAULTS.port };
  const socketPort = config?.websocket.port ?? DEFAULTS.socketPort;
  const flags = [
    host === DEFAULTS.host ? '' : ` --host ${host}`,
    port === DEFAULTS.port ? '' : ` --port ${port}`,
    socketPort === DEFAULTS.socketPort ? '' : ` --ws-port ${socketPort}`,
  ];
  return `python3 run.py${flags.join('')}`;
}
