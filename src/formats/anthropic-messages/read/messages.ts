/** Reads the messages format's turns: instructions from their own field and from within, results of tools as turns of their own. */

import { isObject } from '../../../conversation/json-tree.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import { type BlockReading, readContent } from './blocks.ts';

export function readMessages(system: unknown, messages: unknown, reading: BlockReading): Message[] {
  const { losses } = reading;
  const read: Message[] = [];
  const instructions = readContent(system, 'system', reading);
  if (instructions.length > 0) read.push({ role: 'instruction', parts: instructions });
  if (!Array.isArray(messages)) {
    losses.add('messages', 'is not a list');
    return read;
  }
  for (let index = 0; index < messages.length; index++) {
    const entry: unknown = messages[index];
    const path = `messages[${index}]`;
    if (!isObject(entry)) {
      losses.add(path, 'is not an object');
      continue;
    }
    const parts = readContent(entry.content, `${path}.content`, reading);
    if (entry.role === 'assistant') read.push({ role: 'assistant', parts });
    else if (entry.role === 'system') read.push({ role: 'instruction', parts });
    else {
      if (entry.role !== 'user') losses.add(`${path}.role`, 'is an unknown role; read as the user');
      addUserTurns(parts, read);
    }
  }
  return read;
}

/** Results of tools come inside the user's turn here; elsewhere they are turns of their own, so each run becomes one. */
function addUserTurns(parts: readonly Part[], into: Message[]): void {
  if (!parts.some((part) => part.type === 'tool-result')) {
    into.push({ role: 'user', parts });
    return;
  }
  let start = 0;
  for (let index = 1; index <= parts.length; index++) {
    if (index < parts.length && isResult(parts[index]) === isResult(parts[start])) continue;
    into.push({ role: isResult(parts[start]) ? 'tool' : 'user', parts: parts.slice(start, index) });
    start = index;
  }
}

function isResult(part: Part | undefined): boolean {
  return part?.type === 'tool-result';
}
