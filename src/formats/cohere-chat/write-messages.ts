/** Writes neutral messages in Cohere's chat format. */

import type { LossList } from '../../conversation/loss-list.ts';
import type { MediaPart, Message, Part, ToolResultPart } from '../../conversation/parts.ts';
import { withErrorPrefix } from '../../conversation/tools/failed-results.ts';
import { dataUrl } from '../openai-chat/write/parts.ts';
import { formatName } from './wire.ts';

interface WrittenMessages {
  readonly messages: object[];
  /** Documents have a place of their own beside the conversation. */
  readonly documents: object[];
}

interface MessageContext {
  readonly losses: LossList;
  /** The model may accept thinking back. */
  readonly thinks: boolean;
}

export function writeMessages(messages: readonly Message[], context: MessageContext): WrittenMessages {
  const written: WrittenMessages = { messages: [], documents: [] };
  for (const [index, message] of messages.entries()) writeMessage(message, `messages[${index}]`, written, context);
  return written;
}

function writeMessage(message: Message, path: string, written: WrittenMessages, context: MessageContext): void {
  const { losses } = context;
  if (message.name !== undefined) losses.add(`${path}.name`, 'the format has no field for it');
  if (message.role === 'assistant') {
    written.messages.push({ role: 'assistant', ...writeAssistant(message.parts, path, context) });
    return;
  }
  const rest: Part[] = [];
  for (const part of message.parts) {
    if (part.type === 'tool-result') written.messages.push(writeResult(part, path, losses));
    else if (isCitable(part)) written.documents.push(writeDocument(part, path, losses));
    else rest.push(part);
  }
  if (message.role === 'instruction') {
    const texts = onlyTexts(rest, path, losses);
    written.messages.push({ role: 'system', content: writeContent(texts, path, losses) });
    return;
  }
  // A turn with nothing but results is already written by them.
  if (rest.length === 0 && message.parts.length > 0 && !message.parts.some(isCitable)) return;
  written.messages.push({ role: 'user', content: writeContent(rest, path, losses) });
}

function onlyTexts(parts: readonly Part[], path: string, losses: LossList): Part[] {
  return parts.filter((part) => {
    const isTaken = part.type === 'text' || (part.type === 'native' && part.format === formatName);
    if (!isTaken) {
      losses.add(`${path} instruction ${part.type === 'media' ? part.media : part.type}`, 'only text is allowed here');
    }
    return isTaken;
  });
}

function writeContent(parts: readonly Part[], path: string, losses: LossList): string | object[] {
  const [only, second] = parts;
  if (only === undefined) return '';
  if (second === undefined && only.type === 'text') {
    reportMark(only, losses);
    return only.text;
  }
  const content = parts.flatMap((part) => writePart(part, path, losses) ?? []);
  return content.length === 0 ? '' : content;
}

export function writePart(part: Part, path: string, losses: LossList): object | undefined {
  reportMark(part, losses);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      losses.addOnce('refusal', 'is written as text');
      return { type: 'text', text: part.text };
    case 'media':
      return writeMedia(part, path, losses);
    case 'native':
      if (part.format === formatName) return part.value as object;
      losses.add(`${path} ${part.format} part`, 'is supported by its own format only');
      return undefined;
    default:
      losses.add(`${path} ${part.type}`, 'has no place in this turn');
      return undefined;
  }
}

function reportMark(part: Part, losses: LossList): void {
  if ('cacheMark' in part && part.cacheMark !== undefined) losses.addOnce('cache marks', 'the format caches by itself');
}

function writeMedia(part: MediaPart, path: string, losses: LossList): object | undefined {
  const { source, media, detail } = part;
  if (source.kind === 'text') {
    if (part.filename !== undefined) {
      losses.add(`${path} document title`, 'a document that is not to be cited is written as text');
    }
    if (part.context !== undefined) losses.add(`${path} document context`, 'has no field');
    return { type: 'text', text: source.text };
  }
  if (media !== 'image' || source.kind === 'file-id') {
    losses.add(`${path} ${media}`, 'the format accepts texts and images only');
    return undefined;
  }
  const url = source.kind === 'url' ? source.url : dataUrl(source.data, part.mediaType ?? 'image/png');
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

function isTextDocument({ media, source }: MediaPart): boolean {
  return media === 'document' && source.kind === 'text';
}

/** The model cites everything in the documents, so only citable ones are put there. */
function isCitable(part: Part): part is MediaPart {
  return part.type === 'media' && isTextDocument(part) && part.citable === true;
}

function writeDocument(part: MediaPart, path: string, losses: LossList): object {
  reportMark(part, losses);
  if (part.context !== undefined) losses.add(`${path} document context`, 'has no field');
  const text = part.source.kind === 'text' ? part.source.text : '';
  return { ...(part.filename !== undefined && { id: part.filename }), data: { text } };
}

/** A result has no field for its failure, so its text says it. */
function writeResult(result: ToolResultPart, path: string, losses: LossList): object {
  if (result.cacheMark !== undefined) losses.addOnce('cache marks', 'the format caches by itself');
  const parts = result.failed ? withErrorPrefix(result.parts) : result.parts;
  const [only, second] = parts;
  if (only === undefined) return { role: 'tool', tool_call_id: result.callId, content: '' };
  if (second === undefined && only.type === 'text') {
    reportMark(only, losses);
    return { role: 'tool', tool_call_id: result.callId, content: only.text };
  }
  const content = parts.flatMap((part) => writeResultPart(part, path, losses) ?? []);
  return { role: 'tool', tool_call_id: result.callId, content: content.length === 0 ? '' : content };
}

function writeResultPart(part: Part, path: string, losses: LossList): object | undefined {
  if (part.type !== 'media') return writePart(part, path, losses);
  if (isTextDocument(part)) return { type: 'document', document: writeDocument(part, path, losses) };
  losses.add(`${path} tool result ${part.media}`, 'only texts and documents are allowed here');
  return undefined;
}

/** Beside calls the text is the plan that led to them; a message with calls is not known to accept other text. */
function writeAssistant(parts: readonly Part[], path: string, { losses, thinks }: MessageContext): object {
  const content: object[] = [];
  const calls: object[] = [];
  const isCalling = parts.some(({ type }) => type === 'tool-call');
  let plan = '';
  for (const part of parts) {
    const isText = part.type === 'text' || part.type === 'refusal';
    const comesLate = isText ? calls.length > 0 : part.type !== 'tool-call' && (calls.length > 0 || plan !== '');
    if (comesLate) losses.addOnce(`${path} order of parts`, 'the format writes calls after the text');
    reportOpaque(part, losses);
    if (part.type === 'tool-call') {
      calls.push({ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments } });
    } else if (part.type === 'thinking') {
      if (part.redacted === true) losses.addOnce('hidden thinking', 'cannot be given back in the format');
      else if (thinks) content.push({ type: 'thinking', thinking: part.text });
      else losses.addOnce('thinking of earlier turns', 'the model does not think');
    } else if (part.type === 'media' || part.type === 'tool-result') {
      losses.add(`${path} ${part.type === 'media' ? part.media : part.type}`, "has no place in an assistant's turn");
    } else if (isText && isCalling) {
      if (part.type === 'refusal') losses.addOnce('refusal', 'is written as text');
      plan += part.text;
    } else {
      const said = writePart(part, path, losses);
      if (said !== undefined) content.push(said);
    }
  }
  return {
    ...((content.length > 0 || !isCalling) && { content: content.length === 0 ? '' : content }),
    ...(plan !== '' && { tool_plan: plan }),
    ...(isCalling && { tool_calls: calls }),
  };
}

/** Fields on the parts of an earlier answer that cannot be sent back. */
function reportOpaque(part: Part, losses: LossList): void {
  reportMark(part, losses);
  if (part.type === 'thinking' && part.seal !== undefined) {
    losses.addOnce('signature of thinking', 'the format has no field for it');
  }
  if (part.type !== 'text') return;
  if (part.seal !== undefined) losses.addOnce('signature of a text', 'the format has no field for it');
  if ((part.citations?.length ?? 0) > 0) losses.addOnce('citations of earlier turns', 'are not given back');
}
