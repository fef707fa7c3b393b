/** Streams of the original service and of the many that resemble it, read into neutral events. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../../test/harness/check-events.ts';
import { fold } from '../../../../test/harness/fold-events.ts';
import { type RecordedFile, recordedFiles } from '../../../../test/harness/recordings.ts';
import { expectValid } from '../../../../test/harness/schema.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { FinishReason, StreamEvent, TextReply } from '../../../conversation/text-reply.ts';
import type { ReadContext } from '../../codec.ts';
import { readReply } from '../read/reply.ts';
import { writeReply } from '../write/reply.ts';
import { streamReader } from './reader.ts';
import { streamWriter } from './writer.ts';

const origin = { format: 'openai-chat', provider: 'p', model: 'm' };

function context(): ReadContext {
  let made = 0;
  return { origin, nowMs: 5_000, newId: (prefix) => `${prefix}made${++made}` };
}

function readLines(lines: readonly string[]) {
  const reader = streamReader(context());
  const events: StreamEvent[] = [];
  for (const line of lines) events.push(...reader.read(line, undefined));
  events.push(...reader.end());
  return { events, lost: reader.losses.map(({ what }) => what) };
}

type Delta = Tree | null;

/** A stream of these deltas of one choice, ended by the word. */
function readDeltas(deltas: readonly Delta[], finish: string | null = 'stop') {
  const chunk = (choice: object) => JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [choice] });
  const lines = deltas.map((delta) => chunk({ index: 0, delta, finish_reason: null }));
  const { events, lost } = readLines([...lines, chunk({ index: 0, delta: {}, finish_reason: finish }), '[DONE]']);
  expect(checkEvents(events)).toEqual([]);
  const [candidate] = fold(events).candidates;
  return { events, parts: candidate?.parts, finish: candidate?.finish, lost };
}

const piece = (index: number | undefined, fields: object, rest: object = {}) => ({
  tool_calls: [{ ...(index !== undefined && { index }), ...rest, function: fields }],
});

describe('text', () => {
  test('repeated roles, empty and null deltas', () => {
    const role = { role: 'assistant', content: '' };
    const { parts, finish } = readDeltas([
      role,
      { ...role, content: 'a' },
      null,
      {},
      { content: null },
      { content: 'b' },
    ]);
    expect(parts).toEqual([{ type: 'text', text: 'ab' }]);
    expect(finish).toEqual({ reason: 'stop', raw: 'stop' });
  });

  test('thinking in each of its spellings', () => {
    const inside = [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }];
    const sealedAs = (value: string) => ({ seal: { value, origin } });
    const cases = [
      [{ reasoning_content: 'hm' }, sealedAs('reasoning_content')],
      [{ reasoning: 'hm', reasoning_content: null }, sealedAs('reasoning')],
      [{ content: inside }, {}],
    ] as const;
    for (const [delta, seal] of cases) {
      expect(readDeltas([{ content: '', ...delta }, { content: 'a' }]).parts as unknown).toEqual([
        { type: 'thinking', text: 'hm', ...seal },
        { type: 'text', text: 'a' },
      ]);
    }
  });

  test('details with signatures and hidden thinking', () => {
    const text = (fields: object) => ({ type: 'reasoning.text', index: 0, ...fields });
    const { parts } = readDeltas([
      { reasoning: 'a', reasoning_details: [text({ text: 'a' })] },
      { reasoning: 'b', reasoning_details: [text({ text: 'b' })] },
      { reasoning_details: [text({ signature: 's', format: 'f' })] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'd', index: 1 }] },
      { content: 'x' },
    ]);
    const seal = (value: object) => ({ value: JSON.stringify(value), origin });
    expect(parts).toEqual([
      { type: 'thinking', text: 'ab', seal: seal({ type: 'reasoning.text', index: 0, signature: 's', format: 'f' }) },
      { type: 'thinking', text: '', redacted: true, seal: seal({ type: 'reasoning.encrypted', data: 'd', index: 1 }) },
      { type: 'text', text: 'x' },
    ]);
  });

  test('a refusal, whose word is kept', () => {
    const { parts, finish } = readDeltas([{ refusal: 'n' }, { refusal: 'o' }]);
    expect(parts).toEqual([{ type: 'refusal', text: 'no' }]);
    expect(finish).toEqual({ reason: 'refusal', raw: 'stop' });
  });

  test('citations, logprobs, audio and images', () => {
    const cited = {
      type: 'url_citation',
      url_citation: { url: 'https://a/', title: 't', start_index: 0, end_index: 1 },
    };
    const { parts } = readDeltas([
      { content: 'ab' },
      { annotations: [cited] },
      { audio: { id: 'a', transcript: 'c' } },
      { audio: { data: 'QQ' } },
      { audio: { transcript: 'd' } },
      { audio: { data: 'BB' } },
      { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,CC' } }] },
      { images: [{ type: 'image_url', image_url: { url: 'https://a/b' } }] },
    ]);
    expect(parts).toEqual([
      { type: 'text', text: 'abcd', citations: [{ url: 'https://a/', title: 't', start: 0, end: 1 }] },
      { type: 'media', media: 'audio', mediaType: 'audio/pcm', source: { kind: 'base64', data: 'QQBB' } },
      { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'CC' } },
      { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a/b' } },
    ]);
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
    const choice = { index: 0, delta: { content: 'a' }, logprobs, finish_reason: 'stop' };
    const [candidate] = fold(readLines([JSON.stringify({ choices: [choice] })]).events).candidates;
    expect(candidate?.parts).toEqual([{ type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -1 }] }]);
  });
});

describe('calls', () => {
  const f = (id: string, text: string) => ({ type: 'tool-call', id, name: 'f', arguments: text });

  test('side by side, with the id in the first piece only', () => {
    const { parts, finish } = readDeltas(
      [
        piece(0, { name: 'f', arguments: '' }, { id: 'a' }),
        piece(1, { name: 'f', arguments: '{"x"' }, { id: 'b' }),
        piece(0, { arguments: '{}' }),
        piece(1, { arguments: ':1}' }),
      ],
      'tool_calls',
    );
    expect(parts as unknown).toEqual([f('a', '{}'), f('b', '{"x":1}')]);
    expect(finish).toEqual({ reason: 'tool-calls', raw: 'tool_calls' });
  });

  test('a complete call is closed when the next one opens', () => {
    const { events } = readDeltas([
      piece(0, { name: 'f', arguments: '{}' }, { id: 'a' }),
      piece(1, { name: 'f', arguments: '{}' }, { id: 'b' }),
    ]);
    const order = events.flatMap((event) => ('part' in event ? [`${event.type} ${event.part}`] : []));
    expect(order.indexOf('part-end 0')).toBeLessThan(order.indexOf('part-start 1'));
  });

  test('ids repeated, names repeated or empty, no numbers, one number for all, no ids', () => {
    const repeated = [
      piece(0, { name: 'f', arguments: '{' }, { id: 'a' }),
      piece(0, { name: 'f', arguments: '}' }, { id: 'a' }),
      piece(0, { name: '', arguments: ' ' }),
    ];
    expect(readDeltas(repeated).parts as unknown).toEqual([f('a', '{} ')]);
    const unnumbered = [
      piece(undefined, { name: 'f', arguments: '{' }, { id: 'a' }),
      piece(undefined, { arguments: '}' }),
      piece(undefined, { name: 'f', arguments: '{}' }, { id: 'b' }),
    ];
    expect(readDeltas(unnumbered).parts as unknown).toEqual([f('a', '{}'), f('b', '{}')]);
    const sameNumber = [
      piece(0, { name: 'f', arguments: '{}' }, { id: 'a' }),
      piece(0, { name: 'f', arguments: '{}' }, { id: 'b' }),
    ];
    expect(readDeltas(sameNumber).parts as unknown).toEqual([f('a', '{}'), f('b', '{}')]);
    const nameless = [piece(0, { arguments: '{' }, { id: 'a' }), piece(0, { name: 'f', arguments: '}' })];
    expect(readDeltas(nameless).parts as unknown).toEqual([f('a', '{}')]);
    const noIds = [
      piece(undefined, { name: 'f', arguments: { x: 1 } }),
      piece(undefined, { name: 'f', arguments: {} }),
    ];
    expect(readDeltas(noIds).parts as unknown).toEqual([f('call_made1', '{"x":1}'), f('call_made2', '{}')]);
  });

  test('the dialect before tools, custom calls, signatures, and `stop` beside a call', () => {
    const legacy = [{ function_call: { name: 'f', arguments: '{' } }, { function_call: { arguments: '}' } }];
    expect(readDeltas(legacy, 'function_call')).toMatchObject({
      parts: [f('call_made1', '{}')],
      finish: { reason: 'tool-calls', raw: 'function_call' },
    });
    const custom = [
      { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'y' } }] },
    ];
    expect(readDeltas(custom).parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'c', arguments: 'xy', freeform: true },
    ]);
    const signed = piece(
      0,
      { name: 'f', arguments: '{}' },
      { id: 'a', extra_content: { google: { thought_signature: 't' } } },
    );
    const { parts, finish } = readDeltas([{ content: 'so' }, signed], 'stop');
    expect(parts as unknown).toEqual([
      { type: 'text', text: 'so' },
      { ...f('a', '{}'), seal: { value: 't', origin } },
    ]);
    expect(finish).toEqual({ reason: 'tool-calls', raw: 'stop' });
  });
});

describe('ends', () => {
  const delta = JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] });
  const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] });
  const types = (lines: readonly string[]) => readLines(lines).events.map(({ type }) => type);

  test('a finish is enough, a marker too, neither is a cut', () => {
    expect(types([delta, finish]).at(-1)).toBe('reply-end');
    expect(types([delta, '[DONE]', delta]).filter((type) => type === 'reply-end').length).toBe(1);
    expect(types([delta])).toEqual(['reply-start', 'part-start', 'text-delta']);
    expect(types([])).toEqual([]);
  });

  test('the last usage counts and comes before the end', () => {
    const usage = (count: number) => ({ prompt_tokens: 3, completion_tokens: count });
    const lines = [
      JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }], usage: usage(1) }),
      finish,
      JSON.stringify({ choices: [], usage: usage(2) }),
      '[DONE]',
    ];
    const { events } = readLines(lines);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['usage', 'reply-end']);
    expect(fold(events).usage).toEqual({ input: { total: 3 }, output: { total: 2 } });
  });

  test('an error is a failure with the message of the provider, whatever comes beside it', () => {
    const error = { message: 'no', type: 't', code: 503 };
    for (const choices of [undefined, [{ index: 0, delta: { content: '' }, finish_reason: 'error' }]]) {
      const { events } = readLines([delta, JSON.stringify({ error, choices }), '[DONE]']);
      expect(events.at(-1)).toEqual({
        type: 'failure',
        code: 'upstream_failed',
        message: 'no',
        providerType: 't',
        providerCode: '503',
      });
      expect(checkEvents(events)).toEqual([]);
    }
  });

  test('unknown words are kept, unknown fields too', () => {
    expect(readDeltas([{ content: 'a' }], 'tired').finish).toEqual({ reason: 'other', raw: 'tired' });
    const first = JSON.stringify({ choices: [], prompt_filter_results: [1] });
    const second = JSON.stringify({ id: 'x', system_fingerprint: 'fp', choices: [{ index: 0, delta: {} }] });
    const third = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_own: { id: 1 } });
    const { events, lost } = readLines([first, second, third]);
    expect(fold(events).extras?.fields).toEqual({ prompt_filter_results: [1], system_fingerprint: 'fp' });
    expect(lost).toEqual(['x_own']);
  });

  test.each(['{', '7', 'null', '[]'])('%p is not a chunk', (data) => {
    expect(() => streamReader(context()).read(data, undefined)).toThrow(SyntaxError);
  });

  test('odd chunks never crash', () => {
    const odd: readonly unknown[] = [null, 0, '', 'x', [], {}, [null], [{}], { a: 1 }, true];
    const fields = ['content', 'refusal', 'reasoning', 'reasoning_details', 'tool_calls', 'function_call', 'audio'];
    for (const value of odd) {
      for (const field of [...fields, 'images', 'annotations']) readDeltas([{ [field]: value }]);
      for (const inner of ['function', 'custom', 'id', 'index']) readDeltas([{ tool_calls: [{ [inner]: value }] }]);
      readLines([JSON.stringify({ choices: value })]);
      readLines([JSON.stringify({ choices: [{ index: 0, delta: value, logprobs: value }] })]);
    }
  });
});

const files = recordedFiles('openai-chat');

function linesOf(file: RecordedFile): string[] {
  const lines = file.text().split('\n').filter(Boolean);
  return file.name.endsWith('.sse') ? lines.map((line) => line.replace(/^data: /, '')) : lines;
}

/** The plain sum of what the payloads say, in whichever field they say it. */
function sum(messages: readonly Tree[]) {
  const total = { text: '', thinking: '', names: [] as string[], arguments: '' };
  for (const message of messages) {
    const parts = Array.isArray(message.content) ? message.content.filter(isObject) : [];
    if (typeof message.content === 'string') total.text += message.content;
    for (const part of parts) {
      if (part.type === 'text') total.text += part.text;
      for (const thought of Array.isArray(part.thinking) ? part.thinking : []) total.thinking += thought.text;
    }
    total.thinking += message.reasoning_content ?? message.reasoning ?? '';
    for (const call of (message.tool_calls as { function: { name?: string; arguments: string } }[]) ?? []) {
      if (call.function.name) total.names.push(call.function.name);
      total.arguments += call.function.arguments;
    }
  }
  return total;
}

function sumOf(parts: readonly { readonly type: string }[]) {
  const all = parts as readonly { type: string; text: string; name: string; arguments: string }[];
  const of = (type: string) => all.filter((part) => part.type === type);
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thinking: of('thinking')
      .map(({ text }) => text)
      .join(''),
    names: of('tool-call').map(({ name }) => name),
    arguments: of('tool-call')
      .map((call) => call.arguments)
      .join(''),
  };
}

/** What must survive being written and read again; the word of a finish is the format's own by then. */
function factsOf({ candidates, usage: counted }: TextReply) {
  // Sources become citations of pages when they are written, which say that there was a search.
  const { citesPages: _, ...usage } = counted;
  return {
    said: candidates.map(({ parts }) => sumOf(parts)),
    reasons: candidates.map(({ finish }) => finish.reason),
    usage,
  };
}

function writtenFrames(events: readonly StreamEvent[]): string[] {
  const request = { stream_options: { include_usage: true } };
  const writer = streamWriter({ ...context(), request });
  const frames = events
    .map((event) => writer.write(event))
    .join('')
    .split('\n\n')
    .slice(0, -1);
  const data = frames.map((frame) => frame.slice('data: '.length));
  for (const one of data) if (one !== '[DONE]') expectValid('CreateChatCompletionStreamResponse', JSON.parse(one));
  return data;
}

const words: Record<string, FinishReason> = { stop: 'stop', tool_calls: 'tool-calls', length: 'length' };

/** Where thinking is counted beside the completion, the total says so. */
function outputTokens(usage: Tree): number {
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const beside = Number(usage.prompt_tokens) + Number(usage.completion_tokens) !== usage.total_tokens;
  return Number(usage.completion_tokens) + (beside ? Number(details.reasoning_tokens ?? 0) : 0);
}

describe('recordings', () => {
  for (const file of files.filter(({ name }) => name.endsWith('.chunks.txt') || name.endsWith('.sse'))) {
    test(file.name, () => {
      const chunks = linesOf(file)
        .filter((line) => line !== '[DONE]')
        .map((line) => JSON.parse(line));
      const choices = chunks.flatMap((chunk) => chunk.choices);
      const { events } = readLines(linesOf(file));
      expect(checkEvents(events)).toEqual([]);
      const reply = fold(events);
      expect(sumOf(reply.candidates[0]?.parts ?? [])).toEqual(sum(choices.map((choice) => choice.delta)));
      const word = choices.findLast((choice) => choice.finish_reason)?.finish_reason;
      expect(reply.candidates[0]?.finish).toEqual({ reason: words[word] ?? 'other', raw: word });
      const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
      expect(reply.usage.input.total).toBe(usage?.prompt_tokens);
      expect(reply.usage.output.total).toBe(usage && outputTokens(usage));
      const sources = chunks[0].citations ?? [];
      const [text] = reply.candidates[0]?.parts.filter((part) => part.type === 'text') ?? [];
      expect(text?.citations?.map(({ url }) => url) ?? []).toEqual(sources);
      const again = fold(readLines(writtenFrames(events)).events);
      expect(factsOf(again)).toEqual(factsOf(reply));
    });
  }

  for (const { name, text } of files.filter((file) => file.name.endsWith('.json'))) {
    test(name, () => {
      const tree = JSON.parse(text());
      if (tree.choices === undefined) {
        expect(() => readReply(tree, context())).toThrow(SyntaxError);
        return;
      }
      const { value } = readReply(tree, context());
      const [choice] = tree.choices;
      expect(sumOf(value.candidates[0]?.parts ?? [])).toEqual(sum([choice.message]));
      expect(value.candidates[0]?.finish).toEqual({
        reason: words[choice.finish_reason] ?? 'other',
        raw: choice.finish_reason,
      });
      expect(value.usage.input.total).toBe(tree.usage.prompt_tokens);
      expect(value.usage.output.total).toBe(outputTokens(tree.usage));
      const written = JSON.parse(JSON.stringify(writeReply(value, { ...context(), request: {} }).value));
      expectValid('CreateChatCompletionResponse', written);
      expect(factsOf(readReply(written, context()).value)).toEqual(factsOf(value));
      expect([value.id, value.model, value.createdAtMs]).toEqual([tree.id, tree.model, tree.created * 1000]);
    });
  }
});
