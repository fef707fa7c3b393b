/** Reads legacy completions while they pass: usage, finish, faults and the text so far. */

import { isFilled, isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { WholeReply } from '../format.ts';
import { ChatTap } from '../openai-chat/tap.ts';
import { readUsage } from '../openai-chat/usage.ts';

/** The chunks of both formats differ only in where a choice holds its text. */
export class CompletionTap extends ChatTap {
  protected override textOf(choice: Record<string, unknown>): string {
    return typeof choice['text'] === 'string' ? choice['text'] : '';
  }
}

export function measureReply(tree: unknown): WholeReply {
  if (!isObject(tree) || !Array.isArray(tree['choices'])) throw new SyntaxError('A completion has `choices`.');
  if (isFilled(tree['error'])) throw new SyntaxError('A completion has no `error`.');
  const written = new WrittenText();
  const usage = readUsage(tree['usage'], { tier: tree['service_tier'], model: tree['model'] });
  if (usage !== undefined) return { usage, written };
  for (const choice of tree['choices']) {
    if (isObject(choice) && typeof choice['text'] === 'string') written.add(choice['text']);
  }
  return { usage: unknownUsage, written };
}
