// @ts-check
/**
 * The page's words, in English and Chinese, and the choice between them.
 *
 * Knows nothing of speech or sockets. `translate` and `preferredLanguage` are pure; `Language` touches the
 * document and the browser's storage. Everything runs on the main thread.
 *
 * @module
 */

/** @typedef {'en' | 'zh'} LanguageCode */
/** @typedef {Record<string, string | number>} Parameters */

const STORAGE_KEY = 'utter.language';

const ENGLISH = {
  title: 'Utter: type a line, hear it',
  tagline: 'Type a line. Hear it at once.',
  skip: 'Skip to the text box',
  language: 'Language',

  panels: 'What to try',
  tabLine: 'Speak a line',
  tabChat: 'Chat demo',
  chatTagline: 'Ask. It speaks while it writes.',
  chatWelcome: 'Ask something. The answer is written word by word, and spoken as it comes.',
  conversation: 'Conversation',
  question: 'Your question',
  questionPlaceholder: 'Ask something…',
  ask: 'Ask',
  questions: 'Questions to try',
  askWho: 'Who are you?',
  askHow: 'How can you speak before it is all written?',
  askTrain: 'What does the train to Oxford cost?',
  askPancakes: 'How do I make pancakes?',
  askStory: 'Tell me a story.',
  goOn: 'Go on',
  you: 'You',
  theModel: 'Answer',
  interruptedHere: 'Interrupted. The model is told only what you heard.',
  hintAsk: 'Enter asks',
  hintInterrupt: 'Esc interrupts',
  emptyQuestion: 'Type a question first, then press Enter.',
  chatFailed: 'The answer could not be had, or broke off. Ask again in a moment.',
  ownModel: 'Give your own model this voice',
  ownModelText: 'The answers here are a script, sent as a language model sends them: OpenAI’s format, some thirty tokens a second. Any model that speaks this format can take its place:',
  ownModelMore: 'Interrupt it, here or there: of its answer, the conversation keeps what you heard.',

  text: 'Text to speak',
  placeholder: 'What should be said?',
  speak: 'Speak',
  stop: 'Stop',
  hintSpeak: 'Enter speaks',
  hintBreak: 'Shift+Enter breaks the line',
  hintStop: 'Esc stops',
  voice: 'Voice',
  noVoice: 'Loading…',
  speed: 'Speed',
  times: '{value}×',
  reading: 'Reading',
  pronunciations: 'Pronunciations',
  pronunciationsHelp: 'A word, and what is said for it: other words, or phonemes between slashes, as in /ˈʌtɚ/. In small letters it stands for every spelling, with a capital for exactly that one.',
  pronunciationWord: 'Written',
  pronunciationSaid: 'Said',
  wordExample: 'afk',
  saidExample: 'away from keyboard',
  pronunciationList: 'Pronunciations in use',
  add: 'Add',
  keep: 'Save',
  cancel: 'Cancel',
  edit: 'Edit',
  tryItem: 'Hear it: {word}',
  editItem: 'Edit: {word}',
  removeItem: 'Remove: {word}',
  pronunciationKept: '“{word}” is now said “{said}”.',
  pronunciationReplaced: '“{word}” was in the list, and is now said “{said}”.',
  pronunciationRemoved: '“{word}” is removed.',
  pronunciationCount: 'Pronunciations: {count}',
  namesEmoji: 'Say emoji by name',
  emojiState: 'emoji by name',
  plain: 'Read the text as it is',
  plainHelp: 'Nothing in it counts as markup: no Markdown, no HTML.',
  plainState: 'text as it is',
  unkept: 'This browser keeps nothing for this page: these settings last until it is closed.',
  wordMissing: 'Enter the word as it is written in the text.',
  saidMissing: 'Enter what is to be said for it.',
  wordTooLong: 'The word is too long: at most {word} characters. Enter a part of it that is enough to know it by.',
  saidTooLong: 'What is said for it is too long: at most {said} characters. Shorten it.',
  phonemesBroken: 'Phonemes stand between two slashes, as in /ˈʌtɚ/. Add the missing one, or use other words.',
  listFull: 'The list is full, so this one was not added. Remove one that is no longer needed.',
  remaining: '{count} of {limit} characters',

  samples: 'Hear a line now',
  samplesHint: 'One click, and it speaks.',

  stage: 'Now speaking',
  idle: 'Nothing is being spoken.',
  waiting: 'Waiting',
  tap: 'Tap to listen',
  waveform: 'Level of the sound being played',
  milliseconds: 'ms',
  firstSound: 'from Enter to first sound',
  firstSoundStreamed: 'from first word to first sound',
  firstSoundHint: 'Speak a line to see how long the first sound takes, and where the time goes.',

  writing: 'Waiting for text',
  split: 'Split',
  chunk: 'First chunk',
  encode: 'Encode',
  network: 'Network',
  server: 'Server and network',
  decode: 'Decode',
  playout: 'Playout',
  writingTitle: 'The model writing the words that are said first',
  splitTitle: 'Server: finding the first piece of the text to say',
  chunkTitle: 'Server: the voice computing its first sound, waiting for its turn included',
  encodeTitle: 'Server: packing the sound and handing it to the socket',
  networkTitle: 'The way to the server and back',
  serverTitle: 'Everything until the first sound arrived; the server tells its part when the line is complete',
  decodeTitle: 'Browser: unpacking the sound',
  playoutTitle: 'Browser: buffering until the first audible sample leaves',
  stations: 'Where the time went',

  history: 'History',
  clear: 'Clear',
  cleared: 'History cleared.',
  replay: 'Play again',
  replayItem: 'Play again: {text}',
  wav: 'WAV',
  opus: 'Opus',
  wavItem: 'Download as a WAV file: {text}',
  opusItem: 'Download as an Ogg Opus file: {text}',
  srt: 'SRT',
  vtt: 'VTT',
  files: 'Download',
  srtItem: 'Download as SRT subtitles: {text}',
  vttItem: 'Download as WebVTT captions: {text}',
  filesNotYet: 'Can be downloaded once all of its sound has arrived.',
  filesNotWhole: 'Not all of its sound arrived. Play it again to the end to download it.',
  filesNone: 'It was not spoken, so there is nothing to download.',
  seconds: '{value} s',
  stopped: 'Stopped',
  cut: 'Cut off',
  failed: 'Not spoken',

  connecting: 'Connecting…',
  reconnecting: 'Reconnecting…',
  open: 'Connected',
  waitingState: 'No server',
  closed: 'Disconnected',
  loading: 'Loading the voice…',
  away: 'The server does not answer.',
  awayHelp: 'Start it with “{command}” on {host}. This page connects by itself as soon as it is there.',
  thisComputer: 'this computer',
  blocked: 'The server is there, but its socket on port {port} cannot be reached.',
  blockedHelp: 'Open that port in the firewall or the proxy, and check that the server accepts pages from this address.',
  offline: 'This device is offline.',
  offlineHelp: 'Check its network. This page connects by itself as soon as it is back.',
  restarting: 'The server is shutting down or restarting.',
  restartingHelp: 'This page connects again by itself.',
  full: 'The server is busy.',
  fullHelp: 'It has as many listeners as it can serve. This page tries again by itself.',
  taken: 'Another tab goes on with what was being spoken here.',
  takenHelp: 'To speak in this tab too, begin anew.',
  beginHere: 'Use this tab',
  refused: 'The server refused the connection.',
  refusedHelp: 'Reload this page. If that does not help, the server was told to accept other addresses only.',
  retry: 'Next try in {seconds} s',
  retryNow: 'Trying now…',
  back: 'Connected again.',

  stoppedNow: 'Stopped.',
  dismiss: 'Dismiss',
  emptyText: 'Type something first, then press Enter.',
  tooLong: 'This text is too long: {count} characters, and at most {limit} can be spoken at once. Shorten it or split it.',
  notConnected: 'There is no connection to the server, so this line was not spoken. Try it again once the page is connected.',
  unspoken: 'The connection was lost before this line was spoken to its end. Play it again from the history.',
  lost: 'The connection was lost in mid-line: what had arrived is played. Play the line again from the history to hear all of it.',
  soundBlocked: 'The browser holds the sound back until you tap the page. Choose “Tap to listen”.',
  soundFailed: 'This browser could not start its sound. Check that an output device is connected, then reload the page.',
  soundInterrupted: 'The system has taken the sound away, for a call perhaps. Choose “Tap to listen” to have it back.',
  soundOverflow: 'More sound arrived than this page can keep, and the end was dropped. Speak the text in smaller parts.',
  decoderFailed: 'The sound decoder did not load, so nothing can be heard. Reload the page.',
  unsupported: 'This browser cannot play the stream: it lacks {what}. Use a current Chrome, Edge, Firefox or Safari.',
  downloadFailed: 'The file could not be made. Play the line again, then try once more.',
  'unknown-voice': 'The server no longer has this voice. Choose another one.',
  'invalid-option': 'The server did not accept the voice settings. Set the speed between 0.5 and 2.',
  invalidLexicon: 'The server did not accept a pronunciation. Change or remove it under “Reading”. The server says: {message}',
  'text-too-long': 'The server found this text too long. Shorten it or split it.',
  'too-many-utterances': 'Too many lines are waiting. Let one finish, or press Esc to stop them all.',
  overloaded: 'The server is busy at the moment. Try again in a few seconds.',
  draining: 'The server is shutting down. Try again when the page is connected again.',
  'synthesis-failed': 'This text could not be spoken. Change it a little and try again.',
  internal: 'Something went wrong on the server. Try again; its log says more.',
  'unreadable-text': 'This voice cannot read part of this text, and leaves it out. It speaks English.',
  nothingToSay: 'There is nothing in this text that can be spoken.',
};

/** @typedef {keyof typeof ENGLISH} Key */

/** @type {Record<Key, string>} */
const CHINESE = {
  title: 'Utter：输入一句，立刻听到',
  tagline: '输入一句，立刻听到。',
  skip: '跳到文本框',
  language: '语言',

  panels: '试一试',
  tabLine: '朗读一句',
  tabChat: '对话演示',
  chatTagline: '提个问题，回答边写边说。',
  chatWelcome: '问点什么吧。回答逐词写出，写到哪里就说到哪里。',
  conversation: '对话',
  question: '您的问题',
  questionPlaceholder: '问点什么…',
  ask: '提问',
  questions: '可以这样问',
  askWho: '你是谁？',
  askHow: '还没写完，你怎么就能边写边说？',
  askTrain: '去牛津的火车票多少钱？',
  askPancakes: '煎饼怎么做？',
  askStory: '给我讲个故事。',
  goOn: '继续',
  you: '您',
  theModel: '回答',
  interruptedHere: '已打断。模型只会知道您听到的部分。',
  hintAsk: 'Enter 提问',
  hintInterrupt: 'Esc 打断',
  emptyQuestion: '请先输入问题，再按 Enter。',
  chatFailed: '没有得到回答，或回答中断了。请稍后再问。',
  ownModel: '让您自己的模型用这个声音',
  ownModelText: '这里的回答来自一份脚本，发送方式与语言模型相同：OpenAI 的格式，每秒约三十个词元。任何使用这种格式的模型都能取代它：',
  ownModelMore: '随时可以打断它：对话里只保留您听到的部分。',

  text: '要朗读的文字',
  placeholder: '想说什么？',
  speak: '朗读',
  stop: '停止',
  hintSpeak: 'Enter 朗读',
  hintBreak: 'Shift+Enter 换行',
  hintStop: 'Esc 停止',
  voice: '声音',
  noVoice: '加载中…',
  speed: '语速',
  times: '{value} 倍',
  reading: '读法',
  pronunciations: '发音',
  pronunciationsHelp: '写下一个词，以及读出来的内容：可以是别的词语，也可以是斜线之间的音标，如 /ˈʌtɚ/。全小写的词不分大小写；含大写的词只对应这一种写法。',
  pronunciationWord: '写作',
  pronunciationSaid: '读作',
  wordExample: 'afk',
  saidExample: 'away from keyboard',
  pronunciationList: '正在使用的发音',
  add: '添加',
  keep: '保存',
  cancel: '取消',
  edit: '修改',
  tryItem: '试听：{word}',
  editItem: '修改：{word}',
  removeItem: '删除：{word}',
  pronunciationKept: '“{word}”现在读作“{said}”。',
  pronunciationReplaced: '列表里已有“{word}”，现在改读“{said}”。',
  pronunciationRemoved: '已删除“{word}”。',
  pronunciationCount: '发音：{count} 个',
  namesEmoji: '读出表情符号的名称',
  emojiState: '读表情名称',
  plain: '按原文朗读',
  plainHelp: '不把任何内容当作标记：既不是 Markdown，也不是 HTML。',
  plainState: '按原文',
  unkept: '这个浏览器不为本页保存任何内容：这些设置只在关闭本页前有效。',
  wordMissing: '请输入文字里写的那个词。',
  saidMissing: '请输入这个词该怎么读。',
  wordTooLong: '词太长：最多 {word} 个字符。请只输入足以辨认它的一部分。',
  saidTooLong: '读法太长：最多 {said} 个字符。请缩短。',
  phonemesBroken: '音标要写在两条斜线之间，如 /ˈʌtɚ/。请补上缺少的斜线，或改用别的词语。',
  listFull: '列表已满，这一个没有加入。请先删除不再需要的。',
  remaining: '{count} / {limit} 字',

  samples: '马上听一句',
  samplesHint: '点一下就开口。',

  stage: '正在朗读',
  idle: '当前没有朗读。',
  waiting: '排队中',
  tap: '点按收听',
  waveform: '正在播放的声音的音量',
  milliseconds: '毫秒',
  firstSound: '从 Enter 到出声',
  firstSoundStreamed: '从第一个词到出声',
  firstSoundHint: '朗读一句，就能看到第一个声音用了多久、时间花在哪里。',

  writing: '等待文本',
  split: '断句',
  chunk: '首段合成',
  encode: '编码',
  network: '网络',
  server: '服务器与网络',
  decode: '解码',
  playout: '播放',
  writingTitle: '模型正在写最先要说的那些词',
  splitTitle: '服务器：找出文字中最先要说的一段',
  chunkTitle: '服务器：合成第一段声音，含排队时间',
  encodeTitle: '服务器：压缩声音并交给连接',
  networkTitle: '往返服务器的路程',
  serverTitle: '直到第一段声音到达的全部时间；整句发完后服务器会说明细节',
  decodeTitle: '浏览器：解开压缩的声音',
  playoutTitle: '浏览器：缓冲，直到第一个可听见的样本播出',
  stations: '时间花在哪里',

  history: '历史',
  clear: '清空',
  cleared: '历史已清空。',
  replay: '重播',
  replayItem: '重播：{text}',
  wav: 'WAV',
  opus: 'Opus',
  wavItem: '下载为 WAV 文件：{text}',
  opusItem: '下载为 Ogg Opus 文件：{text}',
  srt: 'SRT',
  vtt: 'VTT',
  files: '下载',
  srtItem: '下载为 SRT 字幕：{text}',
  vttItem: '下载为 WebVTT 字幕：{text}',
  filesNotYet: '全部声音到达后即可下载。',
  filesNotWhole: '声音没有全部到达。请重播到底，然后再下载。',
  filesNone: '这一句没有读出来，没有可下载的内容。',
  seconds: '{value} 秒',
  stopped: '已停止',
  cut: '中断',
  failed: '未朗读',

  connecting: '正在连接…',
  reconnecting: '正在重新连接…',
  open: '已连接',
  waitingState: '没有服务器',
  closed: '已断开',
  loading: '正在加载声音…',
  away: '服务器没有应答。',
  awayHelp: '请在{host}上运行“{command}”。服务器一启动，本页会自动连接。',
  thisComputer: '本机',
  blocked: '服务器在，但连不上它的 {port} 端口。',
  blockedHelp: '请在防火墙或代理中放行该端口，并确认服务器接受来自此地址的页面。',
  offline: '本设备没有联网。',
  offlineHelp: '请检查网络。网络恢复后，本页会自动连接。',
  restarting: '服务器正在关闭或重启。',
  restartingHelp: '本页会自动重新连接。',
  full: '服务器正忙。',
  fullHelp: '收听的人数已到上限。本页会自动重试。',
  taken: '这里的朗读已转到另一个标签页继续。',
  takenHelp: '要在本页朗读，请重新开始。',
  beginHere: '使用本页',
  refused: '服务器拒绝了连接。',
  refusedHelp: '请刷新本页。如果仍不行，说明服务器只接受其他地址。',
  retry: '{seconds} 秒后重试',
  retryNow: '正在重试…',
  back: '已重新连接。',

  stoppedNow: '已停止。',
  dismiss: '关闭',
  emptyText: '请先输入文字，再按 Enter。',
  tooLong: '文字太长：共 {count} 字，一次最多朗读 {limit} 字。请缩短或分成几次。',
  notConnected: '没有连上服务器，这一句没有朗读。连上后请再试一次。',
  unspoken: '连接断开，这一句没有读完。请在历史记录里重新播放。',
  lost: '读到一半时连接断开：已收到的部分会播完。要听完整的一句，请在历史记录里重新播放。',
  soundBlocked: '浏览器要等您点一下页面才会出声。请点“点按收听”。',
  soundFailed: '浏览器无法启动声音。请检查是否接有音频输出设备，然后刷新本页。',
  soundInterrupted: '系统暂时占用了声音，可能有来电。请点“点按收听”恢复。',
  soundOverflow: '到达的声音超出了本页的容量，末尾被丢弃。请把文字分成几段朗读。',
  decoderFailed: '声音解码器没有加载成功，无法出声。请刷新本页。',
  unsupported: '这个浏览器缺少 {what}，无法播放。请使用新版 Chrome、Edge、Firefox 或 Safari。',
  downloadFailed: '无法生成文件。请重播这一句，然后再试。',
  'unknown-voice': '服务器上已没有这个声音，请换一个。',
  'invalid-option': '服务器不接受这些设置。请把语速设在 0.5 到 2 之间。',
  invalidLexicon: '服务器不接受其中一个发音。请在“读法”里修改或删除它。服务器的说明：{message}',
  'text-too-long': '服务器认为文字太长。请缩短或分成几次。',
  'too-many-utterances': '排队的句子太多了。请等一句播完，或按 Esc 全部停止。',
  overloaded: '服务器正忙，请过几秒再试。',
  draining: '服务器正在关闭。请等本页重新连接后再试。',
  'synthesis-failed': '这段文字无法朗读。请稍作修改再试。',
  internal: '服务器出了问题。请再试一次；详情见服务器日志。',
  'unreadable-text': '这个声音读不出其中一部分文字，已略过。它说的是英语。',
  nothingToSay: '这段文字里没有可以朗读的内容。',
};

/** @type {Record<LanguageCode, Record<Key, string>>} */
export const WORDS = { en: ENGLISH, zh: CHINESE };

/** The tag for the `lang` attribute and for formatting numbers. */
const TAGS = { en: 'en', zh: 'zh-CN' };

/**
 * Choose the interface language: the remembered one, else the first the browser asks for that we have.
 *
 * @param {string | null} remembered
 * @param {readonly string[]} wanted - as in `navigator.languages`
 * @returns {LanguageCode}
 */
export function preferredLanguage(remembered, wanted) {
  for (const tag of remembered === null ? wanted : [remembered, ...wanted]) {
    const primary = tag.toLowerCase().split('-')[0];
    if (primary === 'en' || primary === 'zh') return primary;
  }
  return 'en';
}

/**
 * Return the words for `key` with each `{name}` replaced by its parameter.
 *
 * @param {LanguageCode} language
 * @param {Key} key
 * @param {Parameters} [parameters]
 */
export function translate(language, key, parameters = {}) {
  return WORDS[language][key].replace(/\{(\w+)\}/g, (whole, name) => String(parameters[name] ?? whole));
}

/**
 * Whether `key` names something we have words for: codes of server errors are looked up this way.
 *
 * @param {string} key
 * @returns {key is Key}
 */
export function isKey(key) {
  return Object.hasOwn(ENGLISH, key);
}

/** The language in use: says things in it, applies it to the document, remembers it. */
export class Language {
  /** @param {Document} page */
  constructor(page) {
    this.page = page;
    this.code = preferredLanguage(recall(STORAGE_KEY), navigator.languages ?? [navigator.language]);
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** The BCP 47 tag of the language in use. */
  get tag() {
    return TAGS[this.code];
  }

  /**
   * @param {Key} key
   * @param {Parameters} [parameters]
   */
  say(key, parameters) {
    return translate(this.code, key, parameters);
  }

  /**
   * Format a number the language's way, with a fixed count of decimals.
   *
   * @param {number} value
   * @param {number} [digits]
   */
  number(value, digits = 0) {
    return value.toLocaleString(this.tag, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  /** @param {() => void} listener - called after every change, for what `apply` cannot reach */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {LanguageCode} code */
  choose(code) {
    this.code = code;
    remember(STORAGE_KEY, code);
    this.apply(this.page.documentElement);
    this.page.title = this.say('title');
    for (const listener of this.listeners) listener();
  }

  /**
   * Fill in every element at or below `root` that names its words in `data-say`, `data-say-label` or
   * `data-say-placeholder`.
   *
   * @param {Element} root
   */
  apply(root) {
    this.page.documentElement.lang = this.tag;
    for (const element of withAttribute(root, 'data-say')) {
      element.textContent = this.say(keyOf(element, 'data-say'));
    }
    for (const element of withAttribute(root, 'data-say-label')) {
      element.setAttribute('aria-label', this.say(keyOf(element, 'data-say-label')));
    }
    for (const element of withAttribute(root, 'data-say-title')) {
      element.setAttribute('title', this.say(keyOf(element, 'data-say-title')));
    }
    for (const element of withAttribute(root, 'data-say-placeholder')) {
      element.setAttribute('placeholder', this.say(keyOf(element, 'data-say-placeholder')));
    }
  }
}

/**
 * Read a remembered setting; `null` where there is none or the browser keeps nothing.
 *
 * @param {string} key
 */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage is refused in some private modes: the setting then lasts as long as the page.
    return null;
  }
}

/**
 * Remember a setting where the browser allows it.
 *
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // As in `recall`: without storage the setting lasts as long as the page.
  }
}

/**
 * @param {Element} root
 * @param {string} attribute
 */
function withAttribute(root, attribute) {
  const below = [...root.querySelectorAll(`[${attribute}]`)];
  return root.hasAttribute(attribute) ? [root, ...below] : below;
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function keyOf(element, attribute) {
  const key = element.getAttribute(attribute) ?? '';
  if (!isKey(key)) throw new Error(`No words for ${attribute}="${key}"`);
  return key;
}
