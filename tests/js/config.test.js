// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLoaded, socketUrl } from '../../static/config.js';

const CONFIG = {
  version: '1',
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
