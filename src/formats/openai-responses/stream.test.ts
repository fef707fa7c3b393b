/** Streams as providers really send them, and as the official library wants them. */

import { describe, expect, test } from 'bun:test';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { StreamEvent } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';

const origin = { format: 'openai-responses', provider: 'p', model: 'm' };

function newContext(request: Tree = {}) {
  let made = 0;
  return { origin, request, nowMs: 1_700_000_005_000, newId: (prefix: string) => `${prefix}${++made}` };
}

function read(...events: Tree[]): StreamEvent[] {
  const reader = codec.streamReader(newContext());
  return events.flatMap((event) => [...reader.read(JSON.stringify(event), undefined)]);
}

const created = { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 5 } };
const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const completed = (output: object[] = []) => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output, usage },
});

describe('reading', () => {
  test('a provider that sends only the end', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
      {
        type: 'message',
        id: 'msg_1',
        content: [
          {
            type: 'output_text',
            text: 'Hi',
            annotations: [{ type: 'url_citation', url: 'https://a/', title: 't', start_index: 0, end_index: 2 }],
          },
        ],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
    ];
    const events = read(completed(output));
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates).toEqual(codec.readReply(completed(output).response, newContext()).value.candidates);
  });

  test('a provider that sends whole arguments, and one that never closes its items', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '' };
    const events = read(
      created,
      { type: 'response.output_item.added', output_index: 0, item: call },
      { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_1', arguments: '{"a":1}' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hi' },
      completed(),
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]).toEqual({
      parts: [
        { type: 'tool-call', id: 'c', name: 'f', arguments: '{"a":1}' },
        { type: 'text', text: 'Hi' },
      ],
      finish: { reason: 'tool-calls', raw: 'completed' },
    });
  });

  test('arguments of parallel calls may come interleaved', () => {
    const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'f', arguments: '' });
    const delta = (output_index: number, text: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta: text,
    });
    const events = read(
      created,
      { type: 'response.output_item.added', output_index: 0, item: call('a') },
      { type: 'response.output_item.added', output_index: 1, item: call('b') },
      delta(0, '{"x"'),
      delta(1, '{"y"'),
      delta(0, ':1}'),
      delta(1, ':2}'),
      { type: 'response.output_item.done', output_index: 1, item: { ...call('b'), arguments: '{"y":2}' } },
      { type: 'response.output_item.done', output_index: 0, item: { ...call('a'), arguments: '{"x":1}' } },
      completed(),
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'tool-call', id: 'b', name: 'f', arguments: '{"y":2}' },
    ]);
  });

  test('paragraphs of a summary are one text under one seal', () => {
    const delta = (summary_index: number, text: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index,
      delta: text,
    });
    const summary = ['one', 'two'].map((text) => ({ type: 'summary_text', text }));
    const item = { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'x' };
    const events = read(
      created,
      { type: 'response.output_item.added', output_index: 0, item: { ...item, summary: [], encrypted_content: 'y' } },
      delta(0, 'on'),
      delta(0, 'e'),
      delta(1, 'two'),
      { type: 'response.output_item.done', output_index: 0, item },
      completed(),
    );
    expect(fold(events).candidates[0]?.parts).toEqual([
      { type: 'thinking', text: 'one\n\ntwo', seal: { value: 'rs_1#x', origin } },
    ]);
  });

  test('the limit, the filter, a refusal and errors', () => {
    const incomplete = (reason: string) =>
      read(created, {
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason }, output: [] },
      });
    expect(fold(incomplete('max_output_tokens')).candidates[0]?.finish.reason).toBe('length');
    expect(fold(incomplete('content_filter')).candidates[0]?.finish.reason).toBe('content-filter');
    expect(fold(incomplete('steered')).candidates[0]?.finish).toEqual({ reason: 'other', raw: 'steered' });
    const refused = read(
      created,
      { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'no' },
      { type: 'response.refusal.done', output_index: 0, content_index: 0, refusal: 'no' },
      completed(),
    );
    expect(fold(refused).candidates[0]).toMatchObject({
      parts: [{ type: 'refusal', text: 'no' }],
      finish: { reason: 'refusal' },
    });
    const failure = { type: 'failure', code: 'upstream_failed', message: 'm', providerCode: 'c' };
    expect(read({ type: 'error', error: { message: 'm', code: 'c' } }).at(-1)).toMatchObject(failure);
    expect(read({ type: 'error', message: 'm', code: 'c' }, completed())).toHaveLength(1);
    expect(
      read(created, { type: 'response.failed', response: { error: { message: 'm', code: 'c' } } }).at(-1),
    ).toMatchObject(failure);
  });

  test('of a whole that contradicts what was streamed nothing is added', () => {
    const readAll = (...events: Tree[]) => {
      const reader = codec.streamReader(newContext());
      const seen = events.flatMap((event) => [...reader.read(JSON.stringify(event), undefined)]);
      expect(checkEvents(seen)).toEqual([]);
      return { parts: fold(seen).candidates[0]?.parts, lost: reader.losses.map(({ what }) => what) };
    };
    const messageOf = (text: string) => ({ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] });
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello' };
    const streamed = (text: string) => readAll(created, delta, completed([messageOf(text)]));
    expect(streamed('Hello you')).toEqual({ parts: [{ type: 'text', text: 'Hello you' }], lost: [] });
    expect(streamed('Help you out')).toEqual({ parts: [{ type: 'text', text: 'Hello' }], lost: ['final text'] });
    expect(streamed('')).toEqual({ parts: [{ type: 'text', text: 'Hello' }], lost: [] });
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '' };
    const called = readAll(
      created,
      { type: 'response.output_item.added', output_index: 0, item: call },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a":1' },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"b":2222}' },
      completed(),
    );
    expect(called).toMatchObject({ parts: [{ arguments: '{"a":1' }], lost: ['final arguments'] });
  });

  test('what is not of the format is said so', () => {
    for (const data of ['{', '7', 'null', '{}', '']) {
      expect(() => codec.streamReader(newContext()).read(data, undefined)).toThrow(SyntaxError);
    }
    expect(codec.streamReader(newContext()).read('[DONE]', undefined)).toEqual([]);
  });
});

function framesOf(text: string): { event: string; data: Tree & { readonly response: Tree } }[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
}

async function finalOf(frames: readonly { readonly data: Tree }[]) {
  const body = new ReadableStream({
    start(controller) {
      for (const { data } of frames) controller.enqueue(new TextEncoder().encode(`${JSON.stringify(data)}\n`));
      controller.close();
    },
  });
  return await ResponseStream.fromReadableStream(body).finalResponse();
}

function write(events: readonly StreamEvent[], request: Tree = {}) {
  const writer = codec.streamWriter(newContext(request));
  const frames = framesOf(events.map((event) => writer.write(event)).join(''));
  frames.forEach(({ event, data }, index) => {
    expect([event, data['sequence_number']]).toEqual([data['type'] as string, index]);
    expectValid('ResponseStreamEvent', data);
  });
  return { frames, losses: writer.losses };
}

const start: StreamEvent = { type: 'reply-start', id: 'msg_77', model: 'claude', createdAtMs: 1_700_000_000_000 };
const at = (part: number) => ({ candidate: 0, part });
const done = (reason: 'stop' | 'length' | 'tool-calls' | 'pause'): StreamEvent[] => [
  { type: 'candidate-end', candidate: 0, finish: { reason } },
  { type: 'usage', usage: { input: { total: 10, cacheRead: 4 }, output: { total: 3, thinking: 1 } } },
  { type: 'reply-end' },
];

describe('writing', () => {
  test('thinking, text with a citation, and calls that come interleaved', async () => {
    const seal = { value: 'sig', origin: { ...origin, format: 'anthropic-messages' } };
    const { frames, losses } = write([
      start,
      { type: 'part-start', ...at(0), opening: { type: 'thinking' } },
      { type: 'thinking-delta', ...at(0), text: 'hm' },
      { type: 'seal', ...at(0), seal },
      { type: 'part-end', ...at(0) },
      { type: 'part-start', ...at(1), opening: { type: 'text' } },
      { type: 'text-delta', ...at(1), text: 'Hi ' },
      { type: 'text-delta', ...at(1), text: '"you"', logprobs: [{ token: 'é', logprob: -1 }] },
      { type: 'citation', ...at(1), citation: { url: 'https://a/', title: 't' } },
      { type: 'part-end', ...at(1) },
      { type: 'part-start', ...at(2), opening: { type: 'tool-call', id: 'a', name: 'f' } },
      { type: 'part-start', ...at(3), opening: { type: 'tool-call', id: 'b', name: 'g' } },
      { type: 'tool-input-delta', ...at(2), text: '{"x"' },
      { type: 'tool-input-delta', ...at(3), text: '{}' },
      { type: 'tool-input-delta', ...at(2), text: ':1}' },
      { type: 'part-end', ...at(3) },
      { type: 'part-end', ...at(2) },
      ...done('tool-calls'),
    ]);
    expect(losses).toEqual([]);
    expect(frames.map(({ event }) => event.replace('response.', '')).join(' ')).toBe(
      'created in_progress output_item.added reasoning_summary_part.added reasoning_summary_text.delta ' +
        'reasoning_summary_text.done reasoning_summary_part.done output_item.done ' +
        'output_item.added content_part.added output_text.delta output_text.delta output_text.annotation.added ' +
        'output_text.done content_part.done output_item.done ' +
        'output_item.added output_item.added function_call_arguments.delta function_call_arguments.delta ' +
        'function_call_arguments.delta function_call_arguments.done output_item.done ' +
        'function_call_arguments.done output_item.done completed',
    );
    const final = await finalOf(frames);
    expect(final.id).toBe('resp_msg_77');
    expect(final.output_text).toBe('Hi "you"');
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'hm' }] },
      {
        type: 'message',
        content: [{ annotations: [{ url: 'https://a/', end_index: 8 }], logprobs: [{ bytes: [195, 169] }] }],
      },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}', status: 'completed' },
      { type: 'function_call', call_id: 'b', name: 'g', arguments: '{}' },
    ]);
    expect(final.usage).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 13,
    });
    const back = codec.readRequest({ model: 'm', input: final.output }).value.messages[0]?.parts[0];
    expect(back).toEqual({ type: 'thinking', text: 'hm', seal });
  });

  test('a reply that was cut short by its limit is incomplete', () => {
    const { frames } = write([start, ...done('length')]);
    expect(frames.at(-1)?.event).toBe('response.incomplete');
    expect(frames.at(-1)?.data.response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
    });
    expect(write([start, ...done('pause')]).losses).toMatchObject([{ what: 'finish' }]);
  });

  test('a failure keeps the output so far, and nothing follows', async () => {
    const { frames } = write([
      start,
      { type: 'part-start', ...at(0), opening: { type: 'text' } },
      { type: 'text-delta', ...at(0), text: 'Hi' },
      { type: 'failure', code: 'upstream_failed', message: 'cut', providerType: 'overloaded_error' },
    ]);
    expect(frames.at(-1)?.event).toBe('response.failed');
    const final = await finalOf(frames);
    expect(final.status).toBe('failed');
    expect(final.error).toEqual({
      code: 'server_error',
      message: 'cut',
      type: 'overloaded_error',
      param: null,
    } as never);
    expect(final.output_text).toBe('Hi');
  });

  test('a failure before any output still is a whole stream', async () => {
    const { frames } = write([{ type: 'failure', code: 'upstream_rate_limited', message: 'later' }]);
    const final = await finalOf(frames);
    expect([final.status, final.error?.code]).toEqual(['failed', 'rate_limit_exceeded']);
  });

  test('an image, hidden thinking, a refusal, and unsupported parts', async () => {
    const { frames, losses } = write([
      start,
      { type: 'part-start', ...at(0), opening: { type: 'media', media: 'image', mediaType: 'image/png' } },
      { type: 'media-delta', ...at(0), data: 'QUJD' },
      { type: 'part-end', ...at(0) },
      { type: 'part-start', ...at(1), opening: { type: 'thinking', redacted: true } },
      { type: 'seal', ...at(1), seal: { value: 'x', origin } },
      { type: 'part-end', ...at(1) },
      { type: 'part-start', ...at(2), opening: { type: 'refusal' } },
      { type: 'text-delta', ...at(2), text: 'no' },
      { type: 'part-end', ...at(2) },
      { type: 'part-start', ...at(3), opening: { type: 'media', media: 'audio', mediaType: 'audio/wav' } },
      { type: 'media-delta', ...at(3), data: 'QUJD' },
      { type: 'part-end', ...at(3) },
      { type: 'native', format: 'other', value: {}, ...at(4) },
      { type: 'part-start', candidate: 1, part: 0, opening: { type: 'text' } },
      ...done('stop'),
    ]);
    expect((await finalOf(frames)).output).toMatchObject([
      { type: 'image_generation_call', result: 'QUJD', status: 'completed' },
      { type: 'reasoning', summary: [] },
      { type: 'message', content: [{ type: 'refusal', refusal: 'no' }] },
    ]);
    expect(losses.map(({ what }) => what)).toEqual(['output audio', 'output part', 'candidates']);
  });
});
