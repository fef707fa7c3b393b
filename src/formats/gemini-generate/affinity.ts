/** What identifies the turns of one conversation in the content-generation format: what it cached, or how it opens. */

import { type Affinity, affinityFrom, sessionIn } from '../../conversation/caching/affinity.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { openingText } from '../opening.ts';
import { listOf, said } from './wire.ts';

export function affinityOf(tree: Tree): Affinity | undefined {
  const { contents } = tree;
  const instruction = said(tree, 'systemInstruction');
  const tools = said(tree, 'tools');
  const prefix = openingText({
    instructions: isObject(instruction) ? instruction.parts : instruction,
    tools,
    turns: [{ role: 'user', content: firstParts(contents) }],
  });
  // A named cache exists in one provider's account only.
  return affinityFrom(sessionIn(said(tree, 'cachedContent')), prefix, [contents, instruction, tools]);
}

/** A content that names no role is the user's. */
function firstParts(contents: unknown): unknown {
  for (const content of listOf(contents)) {
    if (!isObject(content)) continue;
    const role = content.role ?? 'user';
    if (role === 'user') return content.parts;
  }
  return undefined;
}
