/** Rewrites the messages of a chat body for a server that refuses some of their forms. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import { type Folding, foldInstructions } from '../../fold-instructions.ts';

const between = '\n\n';

/** May one of the messages have to change? Reads only. */
export function holdsUnfitMessages(messages: unknown, profile: ModelProfile): boolean {
  const { developerRole, textLists, laterInstructions } = profile;
  const isPlain = developerRole !== 'refused' && textLists !== 'refused' && laterInstructions !== 'refused';
  if (isPlain || !Array.isArray(messages)) return false;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message)) continue;
    if (developerRole === 'refused' && message.role === 'developer') return true;
    if (laterInstructions === 'refused' && index > 0 && isInstruction(message)) return true;
    if (textLists === 'refused' && Array.isArray(message.content) && message.content.every(isText)) return true;
  }
  return false;
}

export function fitMessages(given: readonly unknown[], profile: ModelProfile, losses: LossList): readonly unknown[] {
  let messages = given;
  if (profile.developerRole === 'refused') {
    messages = messages.map((one) => (isObject(one) && one.role === 'developer' ? { ...one, role: 'system' } : one));
  }
  if (profile.laterInstructions === 'refused') messages = foldLater(messages, losses);
  if (profile.textLists === 'refused') messages = messages.map((message) => joinTexts(message, losses));
  return messages;
}

function isInstruction(message: unknown): message is Tree {
  return isObject(message) && (message.role === 'system' || message.role === 'developer');
}

function isText(part: unknown): boolean {
  return isObject(part) && part.type === 'text' && typeof part.text === 'string';
}

const folding: Folding<unknown> = {
  kindOf: (message) => {
    if (isInstruction(message)) return 'instruction';
    if (!isObject(message)) return 'other';
    if (message.role === 'tool' || message.role === 'function') return 'results';
    return message.role === 'user' ? 'user' : 'other';
  },
  merged: (instructions, turn, place) => {
    const said = isObject(turn) ? [turn] : [];
    const order = place === 'before' ? [...instructions, ...said] : [...said, ...instructions];
    return { role: 'user', ...(isObject(turn) && turn), content: joined(order) };
  },
};

/** The instructions that begin the conversation become one, and those after them the user's. */
function foldLater(messages: readonly unknown[], losses: LossList): readonly unknown[] {
  const begun = messages.findIndex((message) => !isInstruction(message));
  const leading = messages.slice(0, begun === -1 ? messages.length : begun);
  const [first] = leading;
  const opening = leading.length > 1 && isObject(first) ? [{ ...first, content: joined(leading) }] : leading;
  return [...opening, ...foldInstructions(messages.slice(leading.length), folding, losses)];
}

/** One text where all are texts, else one list of parts. */
function joined(messages: readonly unknown[]): unknown {
  const contents = messages.map((message) => (isObject(message) ? message.content : undefined));
  const said = contents.filter((content) => content !== undefined && content !== null && content !== '');
  if (said.every((content) => typeof content === 'string')) return said.join(between);
  return said.flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
}

/** A list that holds anything but texts has no other form. */
function joinTexts(message: unknown, losses: LossList): unknown {
  if (!isObject(message) || !Array.isArray(message.content) || !message.content.every(isText)) return message;
  const parts = message.content as readonly Tree[];
  if (parts.some((part) => part.cache_control !== undefined || part.prompt_cache_breakpoint !== undefined)) {
    losses.addOnce('cache marks', 'belong to parts, and the target accepts texts as strings only');
  }
  return { ...message, content: parts.map(({ text }) => text).join(between) };
}
