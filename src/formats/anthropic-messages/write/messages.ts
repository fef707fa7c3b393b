/** Writes neutral turns: leading instructions into their own field, results of tools into the user's turn. */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import type { ArgumentTexts } from '../../../conversation/texts/argument-texts.ts';
import { type BlockWriting, isPlain, plainBlock, writeBlock } from './blocks.ts';

interface WrittenTurns {
  readonly system?: string | readonly object[];
  readonly messages: readonly WireMessage[];
}

interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system';
  content: string | object[];
}

const wireRoles = { instruction: 'system', user: 'user', assistant: 'assistant', tool: 'user' } as const;

/** The smallest turn that says nothing and is not blank. */
const placeholder = '…';

export function writeMessages(messages: readonly Message[], losses: LossList, texts: ArgumentTexts): WrittenTurns {
  const writing: BlockWriting = { losses, texts, reader: 'provider', sealText: (seal) => seal.value };
  for (let index = 0; index < messages.length; index++) {
    if (messages[index]?.name !== undefined) losses.add(`messages[${index}] name`, 'is not supported by the format');
  }
  const first = messages.findIndex((message) => message.role !== 'instruction');
  const leading = first === -1 ? messages.length : first;
  const system = writeSystem(messages.slice(0, leading), writing);
  const turns = writeTurns(messages, leading, writing);
  trimEnd(turns, `messages[${messages.length - 1}]`, losses);
  return { ...(system !== undefined && { system }), messages: turns };
}

/** A last turn that the model is to continue must not end with white space. */
function trimEnd(turns: WireMessage[], place: string, losses: LossList): void {
  const turn = turns.at(-1);
  if (turn?.role !== 'assistant') return;
  const { content } = turn;
  const last: object | undefined = typeof content === 'string' ? undefined : content.at(-1);
  const text = typeof content === 'string' ? content : last !== undefined && 'text' in last ? last.text : undefined;
  if (typeof text !== 'string' || !/\s$/.test(text)) return;
  losses.add(`${place} trailing white space`, 'is refused at the end of a turn that the model is to continue');
  const trimmed = text.trimEnd();
  const kept = typeof content === 'string' ? trimmed : content.with(-1, { ...last, text: trimmed });
  turns[turns.length - 1] = { role: 'assistant', content: kept };
}

function writeSystem(instructions: readonly Message[], writing: BlockWriting): string | readonly object[] | undefined {
  const [only] = instructions;
  if (instructions.length === 1 && only !== undefined) {
    const content = writeContent(only.parts, 0, only, writing);
    return content.length === 0 ? undefined : content;
  }
  const blocks = instructions.flatMap((message, index) => writeBlocks(message.parts, index, message, writing));
  return blocks.length === 0 ? undefined : blocks;
}

function writeTurns(messages: readonly Message[], from: number, writing: BlockWriting): WireMessage[] {
  const turns: WireMessage[] = [];
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    const before = messages[index - 1];
    // The provider looks for results in the one turn after their calls, together with what the user adds.
    const joins = index > from && before !== undefined && isJoined(before.role, message.role);
    const last = joins ? turns.at(-1) : undefined;
    if (last?.role === 'user') {
      // Added to and not copied: thousands of results may follow their calls.
      if (typeof last.content === 'string') last.content = [{ type: 'text', text: last.content }];
      for (const block of writeBlocks(message.parts, index, message, writing)) last.content.push(block);
      continue;
    }
    const content = writeContent(message.parts, index, message, writing);
    const isLost = typeof content !== 'string' && content.length === 0 && message.parts.length > 0;
    if (!isLost) turns.push({ role: wireRoles[message.role], content });
    // The losses of a turn are reported part by part. The provider refuses it empty, and requires the user's.
    else if (message.role === 'user') turns.push({ role: 'user', content: placeholder });
  }
  return turns;
}

function isJoined(before: Message['role'], now: Message['role']): boolean {
  return (before === 'tool' && (now === 'tool' || now === 'user')) || (before === 'user' && now === 'tool');
}

function writeContent(
  parts: readonly Part[],
  index: number,
  message: Message,
  writing: BlockWriting,
): string | object[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && isPlain(only)) return only.text;
  return writeBlocks(parts, index, message, writing);
}

function writeBlocks(parts: readonly Part[], index: number, { role }: Message, writing: BlockWriting): object[] {
  const blocks: object[] = [];
  for (const part of parts) {
    const plain = plainBlock(part);
    if (plain !== undefined) {
      blocks.push(plain);
      continue;
    }
    const path = `messages[${index}]`;
    if (part.type === 'media' && (role === 'assistant' || role === 'instruction')) {
      writing.losses.add(`${path} ${part.media}`, "is not supported in the model's turn or in an instruction");
      continue;
    }
    const block = writeBlock(part, path, writing);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}
