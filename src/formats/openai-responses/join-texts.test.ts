/** Several texts of one turn are one message with one text, whole and streamed, since agents take the last message for the answer. */

import { describe, expect, test } from 'bun:test';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { expectValid } from '../../../test/harness/schema.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Part } from '../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';

function newContext() {
  let made = 0;
  return { request: {}, nowMs: 1_700_000_005_000, newId: (prefix: string) => `${prefix}${++made}` };
}

const replyOf = (parts: readonly Part[]): TextReply => ({
  id: 'r',
  model: 'm',
  createdAtMs: 1_700_000_000_000,
  candidates: [{ parts, finish: { reason: 'stop' } }],
  usage: { input: { total: 2 }, output: { total: 1 } },
});

/** Without ids, which are new each time. */
function bare(output: unknown): unknown {
  return JSON.parse(
    JSON.stringify(output, (key, value) => (key === 'id' || key.startsWith('parsed') ? undefined : value)),
  );
}

function whole(parts: readonly Part[]): unknown {
  const reply = JSON.parse(JSON.stringify(codec.writeReply(replyOf(parts), newContext()).value)) as Tree;
  expectValid('Response', reply);
  return bare(reply['output']);
}

/** What the official library adds up; it must be what the last event says. */
async function streamed(events: Iterable<StreamEvent>): Promise<unknown> {
  const writer = codec.streamWriter(newContext());
  const data = [...events]
    .map((event) => writer.write(event))
    .join('')
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)) as Tree);
  data.forEach((event, index) => {
    expect(event['sequence_number']).toBe(index);
    expectValid('ResponseStreamEvent', event);
  });
  const body = new ReadableStream({
    start(controller) {
      for (const event of data) controller.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
      controller.close();
    },
  });
  const added = bare((await ResponseStream.fromReadableStream(body).finalResponse()).output);
  const { response } = data.at(-1) as unknown as { readonly response: Tree };
  expect(added).toEqual(bare(response['output']));
  const announced = data.filter(({ type }) => type === 'response.output_text.annotation.added');
  const shown = (added as Tree[]).flatMap((item) =>
    ((item['content'] ?? []) as Tree[]).flatMap((part) => (part['annotations'] ?? []) as Tree[]),
  );
  expect(announced.map(({ annotation }) => annotation)).toEqual(shown);
  return added;
}

const message = (text: string, annotations: object[] = [], logprobs: object[] = []) => ({
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations, logprobs }],
});
const cite = (url: string, start_index: number, end_index: number) => ({
  type: 'url_citation',
  url,
  title: url,
  start_index,
  end_index,
});
const text = (said: string, ...citations: object[]): Part => ({
  type: 'text',
  text: said,
  ...(citations.length > 0 && { citations }),
});
const call: Part = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' };
const calledItem = { type: 'function_call', status: 'completed', arguments: '{}', call_id: 'c', name: 'f' };
const foreign: Part = { type: 'native', format: 'anthropic-messages', value: { type: 'server_tool_use' } };

const cases: readonly [string, readonly Part[], readonly object[]][] = [
  [
    'cited pieces of one sentence',
    [text('The weather in Oslo is '), text('sunny', { url: 'https://a/' }, { url: 'https://b/' }), text('.')],
    [message('The weather in Oslo is sunny.', [cite('https://a/', 23, 28), cite('https://b/', 23, 28)])],
  ],
  [
    'ranges within the pieces',
    [text('ab', { url: 'https://a/', start: 1, end: 2 }), text('cdef', { url: 'https://b/', start: 1, end: 3 })],
    [message('abcdef', [cite('https://a/', 1, 2), cite('https://b/', 3, 5)])],
  ],
  [
    'annotations of the format itself',
    [
      text('ab'),
      text('cd', {
        url: 'https://a/',
        native: { format: 'openai-responses', value: { ...cite('https://a/', 0, 2), title: 't' } },
      }),
    ],
    [message('abcd', [{ ...cite('https://a/', 2, 4), title: 't' }])],
  ],
  ['texts around a call', [text('a'), text('b'), call, text('c')], [message('ab'), calledItem, message('c')]],
  ['texts around what is lost', [text('a'), foreign, text('b'), text('c')], [message('a'), message('bc')]],
  [
    'likelihoods',
    [
      { type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -1 }] },
      { type: 'text', text: 'b', logprobs: [{ token: 'b', logprob: -2 }] },
    ],
    [
      message(
        'ab',
        [],
        [
          { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] },
          { token: 'b', logprob: -2, bytes: [98], top_logprobs: [] },
        ],
      ),
    ],
  ],
  [
    'a remark and the answer, each a message',
    [text('a'), { type: 'text', text: 'b', opensMessage: true }, text('c')],
    [message('a'), message('bc')],
  ],
  ['one text alone', [text('a', { url: 'https://a/' })], [message('a', [cite('https://a/', 0, 1)])]],
  [
    'a text beside a refusal',
    [text('a'), { type: 'refusal', text: 'no' }],
    [message('a'), { ...message(''), content: [{ type: 'refusal', refusal: 'no' }] }],
  ],
];

describe.each(cases)('%s', (_, parts, expected) => {
  test('whole', () => expect(whole(parts)).toEqual(expected));
  test('streamed', async () => expect(await streamed(unfold(replyOf(parts)))).toEqual(expected));
});

const at = (part: number) => ({ candidate: 0, part });
const opened = (part: number): StreamEvent => ({ type: 'part-start', ...at(part), opening: { type: 'text' } });
const said = (part: number, words: string): StreamEvent => ({ type: 'text-delta', ...at(part), text: words });
const ended = (part: number): StreamEvent => ({ type: 'part-end', ...at(part) });
const start: StreamEvent = { type: 'reply-start', id: 'r', model: 'm', createdAtMs: 0 };
const end: readonly StreamEvent[] = [
  { type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } },
  { type: 'reply-end' },
];

test('a citation that comes before its words covers them', async () => {
  const citation = { url: 'https://a/' };
  const events: StreamEvent[] = [
    ...[start, opened(0), said(0, 'ab'), ended(0), opened(1)],
    { type: 'citation', ...at(1), citation },
    ...[said(1, 'cd'), said(1, 'ef'), ended(1), opened(2), said(2, '.'), ended(2), ...end],
  ];
  expect(await streamed(events)).toEqual([message('abcdef.', [cite('https://a/', 2, 6)])]);
});

test('texts that are written at the same time stay apart', async () => {
  const events = [start, opened(0), opened(1), said(0, 'a'), said(1, 'b'), said(0, 'a'), ended(0), ended(1), ...end];
  expect(await streamed(events)).toEqual([message('aa'), message('b')]);
});

test('a failure between two texts keeps the first', () => {
  const writer = codec.streamWriter(newContext());
  const failure: StreamEvent = { type: 'failure', code: 'upstream_failed', message: 'cut' };
  const events = [start, opened(0), said(0, 'a'), ended(0), failure];
  const last = events.map((event) => writer.write(event)).at(-1) ?? '';
  const { response } = JSON.parse(last.slice(last.indexOf('{'))) as { readonly response: Tree };
  expect(bare(response['output'])).toEqual([{ ...message('a'), status: 'in_progress' }]);
});
