/** Reads the messages and documents of a request in Cohere's chat format. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { MediaPart, Message, NativePart, Part, TextPart } from '../../conversation/parts.ts';
import { readLinkedMedia } from '../openai-chat/read/parts.ts';
import { formatName, readCitation } from './wire.ts';

export function readMessages(value: unknown, documents: unknown, losses: LossList): Message[] {
  if (!Array.isArray(value)) {
    losses.add('messages', 'is not a list');
    return [];
  }
  const messages: Message[] = [];
  for (const [index, entry] of value.entries()) {
    if (isObject(entry)) messages.push(readMessage(entry, `messages[${index}]`, losses));
    else losses.add(`messages[${index}]`, 'is not an object');
  }
  return withDocuments(messages, readDocuments(documents, losses));
}

/** The documents are what the question is about: they come before it in its turn. */
function withDocuments(messages: Message[], documents: readonly MediaPart[]): Message[] {
  if (documents.length === 0) return messages;
  const place = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[place];
  if (asked === undefined) return [...messages, { role: 'user', parts: documents }];
  return messages.with(place, { ...asked, parts: [...documents, ...asked.parts] });
}

function readDocuments(value: unknown, losses: LossList): MediaPart[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    losses.add('documents', 'is not a list');
    return [];
  }
  return value.flatMap((entry, index) => {
    const document = readDocument(entry);
    if (document === undefined) losses.add(`documents[${index}]`, 'is neither a text nor an object');
    return document === undefined ? [] : [{ ...document, citable: true }];
  });
}

/** A document is a text, or an object of texts: one that says more than its text and its title is kept as JSON. */
function readDocument(value: unknown): MediaPart | undefined {
  if (typeof value === 'string') return documentOf(value, undefined);
  if (!isObject(value)) return undefined;
  const { data, id } = value;
  const name = typeof id === 'string' && id !== '' ? id : undefined;
  if (typeof data === 'string') return documentOf(data, name);
  if (!isObject(data)) return undefined;
  const { text, title, ...others } = data;
  if (typeof text !== 'string' || Object.keys(others).length > 0) return documentOf(JSON.stringify(data), name);
  if (title === undefined) return documentOf(text, name);
  // Sources are named by the id, so a title is the name of a document without one.
  const isNamed = name === undefined && typeof title === 'string' && title !== '';
  return isNamed ? documentOf(text, title) : documentOf(JSON.stringify(data), name);
}

function documentOf(text: string, filename: string | undefined): MediaPart {
  return {
    type: 'media',
    media: 'document',
    mediaType: 'text/plain',
    source: { kind: 'text', text },
    ...(filename !== undefined && { filename }),
  };
}

function readMessage(message: Tree, path: string, losses: LossList): Message {
  const { role, content } = message;
  switch (role) {
    case 'system':
      return { role: 'instruction', parts: readContent(content, path, losses) };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, path, losses) };
    case 'tool':
      return { role: 'tool', parts: [readResult(message, path, losses)] };
    case 'user':
      return { role: 'user', parts: readContent(content, path, losses) };
    default:
      losses.add(`${path}.role`, "is not known; the turn is taken for the user's");
      return { role: 'user', parts: readContent(content, path, losses) };
  }
}

function readContent(content: unknown, path: string, losses: LossList): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) {
    losses.add(`${path}.content`, 'is neither a text nor a list');
    return [];
  }
  return content.flatMap((entry, index) => {
    const part = isObject(entry) ? readContentPart(entry) : undefined;
    if (part === undefined) losses.add(`${path}.content[${index}]`, 'is an unknown part');
    return part === undefined ? [] : [part];
  });
}

function readContentPart(entry: Tree): Part | undefined {
  switch (entry.type) {
    case 'text':
      return typeof entry.text === 'string' ? { type: 'text', text: entry.text } : undefined;
    case 'thinking':
      return typeof entry.thinking === 'string' ? { type: 'thinking', text: entry.thinking } : undefined;
    case 'document':
      return readDocument(entry.document);
    case 'image_url':
      // An image is written as in the chat format.
      return readLinkedMedia('image', entry.image_url, {});
    default:
      return typeof entry.type === 'string' ? { type: 'native', format: formatName, value: entry } : undefined;
  }
}

/** A plan is what the model said before it called tools. */
export function readAssistant(message: Tree, path: string, losses: LossList): Part[] {
  const parts = readContent(message.content, path, losses);
  const plan = message.tool_plan;
  if (typeof plan === 'string' && plan !== '') parts.push({ type: 'text', text: plan });
  cite(parts, message.citations, losses);
  for (const [index, call] of (Array.isArray(message.tool_calls) ? message.tool_calls : []).entries()) {
    const called: unknown = isObject(call) ? call.function : undefined;
    if (!isObject(call) || !isObject(called) || typeof called.name !== 'string') {
      losses.add(`${path}.tool_calls[${index}]`, 'is not a call with a name');
      continue;
    }
    const id = typeof call.id === 'string' ? call.id : '';
    // A tool without arguments is called with an empty text.
    const written = typeof called.arguments === 'string' && called.arguments !== '' ? called.arguments : '{}';
    parts.push({ type: 'tool-call', id, name: called.name, arguments: written });
  }
  return parts;
}

/** Each citation goes to the text that it names; without a name to the first, and that of a plan to the last. */
function cite(parts: Part[], citations: unknown, losses: LossList): void {
  if (!Array.isArray(citations)) return;
  for (const entry of citations) {
    const citation = readCitation(entry);
    if (citation === undefined) continue;
    const { content_index: named, type }: Tree = isObject(entry) ? entry : {};
    const isNamed = typeof named === 'number' && parts[named]?.type === 'text' && type !== 'PLAN';
    const place = isNamed ? named : type === 'PLAN' ? parts.findLastIndex(isText) : parts.findIndex(isText);
    const part = parts[place];
    if (part?.type === 'text' && type !== 'THINKING_CONTENT')
      parts[place] = { ...part, citations: [...(part.citations ?? []), citation] };
    else losses.addOnce('citation', 'is not about a text');
  }
}

function isText({ type }: Part): boolean {
  return type === 'text';
}

/** Results are documents here; in every other format they are texts, whose name only serves citations. */
function readResult(message: Tree, path: string, losses: LossList): Part {
  const parts: (TextPart | MediaPart | NativePart)[] = [];
  for (const part of readContent(message.content, path, losses)) {
    if (part.type === 'media' && part.source.kind === 'text') {
      if (part.filename !== undefined) losses.addOnce('document title', 'the result of a tool is read as text');
      parts.push({ type: 'text', text: part.source.text });
    } else if (part.type === 'text' || part.type === 'media' || part.type === 'native') parts.push(part);
    else losses.add(`${path} tool result ${part.type}`, 'has no place in the result of a tool');
  }
  const callId = typeof message.tool_call_id === 'string' ? message.tool_call_id : '';
  return { type: 'tool-result', callId, parts, failed: false };
}
