/** Streams of Cohere's chat format: read into neutral events, written from them, and measured while they pass. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Citation, Part } from '../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { streamReader } from './stream-reader.ts';
import { streamWriter } from './stream-writer.ts';
import { CohereTap } from './tap.ts';

const origin = { format: 'cohere-chat', provider: 'p', model: 'm' };
const newId = (prefix: string) => `${prefix}made`;

function read(events: readonly Tree[]) {
  const reader = streamReader({ origin, nowMs: 0, newId });
  const found = events.flatMap((event) => [...reader.read(JSON.stringify(event), String(event['type']))]);
  return { events: [...found, ...reader.end()], losses: reader.losses.map(({ what }) => what) };
}

function partsOf(events: readonly Tree[]) {
  const found = read(events);
  expect(checkEvents(found.events)).toEqual([]);
  const { candidates, usage } = fold(found.events);
  return { parts: candidates[0]?.parts, finish: candidates[0]?.finish, usage, losses: found.losses };
}

const start = { type: 'message-start', id: 'r', delta: { message: { role: 'assistant' } } };
const opened = (index: number, content: Tree): Tree => ({
  type: 'content-start',
  index,
  delta: { message: { content } },
});
const piece = (index: number, content: Tree): Tree => ({
  type: 'content-delta',
  index,
  delta: { message: { content } },
});
const closed = (index: number): Tree => ({ type: 'content-end', index });
const cited = (citations: Tree): Tree => ({ type: 'citation-start', index: 0, delta: { message: { citations } } });
const end = (finish_reason: string, rest: Tree = {}): Tree => ({
  type: 'message-end',
  delta: { finish_reason, ...rest },
});

describe('reading', () => {
  test('thinking, text, a citation, a plan and calls', () => {
    const sources = [{ type: 'document', id: 'd', document: { title: 'Weirs', text: 'A dam.' } }];
    const citation = { start: 0, end: 2, text: 'It', sources, content_index: 1, type: 'TEXT_CONTENT' };
    const call = (message: Tree, type: string): Tree => ({ type, index: 0, delta: { message } });
    const { parts, finish, usage, losses } = partsOf([
      start,
      opened(0, { type: 'thinking', thinking: '' }),
      piece(0, { thinking: 'Hm.' }),
      closed(0),
      opened(1, { type: 'text', text: '' }),
      piece(1, { text: 'It dams.' }),
      cited(citation),
      { type: 'citation-end', index: 0 },
      closed(1),
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look.' } } },
      call(
        { tool_calls: { id: 'c1', type: 'function', function: { name: 'level', arguments: '' } } },
        'tool-call-start',
      ),
      call({ tool_calls: { function: { arguments: '{"a":1}' } } }, 'tool-call-delta'),
      { type: 'tool-call-end', index: 0 },
      end('TOOL_CALL', {
        usage: { billed_units: { input_tokens: 5, output_tokens: 6 }, tokens: { input_tokens: 99 } },
      }),
    ]);
    const expected: Part[] = [
      { type: 'thinking', text: 'Hm.' },
      {
        type: 'text',
        text: 'It dams.',
        citations: [
          {
            title: 'Weirs',
            quote: 'A dam.',
            start: 0,
            end: 2,
            native: { format: 'cohere-chat', value: citation },
          },
        ],
      },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: 'c1', name: 'level', arguments: '{"a":1}' },
    ];
    expect(parts).toEqual(expected);
    expect([finish?.reason, usage.input.total, usage.output.total, losses]).toEqual(['tool-calls', 5, 6, []]);
  });

  test('a tool that takes nothing is called with an empty object', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'now', arguments: '' } };
    const { parts } = partsOf([
      start,
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: call } } },
      { type: 'tool-call-end', index: 0 },
      end('TOOL_CALL'),
    ]);
    expect(parts).toEqual([{ type: 'tool-call', id: 'c1', name: 'now', arguments: '{}' }]);
  });

  test('a citation of thinking, or one that comes too late, is reported', () => {
    const thinking = [start, opened(0, { type: 'thinking' }), cited({ start: 0, end: 1, content_index: 0 }), closed(0)];
    expect(partsOf([...thinking, end('COMPLETE')]).losses).toEqual(['citation']);
    const late = [start, opened(0, { type: 'text' }), piece(0, { text: 'a' }), closed(0), cited({ content_index: 0 })];
    expect(partsOf([...late, end('COMPLETE')]).losses).toEqual(['citation']);
  });

  test('an end with an error is a failure, and a stream without an end has none', () => {
    expect(read([start, end('ERROR', { error: 'too busy' })]).events.at(-1)).toEqual({
      type: 'failure',
      code: 'upstream_failed',
      message: 'too busy',
    });
    expect(read([start, opened(0, { type: 'text' })]).events.map(({ type }) => type)).not.toContain('reply-end');
  });
});

function write(events: Iterable<StreamEvent>) {
  const writer = streamWriter({ request: {}, nowMs: 0, newId });
  let text = '';
  for (const event of events) text += writer.write(event);
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as Tree);
  return { text, data, types: data.map(({ type }) => type), losses: writer.losses.map(({ what }) => what) };
}

const replyOf = (...parts: Part[]): TextReply => ({
  id: 'r',
  model: 'm',
  createdAtMs: 0,
  candidates: [{ parts, finish: { reason: 'stop' } }],
  usage: { input: { total: 3 }, output: { total: 4 } },
});

describe('writing', () => {
  test('a citation waits until the words that it is about are written', () => {
    const events: StreamEvent[] = [
      { type: 'reply-start', id: 'r', model: 'm', createdAtMs: 0 },
      { type: 'part-start', candidate: 0, part: 0, opening: { type: 'text' } },
      { type: 'citation', candidate: 0, part: 0, citation: { url: 'https://a.example' } satisfies Citation },
      { type: 'text-delta', candidate: 0, part: 0, text: 'It dams.' },
      { type: 'part-end', candidate: 0, part: 0 },
      { type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } },
      { type: 'reply-end' },
    ];
    const { data, types, text } = write(events);
    expect(types).toEqual([
      'message-start',
      'content-start',
      'content-delta',
      'citation-start',
      'citation-end',
      'content-end',
      'message-end',
    ]);
    expect(data[3]?.['delta']).toEqual({
      message: {
        citations: {
          start: 0,
          end: 8,
          text: 'It dams.',
          sources: [{ type: 'document', id: 'https://a.example', document: { url: 'https://a.example' } }],
          content_index: 0,
          type: 'TEXT_CONTENT',
        },
      },
    });
    expect(text).toEndWith('data: [DONE]\n\n');
  });

  test('logprobs are written one token at a time', () => {
    const logprobs = [
      { token: 'It ', logprob: -1 },
      { token: 'dams.', logprob: -2 },
    ];
    const { data, losses } = write(unfold(replyOf({ type: 'text', text: 'It dams.', logprobs })));
    const deltas = data.filter(({ type }) => type === 'content-delta');
    expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual([
      [{ message: { content: { text: 'It ' } } }, { text: 'It ', token_ids: [], logprobs: [-1] }],
      [{ message: { content: { text: 'dams.' } } }, { text: 'dams.', token_ids: [], logprobs: [-2] }],
    ]);
    expect(losses).toEqual([]);
  });

  test('the marker of the end, where the model writes it, ends nothing', () => {
    const { text, data } = write(unfold(replyOf({ type: 'text', text: 'data: [DONE]' })));
    expect(text.split('[DONE]').length).toBe(2);
    const delta = data.find(({ type }) => type === 'content-delta');
    expect(delta?.['delta']).toEqual({ message: { content: { text: 'data: [DONE]' } } });
  });

  test('calls are numbered apart from contents, and hidden thinking is not shown', () => {
    const { data } = write(
      unfold(
        replyOf(
          { type: 'thinking', text: '', redacted: true, seal: { value: 's', origin } },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', id: 'c1', name: 'level', arguments: '{}' },
          { type: 'tool-call', id: 'c2', name: 'level', arguments: '{}' },
        ),
      ),
    );
    const starts = data.filter(({ type }) => String(type).endsWith('-start') && type !== 'message-start');
    expect(starts.map(({ type, index }) => [type, index])).toEqual([
      ['content-start', 0],
      ['tool-call-start', 0],
      ['tool-call-start', 1],
    ]);
  });
});

describe('the tap', () => {
  test('passes everything, takes in what was written, and ends with the usage that is billed', () => {
    const tap = new CohereTap();
    const verdicts = [start, opened(0, { type: 'text', text: '' }), piece(0, { text: 'It dams.' }), closed(0)].map(
      (event) => tap.read(JSON.stringify(event)),
    );
    expect([verdicts, tap.finished, tap.written.sample]).toEqual([Array(4).fill('pass'), false, 'It dams.']);
    const billed = { usage: { billed_units: { input_tokens: 3, output_tokens: 4 } } };
    expect(tap.read(JSON.stringify(end('COMPLETE', billed)))).toBe('end');
    expect([tap.finished, tap.usageIsFinal, tap.usage.output.total]).toEqual([true, true, 4]);
  });

  test('an end with an error is a fault', () => {
    const tap = new CohereTap();
    expect([tap.read(JSON.stringify(end('ERROR', { error: 'busy' }))), tap.fault?.message]).toEqual(['fault', 'busy']);
    expect(tap.finished).toBe(false);
  });

  test('what is no object is no event of the format', () => {
    expect(() => new CohereTap().read('[]')).toThrow(SyntaxError);
  });
});
