/** Order of events: a stream as the reference shows it passes, and one that breaks a rule is reported with that rule. */

import { describe, expect, test } from 'bun:test';
import { orderFault as anthropicOrder } from '../../oracles/anthropic/events.ts';
import { orderFault as cohereOrder } from '../../oracles/cohere/chat.ts';
import { orderFault as geminiOrder } from '../../oracles/gemini/generate.ts';
import { orderFault as audioOrder } from '../../oracles/operations/audio.ts';
import { orderFault as imagesOrder } from '../../oracles/operations/images.ts';
import type { StreamedEvent } from '../../oracles/oracle.ts';
import { orderFault as realtimeOrder } from '../../oracles/realtime/order.ts';

/** Events that are named by their type. */
const named = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): StreamedEvent[] =>
  events.map((data) => ({ name: data.type, data }));
const unnamed = (...events: readonly unknown[]): StreamedEvent[] => events.map((data) => ({ name: undefined, data }));

describe('messages', () => {
  const start = { type: 'message_start', message: { content: [] } };
  const open = (index: number, type = 'text') => ({ type: 'content_block_start', index, content_block: { type } });
  const delta = (index: number, type = 'text_delta') => ({ type: 'content_block_delta', index, delta: { type } });
  const close = (index: number) => ({ type: 'content_block_stop', index });
  const end = [{ type: 'message_delta', delta: {} }, { type: 'message_stop' }];
  const error = { type: 'error', error: {} };

  test.each([
    ['whole', [start, { type: 'ping' }, open(0), delta(0), close(0), ...end], undefined],
    ['an error in a block', [start, open(0), error], undefined],
    ['an error at once', [error], undefined],
    ['no start', [open(0)], 'content_block_start before message_start'],
    ['an index left out', [start, open(1)], 'block 1 starts where 0 is next'],
    ['a block in a block', [start, open(0), open(1)], 'block 1 starts inside block 0'],
    ['a delta of nothing', [start, delta(0)], 'content_block_delta of block 0, which is not open'],
    ['a delta of another kind', [start, open(0), delta(0, 'thinking_delta')], 'thinking_delta in a block of text'],
    ['an open block', [start, open(0), ...end], 'message_delta inside block 0'],
    ['no message_delta', [start, { type: 'message_stop' }], 'message_stop without message_delta'],
    ['more after the end', [start, ...end, { type: 'ping' }], 'ping after the end'],
    ['no end', [start], 'ends without message_stop or error'],
  ] as const)('%s', (_, events, fault) => {
    expect(anthropicOrder(named(...events), true)).toBe(fault);
  });

  test('a name that is not the type', () => {
    expect(anthropicOrder([{ name: undefined, data: start }], false)).toContain('is named undefined');
  });
});

describe('content generation', () => {
  const chunk = (text: string, finishReason?: string, responseId = 'r') => ({
    candidates: [{ content: { parts: [{ text }] }, ...(finishReason !== undefined && { finishReason }) }],
    responseId,
  });

  test.each([
    ['whole', [chunk('a'), chunk('', 'STOP')], undefined],
    ['counts after the end', [chunk('a', 'STOP'), { usageMetadata: {}, responseId: 'r' }], undefined],
    ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }], undefined],
    ['an error in it', [chunk('a'), { error: {} }], undefined],
    ['content after the end', [chunk('a', 'STOP'), chunk('b')], 'candidate 0 has content after its end'],
    ['two ends', [chunk('a', 'STOP'), chunk('', 'STOP')], 'candidate 0 ends twice'],
    ['two replies', [chunk('a'), chunk('b', 'STOP', 'other')], 'two replies in one stream'],
    ['no end', [chunk('a')], 'candidate 0 does not end'],
    ['nothing', [], 'ends without a candidate'],
    ['more after an error', [{ error: {} }, chunk('a')], 'a chunk after the error'],
  ] as const)('%s', (_, events, fault) => {
    expect(geminiOrder(unnamed(...events), true)).toBe(fault);
  });
});

describe('Cohere chat', () => {
  const start = { type: 'message-start' };
  const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } };
  const content = (what: string, index = 0) => ({ type: `content-${what}`, index });

  test.each([
    ['whole', [start, content('start'), content('delta'), content('end'), end], undefined],
    ['failed', [start, content('start'), { type: 'message-end', delta: { finish_reason: 'ERROR' } }], undefined],
    ['an open content', [start, content('start'), end], 'message-end while content 0 is open'],
    ['a delta of nothing', [start, content('delta')], 'content-delta of content 0, which is not open'],
    ['no start', [content('start')], 'content-start before message-start'],
    ['more after the end', [start, end, end], 'message-end after message-end'],
    ['no end', [start], 'ends without message-end'],
  ] as const)('%s', (_, events, fault) => {
    expect(cohereOrder(named(...events), true)).toBe(fault);
  });

  test('[DONE]', () => {
    const mark = { name: undefined, data: '[DONE]' };
    expect(cohereOrder([...named(start, end), mark], true)).toBeUndefined();
    expect(cohereOrder([...named(start), mark], true)).toBe('[DONE] before message-end');
    expect(cohereOrder([...named(start, end), mark, mark], true)).toBe('an event after [DONE]');
  });
});

describe('images', () => {
  const partial = (index: number) => ({ type: 'image_generation.partial_image', partial_image_index: index });
  const done = { type: 'image_generation.completed' };

  test.each([
    ['whole', [partial(0), partial(1), done], undefined],
    ['two images', [partial(0), done, partial(0), done], undefined],
    ['an index left out', [partial(0), partial(2), done], 'partial image 2 after 1'],
    ['no completed image', [partial(0)], 'ends without a completed image'],
  ] as const)('%s', (_, events, fault) => {
    expect(imagesOrder(named(...events), true)).toBe(fault);
  });
});

describe('audio', () => {
  const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text });
  const done = (text: string) => ({ type: 'transcript.text.done', text });
  const spoken = [{ type: 'speech.audio.delta' }, { type: 'speech.audio.done' }];

  test.each([
    ['a transcript', [delta('a'), delta('b'), done('ab')], undefined],
    ['speech', spoken, undefined],
    ['other words at the end', [delta('a'), done('ab')], 'the deltas are not the text'],
    ['no end', [delta('a')], 'ends without `done`'],
    ['more after the end', [...spoken, ...spoken], 'an event after speech.audio.done'],
  ] as const)('%s', (_, events, fault) => {
    expect(audioOrder(unnamed(...events), true)).toBe(fault);
  });
});

describe('live conversations', () => {
  let ids = 0;
  const event = (type: string, fields: object = {}) => ({ type, event_id: `event_${++ids}`, ...fields });
  const start = event('session.created');
  const made = (type: string) => event(`response.${type}`, { response: { id: 'r' } });
  const item = (what: string) => event(`response.output_item.${what}`, { response_id: 'r', item: { id: 'i' } });
  const part = (type: string) => event(`response.${type}`, { response_id: 'r', item_id: 'i', content_index: 0 });

  test.each([
    [
      'whole',
      [
        ...[start, made('created'), item('added'), part('content_part.added'), part('output_text.delta')],
        ...[part('output_text.done'), part('content_part.done'), item('done'), made('done')],
      ],
      undefined,
    ],
    ['no session', [event('response.created')], 'response.created comes first'],
    ['an id twice', [start, start], `the id ${start.event_id} comes twice`],
    ['not created', [start, item('added')], 'response.output_item.added: r was not created'],
    [
      'a delta too early',
      [start, made('created'), part('output_text.delta')],
      'response.output_text.delta: i/0 is not open',
    ],
    ['an open item', [start, made('created'), item('added'), made('done')], 'response.done: i of r is still open'],
    [
      'more after its end',
      [start, made('created'), made('done'), item('added')],
      'response.output_item.added: r is over',
    ],
  ] as const)('%s', (_, events, fault) => {
    expect(realtimeOrder(events)).toBe(fault);
  });
});
