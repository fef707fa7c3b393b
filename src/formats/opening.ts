/** How a conversation opens: instructions, tools, the first thing the user said. Providers cache it, and later turns repeat it. */

import { PrefixText } from '../conversation/caching/affinity.ts';
import { isObject } from '../conversation/json-tree.ts';

interface Opening {
  /** The fields beside the turns. */
  readonly instructions: unknown;
  readonly tools: unknown;
  /** Messages with a role and content; instructions among them count until the user's first message. */
  readonly turns: unknown;
}

/** Marks of what is to be cached move on to the newest turn, so that the same turn carries one now and none later. */
const movingMarks: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint']);

export function openingText({ instructions, tools, turns }: Opening): string {
  const prefix = new PrefixText();
  addContent(prefix, instructions);
  const spoken = addInstructions(prefix, turns);
  prefix.endPiece();
  if (tools !== undefined && tools !== null) prefix.addJson(tools, movingMarks);
  prefix.endPiece();
  addContent(prefix, spoken);
  return prefix.text;
}

/** The user's first content. An assistant's greeting before it is the same for all users. */
function addInstructions(prefix: PrefixText, turns: unknown): unknown {
  if (!Array.isArray(turns)) return undefined;
  for (const turn of turns) {
    if (!isObject(turn)) continue;
    if (turn.role === 'user') return turn.content;
    if (turn.role === 'system' || turn.role === 'developer') addContent(prefix, turn.content);
  }
  return undefined;
}

/** A text reads the same whether it comes bare or as the only part of a list: clients change from one to the other. */
function addContent(prefix: PrefixText, content: unknown): void {
  if (!Array.isArray(content)) {
    addPart(prefix, content);
    return;
  }
  for (const part of content) addPart(prefix, part);
}

function addPart(prefix: PrefixText, part: unknown): void {
  if (typeof part === 'string') prefix.add(part);
  else if (isObject(part)) {
    if (typeof part.text === 'string') prefix.add(part.text);
    else prefix.addJson(part, movingMarks);
  }
}
