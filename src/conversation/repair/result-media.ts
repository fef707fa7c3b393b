/**
 * Moves images and files out of tool results, for targets whose results hold texts only: they follow in the user's turn
 * after all results of that round, with a note that names the result.
 */

import type { MediaPart, Message, Part, TextPart, ToolResultPart } from '../parts.ts';

export function withMediaAfterResults(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some(holdsMedia))) return messages;
  const moved: Message[] = [];
  let waiting: Part[] = [];
  for (const message of messages) {
    if (waiting.length > 0 && message.role !== 'tool') {
      if (message.role === 'user' && !message.parts.some(({ type }) => type === 'tool-result')) {
        moved.push({ ...message, parts: [...waiting, ...message.parts] });
        waiting = [];
        continue;
      }
      moved.push({ role: 'user', parts: waiting });
      waiting = [];
    }
    moved.push(emptied(message, waiting));
  }
  if (waiting.length > 0) moved.push({ role: 'user', parts: waiting });
  return moved;
}

function holdsMedia(part: Part): part is ToolResultPart {
  return part.type === 'tool-result' && part.parts.some(isMoved);
}

/** A plain-text document is written as text in its place. */
function isMoved(part: Part): part is MediaPart {
  return part.type === 'media' && part.source.kind !== 'text';
}

/** Results in the user's own turn are followed by their media. */
function emptied(message: Message, waiting: Part[]): Message {
  if (!message.parts.some(holdsMedia)) return message;
  const after = message.role === 'tool' ? waiting : [];
  const parts = message.parts.map((part) => (holdsMedia(part) ? emptiedResult(part, after) : part));
  return { ...message, parts: message.role === 'tool' ? parts : [...parts, ...after] };
}

const names: Readonly<Record<MediaPart['media'], string>> = {
  image: 'image',
  document: 'file',
  audio: 'audio',
  video: 'video',
};

function emptiedResult(result: ToolResultPart, waiting: Part[]): ToolResultPart {
  const media = result.parts.filter(isMoved);
  const rest = result.parts.filter((part) => !isMoved(part));
  const kinds = [...new Set(media.map((part) => names[part.media]))].join(' and ');
  waiting.push({ type: 'text', text: `The ${kinds} in the result of the tool call ${result.callId}:` }, ...media);
  const notice: TextPart = { type: 'text', text: `(The ${kinds} of this result: see the next message of the user.)` };
  return { ...result, parts: rest.length === 0 ? [notice] : rest };
}
