// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLoaded, socketUrl, startCommand } from '../../static/config.js';

const CONFIG = {
  version: '1',
  page: { host: '127.0.0.1', port: 8080 },
  websocket: { port: 8765, path: '/v1/stream' },
  voices: [],
  default_voice: null,
  limits: { text: 5000 },
};

test('the socket is on the host of the page, encrypted exactly when the page is', () => {
  assert.equal(socketUrl(CONFIG, { protocol: 'http:', hostname: '127.0.0.1' }), 'ws://127.0.0.1:8765/v1/stream');
  assert.equal(socketUrl(CONFIG, { protocol: 'https:', hostname: '[::1]' }), 'wss://[::1]:8765/v1/stream');
});

test('a server without a voice yet is not loaded', () => {
  assert.ok(!isLoaded(CONFIG));
  assert.ok(isLoaded({ ...CONFIG, default_voice: 'heart' }));
});

test('the command that starts the server names what is not the default, and nothing else', () => {
  const elsewhere = { ...CONFIG, page: { host: '::', port: 8095 }, websocket: { port: 8766, path: '/v1/stream' } };
  assert.equal(startCommand(CONFIG, { port: '8080' }), 'python3 run.py');
  assert.equal(startCommand(elsewhere, { port: '' }), 'python3 run.py --host :: --port 8095 --ws-port 8766');
});

test('a page that never heard of its server names the port it came from', () => {
  assert.equal(startCommand(null, { port: '8095' }), 'python3 run.py --port 8095');
  assert.equal(startCommand(null, { port: '' }), 'python3 run.py');
});
