/** The oracles of the OpenAI formats reject what the reference excludes: unknown fields, wrong types, events in a wrong order. */

import { describe, expect, test } from 'bun:test';
import { ownRecording } from '../../harness/recordings.ts';
import { oracleFor, socketOracleFor } from '../../oracles/index.ts';
import { type ObservedReply, type OracleRequest, replyFault, serverSentEvents } from '../../oracles/oracle.ts';

const requestTo = (path: string, method = 'POST', headers: Record<string, string> = {}): OracleRequest => ({
  method,
  path,
  query: new URLSearchParams(),
  headers: new Headers(headers),
});

function faultOf(path: string, text: string, fields: Partial<ObservedReply> = {}): string | undefined {
  const request = requestTo(path);
  const oracle = oracleFor(request);
  if (oracle === undefined) throw new Error(`no oracle for ${path}`);
  return replyFault(oracle, { request, status: 200, contentType: 'application/json', text, complete: true, ...fields });
}

const streamFault = (path: string, text: string, complete = true) =>
  faultOf(path, text, { contentType: 'text/event-stream; charset=utf-8', complete });

const chatReply = JSON.parse(ownRecording('openai-chat/openai/text.json')) as Record<string, unknown>;
const chatLines = ownRecording('openai-chat/openai/padded-text.chunks.txt').trim().split('\n');
const chatStream = (lines: readonly string[]) => lines.map((line) => `data: ${line}\n\n`).join('');
const responseEvents = JSON.parse(
  `[${ownRecording('openai-responses/openai/phases.chunks.txt').trim().replaceAll('\n', ',')}]`,
) as { readonly type: string; readonly sequence_number: number }[];
const responseStream = (events: readonly { readonly type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

describe('which oracle judges', () => {
  test.each([
    ['/v1/chat/completions', 'POST', 'openai chat'],
    ['/openai/deployments/gpt/chat/completions', 'POST', 'openai chat'],
    ['/v1/completions', 'POST', 'openai completions'],
    ['/v1/responses', 'POST', 'openai responses'],
    ['/v1/responses/resp_1', 'GET', 'openai response, kept'],
    ['/v1/responses/resp_1', 'DELETE', 'openai response, deleted'],
    ['/v1/responses/resp_1/input_items', 'GET', 'openai responses input items'],
    ['/v1/models', 'GET', 'openai model list'],
    ['/v1/models/openai/gpt-4.1', 'GET', 'openai model'],
  ])('%s %s', (path, method, name) => {
    expect(oracleFor(requestTo(path, method))?.name).toBe(name);
  });

  test('a list of models in the shape of another vendor is another oracle’s', () => {
    expect(oracleFor(requestTo('/v1/models', 'GET', { 'anthropic-version': '2023-06-01' }))?.name).not.toBe(
      'openai model list',
    );
    expect(socketOracleFor('/v1/responses')).toBeDefined();
  });
});

describe('replies', () => {
  const chat = (fields: object) => faultOf('/v1/chat/completions', JSON.stringify({ ...chatReply, ...fields }));

  test('the documented reply passes', () => {
    expect(chat({})).toBeUndefined();
  });

  test.each([
    ['an unknown field', { surprise: 1 }],
    ['another object', { object: 'chat.completion.chunk' }],
    ['a time in text', { created: '1790000000' }],
    ['a tier that is none', { service_tier: 'turbo' }],
    ['usage without a total', { usage: { prompt_tokens: 1, completion_tokens: 1 } }],
    ['choices that are null', { choices: null }],
  ])('%s is a fault', (_, fields) => {
    expect(chat(fields)).toContain('openai chat: POST /v1/chat/completions 200');
  });

  test('errors have four texts', () => {
    const error = { message: 'm', type: 't', param: '', code: 'c' };
    const refused = (body: object) => faultOf('/v1/responses', JSON.stringify(body), { status: 400 });
    expect(refused({ error })).toBeUndefined();
    expect(refused({ error: { ...error, param: null } })).toBeDefined();
    expect(refused({ error, status: 400 })).toBeDefined();
    expect(faultOf('/v1/responses', '<html>', { status: 502 })).toContain('not JSON');
  });
});

describe('streams of chunks', () => {
  const fault = (lines: readonly string[], complete = true) =>
    streamFault('/v1/chat/completions', chatStream(lines), complete);
  const [first = '', second = ''] = chatLines;

  test('chunks, then [DONE]', () => {
    expect(fault([...chatLines, '[DONE]'])).toBeUndefined();
    expect(fault([first, '{"error":{"message":"m","type":"t","param":"","code":"c"}}'])).toBeUndefined();
    expect(fault([first], false)).toBeUndefined();
  });

  test.each([
    ['no end', [...chatLines]],
    ['something after [DONE]', [...chatLines, '[DONE]', second]],
    ['a choice that continues after its end', [...chatLines, second, '[DONE]']],
    ['a choice that never ends', [first, second, '[DONE]']],
    ['another id', [first, second.replace('chatcmpl-', 'chatcmpl-x'), '[DONE]']],
    ['no JSON', ['{"id":', '[DONE]']],
  ])('%s is a fault', (_, lines) => {
    expect(fault(lines)).toBeDefined();
  });
});

describe('streams of responses', () => {
  const fault = (events: readonly { readonly type: string }[], complete = true) =>
    streamFault('/v1/responses', responseStream(events), complete);
  const renumbered = (events: readonly { readonly type: string }[]) =>
    events.map((event, index) => ({ ...event, sequence_number: index }));
  const without = (type: string) => renumbered(responseEvents.filter((event) => event.type !== type));

  test('the documented order passes', () => {
    expect(fault(responseEvents)).toBeUndefined();
    expect(fault(responseEvents.slice(0, 5), false)).toBeUndefined();
  });

  test.each([
    ['no beginning', without('response.created')],
    ['an item that is never added', without('response.output_item.added')],
    ['a part that is never added', without('response.content_part.added')],
    ['an item that is never done', without('response.output_item.done')],
    ['no end', without('response.completed')],
    ['a number that goes back', [...responseEvents.slice(0, 3), ...responseEvents.slice(2)]],
    ['events after the end', renumbered([...responseEvents, ...responseEvents.slice(2, 3)])],
  ])('%s is a fault', (_, events) => {
    expect(fault(events)).toBeDefined();
  });

  test('the name of an event is its type', () => {
    const text = responseStream(responseEvents).replaceAll('event: response.completed', 'event: completed');
    expect(streamFault('/v1/responses', text)).toContain('is named completed');
  });
});

test('events are read as the standard says', () => {
  expect(serverSentEvents(': a comment\n\nevent: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata:3\n\ndata: cut')).toEqual([
    { name: 'a', data: '1\n2' },
    { name: undefined, data: '3' },
  ]);
});
