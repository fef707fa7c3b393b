/** What identifies the turns of one conversation in the messages format: the client's session, or how it opens. */

import { type Affinity, affinityFrom, sessionIn } from '../../conversation/caching/affinity.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { openingText } from '../opening.ts';

/** An agent writes details of each request at the head of its instructions; they change with every one. */
const accounting = 'x-anthropic-billing-header:';

export function affinityOf(tree: Tree): Affinity | undefined {
  const { system, tools, messages } = tree;
  const instructions = Array.isArray(system) ? system.filter((block) => !isAccounting(block)) : system;
  const prefix = showsOpening(tree) ? openingText({ instructions, tools, turns: messages }) : '';
  return affinityFrom(sessionOf(tree.metadata), prefix, [messages, system, tools]);
}

function isAccounting(block: unknown): boolean {
  return isObject(block) && typeof block.text === 'string' && block.text.startsWith(accounting);
}

/** A request that continues a thread carries its newest turn only, which looks like the first one of another. */
function showsOpening({ thread }: Tree): boolean {
  return !isObject(thread) || thread.type === 'create';
}

/** Longer than any id that agents write; what is longer is not worth parsing. */
const userIdCharactersMax = 1_024;

/** The format names the user only. Agents put their session into that name: as JSON, and older ones after a prefix. */
function sessionOf(metadata: unknown): string | undefined {
  const user = isObject(metadata) ? metadata.user_id : undefined;
  if (typeof user !== 'string' || user.length > userIdCharactersMax) return undefined;
  if (user.startsWith('{')) {
    const named = parsed(user);
    return isObject(named) ? sessionIn(named.session_id) : undefined;
  }
  return sessionIn(/_session_([\w-]+)$/.exec(user)?.[1]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
