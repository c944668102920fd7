// @ts-check
/**
 * A language model's answer as it is being written: OpenAI's chat completions, streamed as server-sent events.
 *
 * Knows HTTP and that format, nothing of speech or elements. `Events` is pure. Main thread.
 *
 * @module
 */

/** @typedef {{role: 'user' | 'assistant', content: string}} ChatMessage */

/** The model could not be asked, or broke off. */
export class ChatError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = 'ChatError';
  }
}

/** Reads server-sent events from text that is cut anywhere. What is not complete waits for the rest. */
export class Events {
  #rest = '';

  /**
   * @param {string} text
   * @returns {string[]} the data of every line that is complete now
   */
  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trim());
  }
}

/**
 * Ask a model, and yield its answer piece by piece; leaving the loop, or aborting, leaves the model.
 *
 * @param {string} url - of the completions
 * @param {object} request
 * @param {string} request.model
 * @param {ChatMessage[]} request.messages
 * @param {AbortSignal} signal
 * @param {typeof fetch} [ask]
 * @returns {AsyncGenerator<string, void, void>} pieces that are not empty
 * @throws {ChatError} if the model cannot be reached, refuses or breaks off, unless aborted
 */
export async function* complete(url, request, signal, ask = fetch) {
  const events = new Events();
  const decoder = new TextDecoder();
  for await (const bytes of bodyOf(url, request, signal, ask)) {
    for (const data of events.push(decoder.decode(bytes, { stream: true }))) {
      if (data === '[DONE]') return;
      const piece = pieceOf(data);
      if (piece !== '') yield piece;
    }
  }
  if (!signal.aborted) throw new ChatError('The answer broke off.');
}

/**
 * @param {string} url
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {typeof fetch} ask
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
async function* bodyOf(url, request, signal, ask) {
  try {
    const response = await ask(url, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, signal,
      body: JSON.stringify({ ...request, stream: true }),
    });
    if (!response.ok || response.body === null) throw new ChatError(`The model answers ${response.status}.`);
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      // Without this the model would go on writing for nobody.
      reader.cancel().catch(() => {});
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ChatError ? error : new ChatError('The model cannot be reached.', { cause: error });
  }
}

/** @param {string} data - of one event */
function pieceOf(data) {
  let chunk;
  try {
    chunk = JSON.parse(data);
  } catch (error) {
    throw new ChatError('The model sent what is not JSON.', { cause: error });
  }
  if (chunk?.error) throw new ChatError(String(chunk.error.message ?? 'The model failed.'));
  return String(chunk?.choices?.[0]?.delta?.content ?? '');
}
