/**
 * Moves images out of the model's turns, for targets whose model writes texts only: they follow in the user's
 * turn, with a note, so that the conversation can continue with them.
 */

import type { MediaPart, Message, Part, TextPart } from '../parts.ts';

const note: TextPart = { type: 'text', text: '(Made by you in your last turn:)\n' };

/** Results of the turn's calls come between. */
export function withModelMediaAfter(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ role, parts }) => role === 'assistant' && parts.some(isMade))) return messages;
  const moved: Message[] = [];
  let waiting: Part[] = [];
  const add = (): void => {
    if (waiting.length > 0) moved.push({ role: 'user', parts: waiting });
    waiting = [];
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      add();
      const made = message.parts.filter(isMade);
      if (made.length === 0) {
        moved.push(message);
        continue;
      }
      waiting = [note, ...made];
      const said = message.parts.filter((part) => !isMade(part));
      moved.push({ ...message, parts: said.length > 0 ? said : [{ type: 'text', text: '(An image.)' }] });
    } else if (message.role === 'user' && waiting.length > 0) {
      moved.push({ ...message, parts: withFirst(waiting, message.parts) });
      waiting = [];
    } else moved.push(message);
  }
  add();
  return moved;
}

/** Results of tools stay at the beginning of a turn. */
function withFirst(first: readonly Part[], parts: readonly Part[]): readonly Part[] {
  const results = parts.findLastIndex(({ type }) => type === 'tool-result') + 1;
  return [...parts.slice(0, results), ...first, ...parts.slice(results)];
}

function isMade(part: Part): part is MediaPart {
  return part.type === 'media' && part.media === 'image';
}
