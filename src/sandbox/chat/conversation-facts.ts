/** What the sandbox reads from a conversation: its last turns, counts and media. */

import type { MediaPart, Message, Part, ToolCallPart, ToolResultPart } from '../../conversation/parts.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { countTokens, countWords } from '../tokens.ts';
import { outsideWrappers } from './agent-wrappers.ts';

/** Fixed token counts for media. */
const imageTokens = 85;
const audioTokens = 100;
const documentTokens = 200;

export interface ConversationFacts {
  /** The last user turn without an agent's wrappers; with them where there is nothing else. */
  readonly question: string;
  /** There is nothing outside the wrappers: an agent sent the turn by itself. */
  readonly wrapped: boolean;
  readonly instructions: string;
  readonly messages: number;
  readonly words: number;
  /** Media of the last user turn. */
  readonly media: readonly MediaPart[];
  /** Calls and results after the last user turn. Turns that consist of wrappers do not count as user turns. */
  readonly calls: readonly ToolCallPart[];
  readonly results: readonly ToolResultPart[];
}

export function readFacts(request: TextRequest): ConversationFacts {
  const { messages } = request;
  const lastUser = lastUserTurn(messages);
  const last = messages[lastUser];
  const text = last === undefined ? '' : textOf(last.parts);
  const outside = outsideWrappers(text);
  const wrapped = outside === '' && text !== '';
  const since = messages.slice(lastUser + 1).flatMap((message) => message.parts);
  const instructions = messages.filter((message) => message.role === 'instruction');
  return {
    question: wrapped ? text : outside,
    wrapped,
    instructions: instructions.map((message) => textOf(message.parts)).join('\n'),
    messages: messages.length,
    words: messages.reduce((sum, message) => sum + wordsOf(message.parts), 0),
    media: last === undefined ? [] : last.parts.filter((part): part is MediaPart => part.type === 'media'),
    calls: since.filter((part): part is ToolCallPart => part.type === 'tool-call'),
    results: since.filter((part): part is ToolResultPart => part.type === 'tool-result'),
  };
}

/** Agents send reminders as separate turns, also after tool results: the turn before is still the one to answer. */
function lastUserTurn(messages: readonly Message[]): number {
  const asked = messages.findLastIndex(({ role, parts }) => role === 'user' && !isWrapped(parts));
  return asked >= 0 ? asked : messages.findLastIndex(({ role }) => role === 'user');
}

function isWrapped(parts: readonly Part[]): boolean {
  const text = textOf(parts);
  return text !== '' && outsideWrappers(text) === '' && parts.every(({ type }) => type !== 'media');
}

export function textOf(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) {
    if (part.type !== 'text') continue;
    text += text === '' ? part.text : `\n${part.text}`;
  }
  return text;
}

function wordsOf(parts: readonly Part[]): number {
  let words = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') words += countWords(part.text);
    else if (part.type === 'tool-result') words += wordsOf(part.parts);
  }
  return words;
}

interface PromptTokens {
  readonly total: number;
  readonly image: number;
  readonly audio: number;
}

export function countPrompt(request: TextRequest): PromptTokens {
  const counted = { total: 0, image: 0, audio: 0 };
  for (const message of request.messages) countMessage(message, counted);
  for (const tool of request.tools) {
    counted.total += countTokens(`${tool.name} ${tool.description ?? ''} ${JSON.stringify(tool.parameters ?? {})}`);
  }
  return counted;
}

function countMessage(message: Message, counted: { total: number; image: number; audio: number }): void {
  for (const part of message.parts) countPart(part, counted);
}

function countPart(part: Part, counted: { total: number; image: number; audio: number }): void {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      counted.total += countTokens(part.text);
      return;
    case 'tool-call':
      counted.total += 1 + countTokens(part.arguments);
      return;
    case 'tool-result':
      for (const inner of part.parts) countPart(inner, counted);
      return;
    case 'native':
      counted.total += countTokens(JSON.stringify(part.value) ?? '');
      return;
    case 'media':
      countMedia(part, counted);
  }
}

function countMedia(part: MediaPart, counted: { total: number; image: number; audio: number }): void {
  if (part.media === 'audio') {
    counted.audio += audioTokens;
    counted.total += audioTokens;
  } else if (part.source.kind === 'text') {
    counted.total += countTokens(part.source.text);
  } else if (part.media === 'document') {
    counted.total += documentTokens;
  } else {
    counted.image += imageTokens;
    counted.total += imageTokens;
  }
}
