// @ts-check
/**
 * The page's composition root: makes every part, connects them, and holds no logic of its own.
 *
 * @module
 */

import { Chat } from './chat.js';
import { complete } from './chat-stream.js';
import { ChatView } from './chat-view.js';
import { Comeback } from './comeback.js';
import { Composer } from './composer.js';
import { ConnectionView } from './connection.js';
import { save } from './download.js';
import { History } from './history.js';
import { Language } from './i18n.js';
import { Link } from './link.js';
import { Panels } from './panels.js';
import { Player } from './player.js';
import { Problems } from './problems.js';
import { Reading } from './reading.js';
import { ReadingView } from './reading-view.js';
import { offerSamples } from './samples.js';
import { SessionStore } from './session-store.js';
import { newEntry, Speaker } from './speaker.js';
import { Stage } from './stage.js';
import { Tabs } from './tabs.js';

/** @typedef {import('./speaker.js').Entry} Entry */

const REPORT_MS = 250;

/** The stand-in for a language model that the page's own server has, and what it is to be called. */
const CHAT_URL = 'demo/v1/chat/completions';
const CHAT_MODEL = 'script';

/** What the page cannot do without, by the names in the global object. */
const NEEDED = ['AudioContext', 'WebAssembly', 'WebSocket'];

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const template = (/** @type {string} */ id) => /** @type {HTMLTemplateElement} */ (find(id));

const language = new Language(document);
const announcement = find('announcement');
const problems = new Problems(document, language);
const connection = new ConnectionView(document, language, announce, () => speaker.sounding);

const reading = new Reading();
const player = new Player({
  latencyHint: latencyHint(),
  onEvent: (event) => {
    speaker.onPlayer(event);
    connection.refresh();
  },
});
const speaker = new Speaker(player, {
  onEntry: show,
  onLatency: (latency, entry) => stage.measure(latency, entry),
  onProblem: (code, message) => problems.show(code, message),
  onSound: showSound,
}, () => reading.settings);
const composer = new Composer(document, language, { onSpeak: speak, onStop: stop });
new ReadingView(document, language, reading, { onTry: speak, announce });
const stage = new Stage(document, language, speaker, (heard) => {
  chat.note(heard);
  find('line').classList.toggle('elsewhere', chatView.draw(heard));
});
const chatView = new ChatView(document, language, { onAsk: question, onStop: stop });
const chat = new Chat(speaker, (messages, signal) => complete(CHAT_URL, { model: CHAT_MODEL, messages }, signal), {
  onSaid: (said) => {
    chatView.update(said);
    if (said.entry !== null) history.update(said.entry);
    showBusy();
  },
  onDropped: (said) => {
    chatView.drop(said);
    showBusy();
  },
  onLine: list,
  onFailure: (error) => {
    console.error('The model failed.', error);
    problems.say('chatFailed');
  },
});
const history = new History(find('history-list'), template('item-template'), language, {
  replay,
  save: (entry, kind) => save(entry, kind).catch((error) => {
    console.error('The file could not be made.', error);
    problems.show('downloadFailed');
  }),
});

const comeback = new Comeback(new SessionStore(), (mine) => new Tabs(mine));
const link = new Link(connection, comeback, {
  onMessage: (message) => {
    speaker.onMessage(message);
    chat.onMessage(message);
  },
  onReady: (client, config, saved) => {
    speaker.client = client;
    composer.offer(config.voices, config.default_voice, config.limits.text);
    chat.limit = config.limits.text;
    if (saved !== null) goOn(saved);
  },
  onTaken: stop,
});

/** Why nothing can be heard; null when it can. @type {string | null} */
let silence = null;

/** Whether the chat is what is shown. */
let inChat = false;

wire();
const missing = NEEDED.find((name) => !(name in globalThis));
if (missing === undefined) start();
else problems.say('unsupported', { what: missing });

function wire() {
  for (const button of document.querySelectorAll('[data-language]')) {
    const code = button.getAttribute('data-language') === 'zh' ? 'zh' : 'en';
    button.addEventListener('click', () => language.choose(code));
    language.onChange(() => button.setAttribute('aria-pressed', String(code === language.code)));
  }
  language.choose(language.code);
  offerSamples(find('sample-list'), template('sample-template'), (text, asked) => {
    if (speak(text, asked)) returnToBox();
  });
  new Panels(find('tabs'), showPanel).showAddressed();
  find('problem-close').addEventListener('click', returnToBox);
  find('clear').addEventListener('click', clearHistory);
  find('away-begin').addEventListener('click', () => {
    link.restart();
    returnToBox();
  });
  find('tap').addEventListener('click', () => {
    unlock();
    returnToBox();
  });
}

function start() {
  // Opening a device takes up to half a second the first time: it is made ready now, asleep as long as the browser
  // wants, and woken by the first touch of the page, not by the first line.
  player.unlock();
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, unlock, { once: true });
  setInterval(() => report(), REPORT_MS);
  addEventListener('pagehide', () => report(true));
  link.open();
}

/** Tell the server how far playback is, and keep that for the case of a reload. */
function report(left = false) {
  speaker.report();
  comeback.keep(left);
}

/**
 * Go on with what was being spoken before the page was loaded again.
 *
 * @param {import('./session-store.js').SavedSession} saved
 */
function goOn(saved) {
  for (const entry of speaker.restore(saved, { voice: composer.voice, speed: 1 })) {
    history.add(entry);
    show(entry);
  }
  showSide();
  unlock();
}

/**
 * @param {string} text
 * @param {number} asked
 * @returns {boolean} whether the line was taken
 */
function speak(text, asked) {
  problems.clear();
  const count = [...text].length;
  if (text.trim() === '') return refuse('emptyText');
  if (count > composer.limit) {
    return refuse('tooLong', { count: language.number(count), limit: language.number(composer.limit) });
  }
  if (speaker.client === null) return refuse('notConnected');
  const settings = { voice: composer.voice, speed: composer.speed };
  const unspoken = history.unspoken(text);
  if (unspoken !== null) ask(Object.assign(unspoken, settings), asked);
  else ask(newEntry(text, settings), asked);
  return true;
}

/**
 * Ask for a line, new or known, and have its card on top.
 *
 * @param {Entry} entry
 * @param {number} asked
 */
function ask(entry, asked) {
  speaker.speak(entry, asked);
  // Still inside the gesture, but after asking: a device may take its time to open, and the server need not wait.
  unlock();
  list(entry);
}

/** @param {Entry} entry - that has just been asked for */
function list(entry) {
  history.add(entry);
  showSide();
  show(entry);
}

/**
 * @param {string} words - of a question
 * @returns {boolean} whether it was taken
 */
function question(words) {
  problems.clear();
  const text = words.trim();
  if (text === '') return refuse('emptyQuestion');
  if (speaker.client === null) return refuse('notConnected');
  chat.ask(text, { voice: composer.voice, speed: composer.speed });
  unlock();
  return true;
}

/**
 * @param {import('./i18n.js').Key} key
 * @param {import('./i18n.js').Parameters} [parameters]
 * @returns {false}
 */
function refuse(key, parameters) {
  problems.say(key, parameters);
  return false;
}

function stop() {
  problems.clear();
  if (chat.stop()) announce(language.say('stoppedNow'));
}

/** @param {Entry} entry */
function replay(entry) {
  problems.clear();
  if (entry.recording === null) {
    ask(entry, performance.now());
    // Its button rests until there is something to replay.
    returnToBox();
    return;
  }
  unlock();
  chat.stop();
  speaker.replay(entry);
}

/** @param {Entry} entry */
function show(entry) {
  history.update(entry);
  chat.onEntry(entry);
  showBusy();
  showTap();
  if (speaker.busy) stage.wake();
}

/** Offer to stop as long as there is something to stop. */
function showBusy() {
  composer.setSpeaking(speaker.busy);
  chatView.setBusy(speaker.busy || chat.writing);
}

/**
 * @param {string} panel
 * @param {boolean} pointed
 */
function showPanel(panel, pointed) {
  inChat = panel === 'chat';
  document.body.classList.toggle('in-chat', inChat);
  find('tagline').dataset.say = inChat ? 'chatTagline' : 'tagline';
  language.apply(find('tagline'));
  find('skip').setAttribute('href', inChat ? '#question' : '#text');
  showSide();
  if (pointed) returnToBox();
}

async function unlock() {
  showSound((await player.unlock()).reason);
}

/** @param {string | null} reason - why not everything can be heard; null when it can */
function showSound(reason) {
  // Before the first line a sleeping device is no problem: speaking wakes it.
  silence = reason === 'gesture' && !speaker.busy ? null : reason;
  problems.sound(silence);
  showTap();
}

/** Offer the tap only while somebody waits for a sound that a tap can bring. */
function showTap() {
  const wanted = speaker.busy && (silence === 'gesture' || silence === 'interrupted');
  find('tap').hidden = !wanted;
  if (wanted) speaker.delay();
}

/** Lines to try as long as there is no history. */
function showSide() {
  document.body.classList.toggle('fresh', history.empty);
  find('samples').hidden = inChat || !history.empty;
  find('own-model').hidden = !inChat;
  find('history').hidden = history.empty;
}

function clearHistory() {
  history.clear();
  showSide();
  if (history.empty) returnToBox();
  announce(language.say('cleared'));
}

/** What was just pressed goes away, and must not take the focus with it. */
function returnToBox() {
  // Where the keyboard is on the screen, it would come up and cover what was asked for.
  if (!matchMedia('(hover: none) and (pointer: coarse)').matches) (inChat ? chatView : composer).box.focus();
}

/** @param {string} words - for somebody who cannot see what has changed */
function announce(words) {
  announcement.textContent = words;
}

/** `?latency=0` trades safety for some 30 ms. */
function latencyHint() {
  const asked = new URLSearchParams(location.search).get('latency');
  const seconds = Number(asked);
  return asked !== null && seconds >= 0 ? seconds : 'interactive';
}
