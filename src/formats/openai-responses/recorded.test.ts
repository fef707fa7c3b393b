/** Recorded replies of real providers: read, added up, written again and read once more, they say the same. */

import { describe, expect, test } from 'bun:test';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { type RecordedFile, recordedFiles } from '../../../test/harness/recordings.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Part } from '../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';
import { measureReply, ResponsesTap } from './tap.ts';

const files = recordedFiles('openai-responses');
const filesLike = (pattern: RegExp) =>
  files.filter(({ name }) => pattern.test(name)).map((file) => [file.name, file] as const);

let made = 0;
const newId = (prefix: string): string => `${prefix}made${++made}`;
const origin = { format: 'openai-responses', provider: 'p', model: 'm' };
const reading = { origin, nowMs: 1_700_000_000_000, newId };
const writing = { request: {}, nowMs: 1_700_000_000_000, newId };

/** One recording lacks the last brace of two of its lines. */
function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Some recordings hold several streams one after the other. */
function streamsOf(file: RecordedFile): string[][] {
  const streams: string[][] = [];
  for (const recorded of file.text().split('\n').filter(Boolean)) {
    const line = isJson(recorded) ? recorded : `${recorded}}`;
    if (line.includes('"response.created"')) streams.push([]);
    streams.at(-1)?.push(line);
  }
  return streams;
}

function readStream(lines: readonly string[]): { events: StreamEvent[]; losses: readonly object[] } {
  const reader = codec.streamReader(reading);
  const events = lines.flatMap((line) => [...reader.read(line, undefined)]);
  events.push(...reader.end());
  return { events, losses: reader.losses };
}

function framesOf(text: string): Tree[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)) as Tree);
}

/** The terminal event, with the items that its stream showed where it does not repeat them. */
function lastOf(lines: readonly string[]): Tree & { readonly response: Tree } {
  const events = lines.map((line) => JSON.parse(line) as Tree & { readonly response: Tree });
  const last = events.at(-1) ?? { response: {} };
  const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  const output = last.response['output'] as unknown[];
  return { ...last, response: { ...last.response, output: output.length === 0 ? items : output } };
}

/** What a payload itself says, by the plainest reading of it. */
function saidBy(response: Tree): { text: string; calls: unknown[]; thoughts: string } {
  let text = '';
  let thoughts = '';
  const calls: unknown[] = [];
  for (const item of response['output'] as Tree[]) {
    if (item['type'] === 'function_call') calls.push([item['call_id'], item['name'], item['arguments']]);
    if (item['type'] === 'custom_tool_call') calls.push([item['call_id'], item['name'], item['input']]);
    for (const part of (item['content'] ?? []) as Tree[]) {
      if (part['type'] === 'output_text') text += part['text'];
      if (part['type'] === 'reasoning_text') thoughts += part['text'];
    }
    for (const part of (item['summary'] ?? []) as Tree[]) thoughts += part['text'];
  }
  return { text, calls, thoughts: thoughts.replaceAll('\n', '') };
}

function saidIn(reply: TextReply): { text: string; calls: unknown[]; thoughts: string } {
  const parts = reply.candidates[0]?.parts ?? [];
  const joined = (type: Part['type']): string =>
    parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
  return {
    text: joined('text'),
    calls: parts.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part.name, part.arguments]] : [])),
    thoughts: joined('thinking').replaceAll('\n', ''),
  };
}

/** Generated ids differ; everything else must not. */
function comparable(reply: TextReply): unknown {
  const { id: _id, ...rest } = reply;
  const parts = reply.candidates[0]?.parts.map((part) =>
    'seal' in part && part.seal !== undefined ? { ...part, seal: part.seal.value !== '' } : part,
  );
  return { ...rest, serviceTier: undefined, usage: reply.usage.output.total, candidates: parts };
}

function usageOf(response: Tree): unknown {
  const usage = response['usage'];
  return isObject(usage) ? [usage['input_tokens'], usage['output_tokens']] : undefined;
}

describe.each(filesLike(/^((?!error).)*\.json$/))('%s', (_, file) => {
  const tree = JSON.parse(file.text()) as Tree;

  test('reads as it says', () => {
    const { value, losses } = codec.readReply(tree, reading);
    expect(saidIn(value)).toEqual(saidBy(tree));
    expect([value.usage.input.total, value.usage.output.total]).toEqual(usageOf(tree) as number[]);
    expect(measureReply(tree).usage).toEqual(value.usage);
    expect(
      losses
        .map(({ what }) => what.replace(/\d+/, 'n'))
        .filter((what) => !/phase$|caller$|namespace$|^usage\./.test(what)),
    ).toEqual([]);
    const calls = saidBy(tree).calls.length > 0;
    expect(value.candidates[0]?.finish).toEqual({ reason: calls ? 'tool-calls' : 'stop', raw: 'completed' });
  });

  test('written, whole or as a stream, and read again it is the same', () => {
    const { value } = codec.readReply(tree, reading);
    const written = codec.writeReply(value, writing);
    expect(written.losses).toEqual([]);
    expect(comparable(codec.readReply(written.value, reading).value)).toEqual(comparable(value));
    const writer = codec.streamWriter(writing);
    const frames = framesOf([...unfold(value)].map((event) => writer.write(event)).join(''));
    const again = readStream(frames.map((frame) => JSON.stringify(frame)));
    expect(checkEvents(again.events)).toEqual([]);
    expect(comparable(fold(again.events))).toEqual(comparable(value));
  });
});

describe.each(filesLike(/\.chunks\.txt$/))('%s', (_, file) => {
  const streams = streamsOf(file);

  test('reads as its last event says', () => {
    for (const lines of streams) {
      const { events } = readStream(lines);
      expect(checkEvents(events)).toEqual([]);
      const last = lastOf(lines);
      if (last['type'] === 'response.failed') {
        expect(events.at(-1)).toMatchObject({ type: 'failure', providerCode: 'insufficient_quota' });
        continue;
      }
      const reply = fold(events);
      expect(saidIn(reply)).toEqual(saidBy(last.response));
      expect([reply.usage.input.total, reply.usage.output.total]).toEqual(usageOf(last.response) as number[]);
      const whole = codec.readReply(last.response, reading).value;
      expect(reply.candidates[0]?.finish).toEqual(whole.candidates[0]?.finish as never);
      expect(reply.candidates[0]?.parts.map((part) => part.type)).toEqual(
        whole.candidates[0]?.parts.map((part) => part.type) as never,
      );
    }
  });

  test('the tap sees the same usage and the end', () => {
    for (const lines of streams) {
      const tap = new ResponsesTap();
      const verdicts = lines.map((line) => tap.read(line));
      const last = JSON.parse(lines.at(-1) ?? '') as Tree & { response: Tree };
      expect(verdicts.at(-1)).toBe(last['type'] === 'response.failed' ? 'fault' : 'end');
      expect([tap.usage.input.total, tap.usage.output.total]).toEqual(
        (usageOf(last.response) ?? [undefined, undefined]) as number[],
      );
      expect(tap.reply?.['id']).toBe(last.response['id'] as string);
      if (tap.finished) expect(tap.sequence).toBe((last['sequence_number'] as number | undefined) ?? lines.length - 1);
    }
  });

  test('written again it satisfies the official library', async () => {
    for (const lines of streams) {
      const { events } = readStream(lines);
      const writer = codec.streamWriter(writing);
      const frames = framesOf(events.map((event) => writer.write(event)).join(''));
      frames.forEach((frame, index) => {
        expect(frame['sequence_number']).toBe(index);
      });
      const body = new ReadableStream({
        start(controller) {
          for (const frame of frames) controller.enqueue(new TextEncoder().encode(`${JSON.stringify(frame)}\n`));
          controller.close();
        },
      });
      const final = await ResponseStream.fromReadableStream(body).finalResponse();
      const last = frames.at(-1) as Tree & { response: Tree };
      expect(saidBy(final as unknown as Tree)).toEqual(saidBy(last.response));
      if (events.at(-1)?.type === 'failure') expect(final.status).toBe('failed');
      else
        expect(comparable(fold(readStream(frames.map((frame) => JSON.stringify(frame))).events))).toEqual(
          comparable(fold(events)),
        );
    }
  });
});

test('what is written for plain recordings validates', () => {
  const plain = filesLike(/(azure-text|lmstudio|encrypted|parallel-tool-call).*\.chunks\.txt$/);
  for (const [, file] of plain) {
    for (const lines of streamsOf(file)) {
      const writer = codec.streamWriter(writing);
      const frames = framesOf(
        readStream(lines)
          .events.map((event) => writer.write(event))
          .join(''),
      );
      for (const frame of frames) expectValid('ResponseStreamEvent', frame);
    }
  }
  expect(plain.length).toBeGreaterThan(3);
});
