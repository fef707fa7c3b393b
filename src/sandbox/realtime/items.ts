/** The items of a realtime conversation and their wire format. */

import { defined, type Tree } from '../../conversation/json-tree.ts';
import type { AudioLengths } from './input-audio.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type Content =
  | { readonly type: 'input_text'; readonly text: string }
  /** `words` come from the client; the transcript may be a remark of the sandbox. */
  | {
      readonly type: 'input_audio';
      readonly lengths: AudioLengths;
      readonly words: string | undefined;
      readonly transcript: string | undefined;
    }
  | { readonly type: 'input_image'; readonly url: string; readonly detail: string | undefined }
  | { readonly type: 'output_text'; readonly text: string }
  /** Without a transcript where it was truncated: which words were played is unknown. */
  | { readonly type: 'output_audio'; readonly seconds: number; readonly transcript: string | undefined };

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly status: ItemStatus;
  readonly content: readonly Content[];
}

export interface CallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly status: ItemStatus;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

interface CallOutputItem {
  readonly type: 'function_call_output';
  readonly id: string;
  readonly callId: string;
  readonly output: string;
}

export type Item = MessageItem | CallItem | CallOutputItem;

/** Audio is not stored, so it is not sent back. */
export function writeItem(item: Item): Tree {
  const head = { id: item.id, object: 'realtime.item', type: item.type };
  switch (item.type) {
    case 'message':
      return { ...head, status: item.status, role: item.role, content: item.content.map(writeContent) };
    case 'function_call':
      return { ...head, status: item.status, call_id: item.callId, name: item.name, arguments: item.arguments };
    case 'function_call_output':
      return { ...head, status: 'completed', call_id: item.callId, output: item.output };
  }
}

function writeContent(content: Content): Tree {
  switch (content.type) {
    case 'input_text':
    case 'output_text':
      return { type: content.type, text: content.text };
    case 'input_audio':
      // Libraries read the field before there is a transcript.
      return { type: content.type, transcript: content.transcript ?? null };
    case 'output_audio':
      return { type: content.type, ...defined('transcript', content.transcript) };
    case 'input_image':
      return { type: content.type, image_url: content.url, ...defined('detail', content.detail) };
  }
}

/** Its size in memory, in characters. */
export function sizeOf(item: Item): number {
  if (item.type === 'function_call') return item.name.length + item.arguments.length;
  if (item.type === 'function_call_output') return item.output.length;
  return item.content.reduce((sum, content) => sum + contentSize(content), 0);
}

function contentSize(content: Content): number {
  if ('text' in content) return content.text.length;
  return content.type === 'input_image' ? content.url.length : (content.transcript?.length ?? 0);
}
