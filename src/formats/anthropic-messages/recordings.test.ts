/** Every recorded reply of the Messages API, the project's own and those of real providers: read, added up as its payloads say, written and read again. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { addUp } from '../../../test/harness/messages-client.ts';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import { Folding } from '../../conversation/events/fold.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Part } from '../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { readReply } from './read/reply.ts';
import { MessagesStreamReader } from './stream/reader.ts';
import { MessagesStreamWriter } from './stream/writer.ts';
import { MessagesTap, measureReply } from './tap.ts';
import { writeReply } from './write/reply.ts';

const files = recordedFiles('anthropic-messages');
const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const newId = (prefix: string) => `${prefix}new`;
const reading = { origin, nowMs: 5, newId };
const writing = { request: {}, nowMs: 5, newId };

function readFrames(frames: readonly string[]): { events: StreamEvent[]; lost: string[] } {
  const reader = new MessagesStreamReader(reading);
  const events = frames.flatMap((frame) => [...reader.read(frame, undefined)]);
  events.push(...reader.end());
  return { events, lost: reader.losses.map(({ what }) => what) };
}

function writeFrames(events: Iterable<StreamEvent>): { text: string; lost: string[] } {
  const writer = new MessagesStreamWriter(writing);
  let text = '';
  for (const event of events) text += writer.write(event);
  return { text, lost: writer.losses.map(({ what }) => what) };
}

/** What a client gets is signed for us: opening the wrapping gives the parts that the provider made. */
function wrapped(reply: TextReply): TextReply {
  const { value } = writeReply(reply, writing);
  return readReply(value, reading).value;
}

const texts = (parts: readonly Part[], type: 'text' | 'thinking') =>
  parts.flatMap((part) => (part.type === type ? [part.text] : []));

describe('whole replies', () => {
  for (const { name, text } of files.filter((file) => file.name.endsWith('.json'))) {
    test(name, () => {
      const tree = JSON.parse(text()) as Tree;
      const { value, losses } = readReply(tree, reading);
      expect(losses).toEqual([]);
      const content = tree.content as Tree[];
      const parts = value.candidates[0]?.parts ?? [];
      expect(parts).toHaveLength(content.length);
      expect(texts(parts, 'text')).toEqual(
        content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])),
      );
      expect(parts.flatMap((part) => (part.type === 'tool-call' ? [JSON.parse(part.arguments)] : []))).toEqual(
        content.flatMap(({ type, input }) => (type === 'tool_use' ? [input] : [])),
      );
      expect(value.candidates[0]?.finish.raw).toBe(tree.stop_reason as string);
      expect(value.usage.output.total).toBe((tree.usage as { output_tokens: number }).output_tokens);
      expect(value.usage).toEqual(measureReply(tree).usage);
      const written = writeReply(value, writing);
      expect(written.losses).toEqual([]);
      expectSameBlocks(written.value.content as Tree[], content);
      expect(fold(unfold(wrapped(value)))).toEqual(wrapped(value));
      expectSameBlocks(addUp(writeFrames(unfold(value)).text).content, content);
    });
  }
});

/** All but the signatures, which are wrapped for the client, and what says nothing. */
function expectSameBlocks(written: readonly Tree[], recorded: readonly Tree[]): void {
  const bare = (block: Tree) => {
    const { signature: _, data: __, caller: ___, citations, ...rest } = block;
    const cited = Array.isArray(citations) && citations.length > 0;
    return { ...rest, ...(cited && { citations }) };
  };
  const isOwn = ({ type }: Tree) => ['text', 'thinking', 'redacted_thinking', 'tool_use'].includes(String(type));
  expect(written.map((block) => (isOwn(block) ? bare(block) : block))).toEqual(
    recorded.map((block) => (isOwn(block) ? bare(block) : block)),
  );
}

describe('streams', () => {
  for (const { name, text } of files.filter((file) => file.name.endsWith('.chunks.txt'))) {
    const spliced = name.includes('spliced');
    test(name, () => {
      const frames = text().split('\n').filter(Boolean);
      const trees = frames.map((frame) => JSON.parse(frame) as Tree);
      const { events, lost } = readFrames(frames);
      expect(lost).toEqual(spliced ? ['message_start'] : []);
      expect(checkEvents(events)).toEqual([]);
      const reply = fold(events);
      const parts = reply.candidates[0]?.parts ?? [];
      const tap = new MessagesTap();
      for (const frame of frames) tap.read(frame);
      expect(tap.finished).toBe(true);
      expect(reply.usage).toEqual(tap.usage);
      const deltas = trees.flatMap(({ delta }) => (isObject(delta) ? [delta] : []));
      const joined = (field: string) =>
        deltas
          .map((delta) => delta[field])
          .filter((piece) => typeof piece === 'string')
          .join('');
      expect(texts(parts, 'text').join('')).toBe(joined('text'));
      expect(texts(parts, 'thinking').join('')).toBe(joined('thinking'));
      expect(parts).toHaveLength(trees.filter(({ type }) => type === 'content_block_start').length);
      const finish = deltas.find((delta) => typeof delta.stop_reason === 'string');
      expect(reply.candidates[0]?.finish.raw).toBe(finish?.stop_reason as string);
      const written = writeFrames(events);
      expect(written.lost).toEqual([]);
      const message = addUp(written.text);
      expect(message.content).toHaveLength(parts.length);
      expect(message.stop_reason).toBe(finish?.stop_reason);
      const again = new Folding();
      for (const event of readFrames(written.text.match(/(?<=^data: ).*$/gm) ?? []).events) again.add(event);
      expect(unsealed(again.reply)).toEqual(unsealed(reply));
    });
  }
});

/** Signatures are wrapped for a client, and counts of the cache are numbers; ids and tiers stay. */
function unsealed(reply: TextReply): unknown {
  const input = { cacheRead: 0, cacheWrite: 0, ...reply.usage.input };
  const counted = { ...reply, usage: { ...reply.usage, input } };
  return JSON.parse(
    JSON.stringify(counted, (key, value) => (key === 'seal' ? 'sealed' : key === 'extras' ? undefined : value)),
  );
}
