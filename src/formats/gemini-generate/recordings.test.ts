/** Every recorded reply of the Gemini API, the project's own and those of real providers: read, compared with what its payloads say, written and read again. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';
import { GenerateTap, measureReply } from './tap.ts';

const files = recordedFiles('gemini-generate');
/** Another protocol: the live socket's messages, which only share some field names with this format. */
const otherProtocol = /-live-/;

const origin = { format: 'gemini-generate', provider: 'recorded', model: 'asked' };
let ids = 0;
const newId = (prefix: string): string => `${prefix}${++ids}`;
const read = { origin, nowMs: 1_700_000_000_000, newId };
const write = { request: {}, nowMs: 1_700_000_000_000, newId };

interface Payload {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Record<string, unknown>[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: Readonly<Record<string, number>>;
}

function eventsOf(payloads: readonly string[]): StreamEvent[] {
  const reader = codec.streamReader(read);
  const events = payloads.flatMap((payload) => reader.read(payload, undefined));
  events.push(...reader.end());
  expect(reader.losses).toEqual([]);
  return events;
}

/** What the payloads say, put together without any of our code. */
function spoken(payloads: readonly Payload[]) {
  const parts = payloads.flatMap((payload) => payload.candidates?.[0]?.content?.parts ?? []);
  const last = payloads.at(-1)?.usageMetadata ?? {};
  return {
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    thinking: parts.map((part) => (part.thought === true ? part.text : '')).join(''),
    calls: parts.flatMap((part) => (part.functionCall as { name?: string } | undefined)?.name ?? []),
    input: last.promptTokenCount,
    output: (last.candidatesTokenCount ?? 0) + (last.thoughtsTokenCount ?? 0),
    total: last.totalTokenCount ?? 0,
    signatures: parts.flatMap((part) => (part.thoughtSignature as string | undefined) ?? []),
  };
}

function received(reply: TextReply) {
  const parts = reply.candidates[0]?.parts ?? [];
  const total = (reply.usage.input.total ?? 0) + (reply.usage.output.total ?? 0);
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    thinking: parts.map((part) => (part.type === 'thinking' ? part.text : '')).join(''),
    calls: parts.flatMap((part) => (part.type === 'tool-call' ? part.name : [])),
    input: reply.usage.input.total,
    output: reply.usage.output.total ?? 0,
    total,
    signatures: parts.flatMap((part) => ('seal' in part && part.seal !== undefined ? part.seal.value : [])),
  };
}

/** Seals are wrapped for the client, who gives them back unopened; all else must come back equal. */
function withoutSeals(reply: TextReply): unknown {
  return JSON.parse(JSON.stringify(reply, (key, value) => (key === 'seal' || key === 'extras' ? undefined : value)));
}

describe('recordings', () => {
  const streams = files.filter(({ name }) => name.endsWith('.chunks.txt') && !otherProtocol.test(name));
  for (const { name, text: recorded } of streams) {
    test(`${name}: events, tap and payloads agree`, () => {
      const lines = recorded().split('\n').filter(Boolean);
      const events = eventsOf(lines);
      expect(checkEvents(events)).toEqual([]);
      const reply = fold(events);
      expect(received(reply)).toEqual(spoken(lines.map((line) => JSON.parse(line))));
      expect(reply.candidates[0]?.finish.reason).toBe(received(reply).calls.length > 0 ? 'tool-calls' : 'stop');
      const tap = new GenerateTap();
      expect(lines.map((line) => tap.read(line))).toEqual(lines.map(() => 'pass'));
      expect(tap.finished).toBe(true);
      expect(tap.usage).toEqual(reply.usage);
    });

    test(`${name}: written and read again it is the same`, () => {
      const lines = recorded().split('\n').filter(Boolean);
      const events = eventsOf(lines);
      const writer = codec.streamWriter(write);
      const text = events.map((event) => writer.write(event)).join('');
      expect(writer.losses).toEqual([]);
      const again = eventsOf(
        text
          .split('\n\n')
          .filter(Boolean)
          .map((frame) => frame.replace(/^data: /, '')),
      );
      expect({ ...(withoutSeals(fold(again)) as object), createdAtMs: 0 }).toEqual({
        ...(withoutSeals(fold(events)) as object),
        createdAtMs: 0,
      });
      // Cut anywhere before the finish, the same stream does not end.
      const cut = codec.streamReader(read);
      for (const line of lines.slice(0, -1)) cut.read(line, undefined);
      expect(cut.end()).toEqual([]);
    });
  }

  for (const { name, text } of files.filter((file) => file.name.endsWith('.json'))) {
    test(`${name}: reply and payload agree, also when written and read again`, () => {
      const payload = JSON.parse(text());
      const { value, losses } = codec.readReply(payload, read);
      expect(losses).toEqual([]);
      expect(received(value)).toEqual(spoken([payload]));
      expect(measureReply(payload).usage).toEqual(value.usage);
      const written = codec.writeReply(value, write);
      expect(written.losses).toEqual([]);
      const again = codec.readReply(JSON.parse(JSON.stringify(written.value)), read).value;
      expect(withoutSeals(again)).toEqual(withoutSeals(value));
      expect(again.extras).toEqual(value.extras);
    });
  }

  test('what is of another protocol is refused, not misread', () => {
    const others = files.filter(({ name }) => otherProtocol.test(name));
    expect(others.length).toBeGreaterThan(0);
    for (const { text } of others) {
      const [first = ''] = text().split('\n');
      expect(() => codec.streamReader(read).read(first, undefined)).toThrow(SyntaxError);
    }
  });
});
