/** A client for tests that adds events up as the official library does, and throws wherever that one would, or where the order is loose. */

import { isObject, type Tree } from '../../src/conversation/json-tree.ts';

export interface ClientMessage extends Tree {
  readonly content: readonly Record<string, unknown>[];
}

export function framesOf(text: string): Tree[] {
  if (!text.endsWith('\n\n')) throw new Error('the last event is not closed');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const match = /^event: (\w+)\ndata: ([^\n]*)$/.exec(frame);
      const data: unknown = match === null ? undefined : JSON.parse(match[2] ?? '');
      if (!isObject(data) || data.type !== match?.[1]) throw new Error(`no event of the format: ${frame}`);
      return data;
    });
}

export function addUp(text: string): ClientMessage {
  const client = new Client();
  for (const frame of framesOf(text)) client.see(frame);
  return client.message;
}

class Client {
  #message: Record<string, unknown> | undefined;
  readonly #content: Record<string, unknown>[] = [];
  #open = false;
  #input = '';
  #delta: Tree | undefined;
  #over = false;

  get message(): ClientMessage {
    if (!this.#over) throw new Error('the stream has no end');
    return { ...this.#message, content: this.#content };
  }

  see(frame: Tree): void {
    if (this.#over) throw new Error(`${String(frame.type)} after the end`);
    if ((frame.type === 'message_start') !== (this.#message === undefined)) throw new Error('one start comes first');
    switch (frame.type) {
      case 'message_start':
        this.#message = { ...asObject(frame.message) };
        if (!isObject(this.#message['usage'])) throw new Error('a message has usage');
        break;
      case 'content_block_start':
        if (this.#open || frame.index !== this.#content.length) throw new Error('blocks open one by one');
        this.#open = true;
        this.#input = '';
        this.#content.push({ ...asObject(frame.content_block) });
        break;
      case 'content_block_delta':
        this.#grow(frame);
        break;
      case 'content_block_stop':
        if (!this.#open || frame.index !== this.#content.length - 1) throw new Error('only an open block stops');
        this.#open = false;
        break;
      case 'message_delta':
        this.#delta = asObject(frame.delta);
        Object.assign(this.#message ?? {}, this.#delta, { context_management: frame.context_management });
        Object.assign(asObject(this.#message?.['usage']), asObject(frame.usage));
        break;
      case 'message_stop':
        if (this.#open || this.#delta === undefined) throw new Error('the end comes after the finish');
        this.#over = true;
        break;
      default:
        throw new Error(`an unknown event ${String(frame.type)}`);
    }
  }

  #grow(frame: Tree): void {
    const block = this.#content.at(-1);
    if (!this.#open || block === undefined || frame.index !== this.#content.length - 1) {
      throw new Error('a delta belongs to the open block');
    }
    const delta = asObject(frame.delta);
    switch (delta.type) {
      case 'text_delta':
        block['text'] = String(block['text']) + String(delta.text);
        break;
      case 'thinking_delta':
        block['thinking'] = String(block['thinking']) + String(delta.thinking);
        break;
      case 'signature_delta':
        block['signature'] = delta.signature;
        break;
      case 'citations_delta':
        block['citations'] = [...((block['citations'] as unknown[] | undefined) ?? []), delta.citation];
        break;
      case 'input_json_delta':
        this.#input += String(delta.partial_json);
        try {
          block['input'] = JSON.parse(this.#input);
        } catch {
          // Not whole yet.
        }
        break;
      default:
        throw new Error(`an unknown delta ${String(delta.type)}`);
    }
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw new Error('an object was expected');
  return value;
}
