/**
 * Streams, read and written: what the reader makes of events, and that the writer's events are in the order that
 * libraries expect.
 */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { addUp, framesOf } from '../../../test/harness/messages-client.ts';
import { readSeal } from '../../conversation/seals/seal.ts';
import type { PartOpening, StreamEvent } from '../../conversation/text-reply.ts';
import { MessagesStreamReader } from './stream/reader.ts';
import { MessagesStreamWriter } from './stream/writer.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const newId = (prefix: string) => `${prefix}new`;

function read(...frames: readonly object[]): StreamEvent[] {
  const reader = new MessagesStreamReader({ origin, nowMs: 5, newId });
  const events = frames.flatMap((frame) => reader.read(JSON.stringify(frame), undefined));
  return [...events, ...reader.end()];
}

function write(events: readonly StreamEvent[]) {
  const writer = new MessagesStreamWriter({ request: {}, nowMs: 5, newId });
  const text = events.map((event) => writer.write(event)).join('');
  return { text, lost: writer.losses.map(({ what }) => what) };
}

const start: StreamEvent = { type: 'reply-start', id: 'r', model: 'm', createdAtMs: 5 };
const open = (part: number, opening: PartOpening): StreamEvent => ({ type: 'part-start', candidate: 0, part, opening });
const close = (part: number): StreamEvent => ({ type: 'part-end', candidate: 0, part });
const words = (part: number, text: string): StreamEvent => ({ type: 'text-delta', candidate: 0, part, text });
const input = (part: number, text: string): StreamEvent => ({ type: 'tool-input-delta', candidate: 0, part, text });
const call = (id: string): PartOpening => ({ type: 'tool-call', id, name: 'f' });
const ending: readonly StreamEvent[] = [
  { type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } },
  { type: 'usage', usage: { input: { total: 9, cacheRead: 4 }, output: { total: 2 } } },
  { type: 'reply-end' },
];
const messageStart = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
};
const blockStart = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const blockStop = (index: number) => ({ type: 'content_block_stop', index });
const messageEnd = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

describe('reading', () => {
  test('blocks open, grow and close; usage adds up; the end is the marker', () => {
    const events = read(
      messageStart,
      { type: 'ping' },
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'hm' }),
      blockDelta(0, { type: 'signature_delta', signature: 'sig' }),
      blockStop(0),
      blockStart(1, { type: 'redacted_thinking', data: 'x' }),
      blockStop(1),
      blockStart(2, { type: 'text', text: '' }),
      blockDelta(2, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'q' } }),
      blockDelta(2, { type: 'text_delta', text: 'Hi' }),
      blockStop(2),
      blockStart(3, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      blockDelta(3, { type: 'input_json_delta', partial_json: '{"a" :' }),
      blockDelta(3, { type: 'input_json_delta', partial_json: ' 1}' }),
      blockStop(3),
      ...messageEnd,
    );
    expect(checkEvents(events)).toEqual([]);
    const { candidates, usage } = fold(events);
    expect(candidates[0]?.parts).toEqual([
      { type: 'thinking', text: 'hm', seal: { value: 'sig', origin } },
      { type: 'thinking', text: '', redacted: true, seal: { value: 'x', origin } },
      {
        type: 'text',
        text: 'Hi',
        citations: [
          { quote: 'q', native: { format: 'anthropic-messages', value: { type: 'char_location', cited_text: 'q' } } },
        ],
      },
      { type: 'tool-call', id: 't', name: 'f', arguments: '{"a" : 1}' },
    ]);
    expect(usage).toEqual({ input: { total: 1, fresh: 1 }, output: { total: 7 }, model: 'm' });
    expect(events.at(-1)).toEqual({ type: 'reply-end' });
  });

  test('a call without arguments has an empty object, one with all of them at the start has those', () => {
    const events = read(
      messageStart,
      blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '' }),
      blockStop(0),
      blockStart(1, { type: 'tool_use', id: 'b', name: 'f', input: { x: 1 } }),
      blockStop(1),
      ...messageEnd,
    );
    expect(fold(events).candidates[0]?.parts).toMatchObject([{ arguments: '{}' }, { arguments: '{"x":1}' }]);
  });

  test('the start may say how the message ends; what its end says counts more', () => {
    const started = (stop_reason: string) => ({
      ...messageStart,
      message: { ...messageStart.message, stop_reason, content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
    });
    const bareEnd = [{ type: 'message_delta', delta: { stop_reason: null } }, { type: 'message_stop' }];
    const events = read(started('tool_use'), ...bareEnd);
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.finish).toEqual({ reason: 'tool-calls', raw: 'tool_use' });
    expect(fold(read(started('tool_use'), ...messageEnd)).candidates[0]?.finish.raw).toBe('end_turn');
  });

  test('a compaction that the end reports is added to the counts', () => {
    const usage = {
      input_tokens: 612,
      output_tokens: 2_819,
      iterations: [
        { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
        { type: 'message', input_tokens: 612, output_tokens: 2_819 },
      ],
    };
    const begun = {
      ...messageStart,
      message: { ...messageStart.message, usage: { input_tokens: 60_385, output_tokens: 1 } },
    };
    const events = read(begun, { ...messageEnd[0], usage }, { type: 'message_stop' });
    expect(checkEvents(events)).toEqual([]);
    const whole = { input: { total: 60_997, fresh: 60_997 }, output: { total: 3_341 }, model: 'm' };
    expect(fold(events).usage).toEqual(whole);
    const end = addUp(write(events).text);
    expect(end.usage).toMatchObject(usage);
  });

  test('without the marker nothing ends', () => {
    const events = read(messageStart, blockStart(0, { type: 'text', text: '' }), messageEnd[0] ?? {});
    expect(events.some(({ type }) => type === 'reply-end')).toBe(false);
  });

  test('an error is a failure in the provider’s words, and the last event', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(read(messageStart, error, ...messageEnd).at(-1)).toEqual({
      type: 'failure',
      code: 'provider_unavailable',
      message: 'Overloaded',
      providerType: 'overloaded_error',
      providerCode: undefined,
    });
  });

  test('a missing message start or block start is tolerated', () => {
    const events = read(blockDelta(0, { type: 'text_delta', text: 'x' }), ...messageEnd);
    expect(checkEvents(events)).toEqual([]);
    expect(events[0]).toMatchObject({ type: 'reply-start', id: 'msg_new', model: 'm' });
    expect(fold(events).candidates[0]?.parts).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('what is not of the format throws', () => {
    const reader = new MessagesStreamReader({ origin, nowMs: 5, newId });
    for (const data of ['{"cut', 'null', '{}', '{"type":"content_block_delta","index":4,"delta":{}}']) {
      expect(() => reader.read(data, undefined)).toThrow(SyntaxError);
    }
  });
});

describe('writing', () => {
  test('a whole reply as the libraries want it', () => {
    const seal = { value: 'sig', origin: { format: 'gemini-generate', provider: 'g', model: 'x' } };
    const { text, lost } = write([
      start,
      open(0, { type: 'thinking' }),
      { type: 'thinking-delta', candidate: 0, part: 0, text: 'hm' },
      { type: 'seal', candidate: 0, part: 0, seal },
      close(0),
      open(1, { type: 'text' }),
      words(1, 'a "quote"\n'),
      { type: 'citation', candidate: 0, part: 1, citation: { url: 'https://u' } },
      close(1),
      ...ending,
    ]);
    expect(lost).toEqual([]);
    const message = addUp(text);
    expect(message).toMatchObject({
      id: 'msg_r',
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 2 },
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'a "quote"\n', citations: [{ url: 'https://u', title: 'https://u' }] },
      ],
    });
    expect(readSeal(String(message.content[0]?.signature), 'anthropic-messages')).toEqual(seal);
    expect(text).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });

  test('interleaved calls come out one after the other, in order of their opening', () => {
    const { text } = write([
      start,
      open(0, call('a')),
      open(1, call('b')),
      input(1, '{"b":'),
      input(0, '{"a":'),
      open(2, call('c')),
      input(2, '{}'),
      close(2),
      input(0, '1}'),
      close(0),
      input(1, '2}'),
      close(1),
      ...ending,
    ]);
    const { content, stop_reason: reason } = addUp(text);
    expect(content).toEqual([
      { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
      { type: 'tool_use', id: 'b', name: 'f', input: { b: 2 } },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ]);
    expect(reason).toBe('tool_use');
    expect(framesOf(text).map(({ type, index }) => `${type}${index ?? ''}`)).toEqual([
      'message_start',
      'content_block_start0',
      'content_block_delta0',
      'content_block_delta0',
      'content_block_stop0',
      'content_block_start1',
      'content_block_delta1',
      'content_block_delta1',
      'content_block_stop1',
      'content_block_start2',
      'content_block_delta2',
      'content_block_stop2',
      'message_delta',
      'message_stop',
    ]);
  });

  test('hidden thoughts wait for what they hold; without it there is no block and no hole in the numbers', () => {
    const seal = { value: 'sig', origin };
    const { text, lost } = write([
      start,
      open(0, { type: 'thinking', redacted: true }),
      close(0),
      open(1, { type: 'thinking', redacted: true }),
      { type: 'seal', candidate: 0, part: 1, seal },
      close(1),
      open(2, { type: 'media', media: 'image', mediaType: 'image/png' }),
      { type: 'media-delta', candidate: 0, part: 2, data: 'AAAA' },
      close(2),
      open(3, { type: 'refusal' }),
      words(3, 'no'),
      close(3),
      ...ending,
    ]);
    expect(lost).toEqual(['content[0] thinking', 'content[2] image']);
    expect(addUp(text)).toMatchObject({
      content: [{ type: 'redacted_thinking' }, { type: 'text', text: 'no' }],
      stop_reason: 'refusal',
    });
  });

  test('a failure is the format’s error event and nothing comes after it', () => {
    const failure: StreamEvent = {
      type: 'failure',
      code: 'upstream_failed',
      message: 'cut',
      providerType: 'api_error',
    };
    const { text } = write([start, open(0, { type: 'text' }), words(0, 'x'), failure, close(0), ...ending]);
    const frames = framesOf(text);
    expect(frames.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error', message: 'cut' } });
    expect(frames.filter(({ type }) => type === 'message_stop')).toEqual([]);
  });

  test('second candidates, foreign natives and logprobs are reported once each', () => {
    const { text, lost } = write([
      start,
      open(0, { type: 'text' }),
      { type: 'text-delta', candidate: 0, part: 0, text: 'x', logprobs: [] },
      { type: 'part-start', candidate: 1, part: 0, opening: { type: 'text' } },
      { type: 'text-delta', candidate: 1, part: 0, text: 'other' },
      { type: 'native', format: 'openai-responses', value: { type: 'odd' }, candidate: 0, part: 1 },
      close(0),
      ...ending,
    ]);
    expect(lost).toEqual(['logprobs', 'n', 'content[1] odd']);
    expect(addUp(text).content).toEqual([{ type: 'text', text: 'x' }]);
  });
});
