/** The order of turns: which role may follow which, and which comes first. */

import type { LossList } from '../loss-list.ts';
import type { Message, Part } from '../parts.ts';

/** The smallest turn that says nothing and is not blank. */
const placeholder: Message = { role: 'user', parts: [{ type: 'text', text: '…' }] };

/** A tool's results count as the user's. */
function sideOf({ role }: Message): 'instruction' | 'user' | 'assistant' {
  return role === 'tool' ? 'user' : role;
}

/** Providers look for results at the beginning of the user's turn; before calls and results are paired, an order may still mean something. */
type PartOrder = 'as-said' | 'results-first';

export function alternating(messages: readonly Message[], losses: LossList, order: PartOrder): readonly Message[] {
  if (!hasAdjacentTurns(messages)) return messages;
  const merged: Message[] = [];
  for (let start = 0, end = 0; start < messages.length; start = end) {
    end = endOfRun(messages, start);
    const first = messages[start];
    if (first === undefined) break;
    merged.push(end - start === 1 ? first : mergedTurn(messages.slice(start, end), order, losses));
  }
  return merged;
}

export function withJoinedUsers(messages: readonly Message[], losses: LossList): readonly Message[] {
  const isNext = ({ role }: Message, index: number) => role === 'user' && messages[index - 1]?.role === 'user';
  if (!messages.some(isNext)) return messages;
  const joined: Message[] = [];
  for (let start = 0, end = 0; start < messages.length; start = end) {
    const first = messages[start];
    if (first === undefined) break;
    end = start + 1;
    while (first.role === 'user' && messages[end]?.role === 'user') end += 1;
    joined.push(end - start === 1 ? first : mergedTurn(messages.slice(start, end), 'as-said', losses));
  }
  return joined;
}

/** All instructions that begin the conversation in one turn, each in parts of its own. */
export function withOneInstruction(messages: readonly Message[], losses: LossList): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== 'instruction');
  const leading = first === -1 ? messages.length : first;
  if (leading < 2) return messages;
  const run = messages.slice(0, leading);
  const name = commonName(run, losses);
  const { authority } = run[0] ?? placeholder;
  const one: Message = {
    role: 'instruction',
    parts: run.flatMap(({ parts }) => parts),
    ...(authority !== undefined && { authority }),
    ...(name !== undefined && { name }),
  };
  return [one, ...messages.slice(leading)];
}

/** Do two turns of one side follow each other? */
function hasAdjacentTurns(messages: readonly Message[]): boolean {
  let before: string | undefined;
  for (const message of messages) {
    const side = sideOf(message);
    if (side === before && side !== 'instruction') return true;
    before = side;
  }
  return false;
}

/** Several instructions in a row are no turns and stay as they are. */
function endOfRun(messages: readonly Message[], start: number): number {
  const side = sideOf(messages[start] ?? placeholder);
  let end = start + 1;
  while (side !== 'instruction' && end < messages.length && sideOf(messages[end] ?? placeholder) === side) end += 1;
  return end;
}

/** Plain loops: an agent's conversation has such a run after every one of its calls. */
function mergedTurn(run: readonly Message[], order: PartOrder, losses: LossList): Message {
  const side = sideOf(run[0] ?? placeholder);
  const parts: Part[] = [];
  const others: Part[] = [];
  let toolsOnly = true;
  for (const message of run) {
    if (message.role !== 'tool') toolsOnly = false;
    const isSorted = side === 'user' && order === 'results-first';
    for (const part of message.parts) (isSorted && part.type !== 'tool-result' ? others : parts).push(part);
  }
  if (toolsOnly) return { role: 'tool', parts: joined(parts, others) };
  const name = commonName(run, losses);
  const merged = { role: side, parts: joined(parts, others) };
  return name === undefined ? merged : { ...merged, name };
}

function joined(first: Part[], then: readonly Part[]): readonly Part[] {
  for (const part of then) first.push(part);
  return first;
}

function commonName(run: readonly Message[], losses: LossList): string | undefined {
  if (run.every(({ name }) => name === undefined)) return undefined;
  const named = run.filter(({ role }) => role !== 'tool').map(({ name }) => name);
  const name = named.every((other) => other === named[0]) ? named[0] : undefined;
  if (name === undefined && named.some((other) => other !== undefined)) {
    losses.add('name', 'adjacent turns of several names had to become one turn');
  }
  return name;
}

/** Also a conversation of instructions alone gets its first turn: no target that insists on the user's takes none at all. */
export function startingWithUser(messages: readonly Message[], losses: LossList): readonly Message[] {
  const first = messages.findIndex((message) => sideOf(message) !== 'instruction');
  const start = messages[first];
  if (start !== undefined && sideOf(start) === 'user') return messages;
  losses.add('messages', `the first turn must be the user's at the target; a turn "${text(placeholder)}" was inserted`);
  const instructions = first === -1 ? messages.length : first;
  return [...messages.slice(0, instructions), placeholder, ...messages.slice(instructions)];
}

function text({ parts }: Message): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
