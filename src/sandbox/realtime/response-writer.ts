/** Writes one response as events. However it ends, open items are closed and tokens are counted. */

import { Buffer } from 'node:buffer';
import { defined, type Tree } from '../../conversation/json-tree.ts';
import type { Conversation } from './conversation.ts';
import { type CallItem, type Item, type ItemStatus, type MessageItem, writeItem } from './items.ts';
import { type SessionSettings, writeFormat } from './protocol/settings.ts';
import { type Output, type Prompt, spokenTokens, textTokens, writeUsage } from './usage.ts';

interface ResponseParts {
  readonly id: string;
  /** The settings of this response. */
  readonly settings: SessionSettings;
  readonly metadata: Tree | undefined;
  readonly prompt: Prompt;
  /** The prompt of the previous response. */
  readonly promptBefore: Prompt;
  /** Absent for a response outside the conversation. */
  readonly conversation: { readonly id: string; readonly items: Conversation } | undefined;
  emit(type: string, fields: Tree): void;
  newId(prefix: string): string;
  /** Called once, after the last event. */
  ended(): void;
}

type ResponseEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'cancelled'; readonly reason: 'turn_detected' | 'client_cancelled' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

/** There are no limits; clients expect the numbers. */
const rateLimits = [
  { name: 'requests', limit: 1_000_000, remaining: 1_000_000, reset_seconds: 0 },
  { name: 'tokens', limit: 1_000_000_000, remaining: 1_000_000_000, reset_seconds: 0 },
];

interface OpenMessage {
  readonly item: MessageItem;
  text: string;
  seconds: number;
}

interface OpenCall {
  readonly item: CallItem;
  text: string;
}

export class ResponseWriter {
  readonly #parts: ResponseParts;
  readonly #output: Item[] = [];
  #message: OpenMessage | undefined;
  #call: OpenCall | undefined;
  #counted: Output = { text: 0, audio: 0 };
  #over = false;

  constructor(parts: ResponseParts) {
    this.#parts = parts;
  }

  get id(): string {
    return this.#parts.id;
  }

  get settings(): SessionSettings {
    return this.#parts.settings;
  }

  get over(): boolean {
    return this.#over;
  }

  get inConversation(): boolean {
    return this.#parts.conversation !== undefined;
  }

  /** The tokens so far. */
  get tokens(): Output {
    const text = this.#message?.text.length ?? (this.#call === undefined ? 0 : callLength(this.#call));
    return {
      text: this.#counted.text + textTokens(text),
      audio: this.#counted.audio + spokenTokens(this.#message?.seconds ?? 0),
    };
  }

  create(): void {
    this.#parts.emit('response.created', { response: this.#response({ status: 'in_progress' }, undefined) });
    this.#parts.emit('rate_limits.updated', { rate_limits: rateLimits });
  }

  openMessage(): void {
    const id = this.#parts.newId('item_');
    const item: MessageItem = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
    this.#addItem(item);
    this.#message = { item, text: '', seconds: 0 };
    this.#emitPart('response.content_part.added', this.#message);
  }

  addText(delta: string): void {
    const message = this.#message;
    if (message === undefined || delta === '') return;
    message.text += delta;
    const type = this.#speaks ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    this.#parts.emit(type, { ...this.#place(message.item), content_index: 0, delta });
  }

  addAudio(audio: Uint8Array, seconds: number): void {
    const message = this.#message;
    if (message === undefined) return;
    message.seconds += seconds;
    const delta = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    this.#parts.emit('response.output_audio.delta', { ...this.#place(message.item), content_index: 0, delta });
  }

  openCall(callId: string, name: string): void {
    const id = this.#parts.newId('item_');
    const item: CallItem = { type: 'function_call', id, status: 'in_progress', callId, name, arguments: '' };
    this.#addItem(item);
    this.#call = { item, text: '' };
  }

  addArguments(delta: string): void {
    const call = this.#call;
    if (call === undefined || delta === '') return;
    call.text += delta;
    const fields = { ...this.#place(call.item), call_id: call.item.callId, delta };
    this.#parts.emit('response.function_call_arguments.delta', fields);
  }

  closeItem(status: ItemStatus): void {
    this.#counted = this.tokens;
    const message = this.#message;
    const call = this.#call;
    this.#message = undefined;
    this.#call = undefined;
    if (message !== undefined) this.#closeMessage(message, status);
    if (call !== undefined) this.#closeCall(call, status);
  }

  end(end: ResponseEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.closeItem('incomplete');
    const { prompt, promptBefore } = this.#parts;
    const usage = writeUsage(prompt, promptBefore, this.#counted);
    this.#parts.emit('response.done', { response: this.#response(end, usage) });
    this.#parts.ended();
  }

  get #speaks(): boolean {
    return this.#parts.settings.modality === 'audio';
  }

  #addItem(item: Item): void {
    const { conversation, emit, id } = this.#parts;
    const written = writeItem(item);
    // A full conversation refuses it before any event is sent.
    const previous = conversation?.items.insert(item);
    emit('response.output_item.added', { response_id: id, output_index: this.#output.length, item: written });
    if (conversation === undefined) return;
    emit('conversation.item.added', { previous_item_id: previous ?? null, item: written });
  }

  #closeMessage(message: OpenMessage, status: ItemStatus): void {
    const { emit } = this.#parts;
    const { item, text, seconds } = message;
    const place = { ...this.#place(item), content_index: 0 };
    if (this.#speaks) {
      emit('response.output_audio.done', place);
      emit('response.output_audio_transcript.done', { ...place, transcript: text });
    } else emit('response.output_text.done', { ...place, text });
    this.#emitPart('response.content_part.done', message);
    const content = this.#speaks
      ? { type: 'output_audio' as const, seconds, transcript: text }
      : { type: 'output_text' as const, text };
    this.#finishItem({ ...item, status, content: [content] });
  }

  #closeCall({ item, text }: OpenCall, status: ItemStatus): void {
    const { name, callId } = item;
    const fields = { ...this.#place(item), call_id: callId, name, arguments: text };
    this.#parts.emit('response.function_call_arguments.done', fields);
    this.#finishItem({ ...item, status, arguments: text });
  }

  #finishItem(item: Item): void {
    const { conversation, emit, id } = this.#parts;
    const written = writeItem(item);
    if (conversation?.items.find(item.id) !== undefined) {
      conversation.items.replace(item);
      const previous = conversation.items.previousOf(item.id);
      emit('conversation.item.done', { previous_item_id: previous ?? null, item: written });
    }
    emit('response.output_item.done', { response_id: id, output_index: this.#output.length, item: written });
    this.#output.push(item);
  }

  #place(item: Item): Tree {
    return { response_id: this.#parts.id, item_id: item.id, output_index: this.#output.length };
  }

  #emitPart(type: string, { item, text }: OpenMessage): void {
    const part = this.#speaks ? { type: 'audio', transcript: text } : { type: 'text', text };
    this.#parts.emit(type, { ...this.#place(item), content_index: 0, part });
  }

  #response(state: ResponseEnd | { readonly status: 'in_progress' }, usage: Tree | undefined): Tree {
    const { id, settings, metadata, conversation } = this.#parts;
    return {
      object: 'realtime.response',
      id,
      status: state.status,
      ...defined('status_details', detailsOf(state)),
      output: this.#output.map(writeItem),
      conversation_id: conversation?.id ?? null,
      output_modalities: [settings.modality],
      max_output_tokens: settings.outputTokensMax ?? 'inf',
      audio: { output: { format: writeFormat(settings.output.format), voice: settings.output.voice } },
      ...defined('usage', usage),
      metadata: metadata ?? null,
    };
  }
}

function callLength({ item, text }: OpenCall): number {
  return item.name.length + text.length;
}

function detailsOf(state: ResponseEnd | { readonly status: 'in_progress' }): Tree | undefined {
  switch (state.status) {
    case 'in_progress':
    case 'completed':
      return undefined;
    case 'failed': {
      const { code, message } = state;
      return { type: 'failed', error: { type: 'server_error', code, message } };
    }
    default:
      return { type: state.status, reason: state.reason };
  }
}
