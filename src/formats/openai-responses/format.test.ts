import { describe, expect, test } from 'bun:test';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { codec } from './codec.ts';
import { openaiResponses as format } from './format.ts';
import { inputItemsOf, outputItemsOf } from './items.ts';

const body = (fields: Tree): Tree => ({ model: 'm', input: 'Hi', ...fields });

describe('checks', () => {
  test('the facts', () => {
    expect(format.check(body({ stream: true, max_output_tokens: 7 }), 100)).toEqual({
      model: 'm',
      stream: true,
      candidates: 1,
      outputTokensMax: 7,
      inputTokensMax: 100,
    });
  });

  test('an image counts by its kind, not by its length', () => {
    const image_url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    expect(format.check(body({ input }), 1_000_100).inputTokensMax).toBeLessThan(10_000);
  });

  test.each<[string, Tree]>([
    ['model', { model: undefined }],
    ['model', { model: '' }],
    ['model', { model: 7 }],
    ['input', { input: undefined }],
    ['input', { input: '' }],
    ['input', { input: [] }],
    ['input', { input: 7 }],
    ['input[0]', { input: ['x'] }],
    ['input[0].role', { input: [{ content: 'x' }] }],
    ['input[0].content', { input: [{ role: 'user', content: 7 }] }],
    ['stream', { stream: 'yes' }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['max_output_tokens', { max_output_tokens: 1e12 }],
    ['temperature', { temperature: '1' }],
    ['temperature', { temperature: -1 }],
    ['top_logprobs', { top_logprobs: 21 }],
    ['tools', { tools: {} }],
    ['text', { text: 'x' }],
    ['reasoning', { reasoning: [] }],
    ['metadata', { metadata: 'x' }],
    ['store', { store: 1 }],
    ['previous_response_id', { previous_response_id: 7 }],
  ])('%s is named', (param, fields) => {
    const thrown = (() => {
      try {
        format.check(body(fields), 10);
        return undefined;
      } catch (error) {
        return error as GatewayError;
      }
    })();
    expect([thrown?.param, thrown?.status]).toEqual([param, 400]);
  });

  test('nulls set nothing, and the input may be omitted if another field gives it', () => {
    const nulls = ['stream', 'max_output_tokens', 'temperature', 'tools', 'text', 'reasoning', 'store', 'user'];
    expect(format.check(body(Object.fromEntries(nulls.map((name) => [name, null]))), 10).stream).toBe(false);
    expect(format.check({ model: 'm', previous_response_id: 'resp_1' }, 10).model).toBe('m');
    expect(format.check({ model: 'm', prompt: { id: 'p' } }, 10).model).toBe('m');
  });
});

test('only the model is ever edited', () => {
  const none = format.patch(body({ stream: true }), { upstreamModel: undefined, mayAskUsage: true });
  expect([...none.edits]).toEqual([]);
  const one = format.patch(body({}), { upstreamModel: 'x"y', mayAskUsage: true });
  expect([...one.edits]).toEqual([['model', '"x\\"y"']]);
});

describe('the tap', () => {
  const tap = () => format.tap({ hidesUsage: false, usageInside: undefined });
  const event = (type: string, fields: Tree = {}): string => JSON.stringify({ type: `response.${type}`, ...fields });

  test('adds up what the model wrote', () => {
    const seen = tap();
    for (const name of [
      'output_text',
      'refusal',
      'reasoning_text',
      'reasoning_summary_text',
      'function_call_arguments',
    ]) {
      expect(seen.read(event(`${name}.delta`, { delta: `${name} `, item_id: 'fc_1' }), undefined)).toBe('pass');
    }
    seen.read(event('function_call_arguments.done', { item_id: 'fc_1', arguments: 'again' }), undefined);
    seen.read(event('function_call_arguments.done', { item_id: 'fc_2', arguments: '{}' }), undefined);
    seen.read(event('output_item.added', { item: { type: 'function_call', name: 'f' } }), undefined);
    seen.read(event('audio.delta', { delta: 'AAAA' }), undefined);
    expect(seen.written.sample).toBe(
      'output_text refusal reasoning_text reasoning_summary_text function_call_arguments {}f',
    );
    expect(seen.sequence).toBe(8);
  });

  test('a failed reply is a fault in the words of the provider, and its usage counts', () => {
    const seen = tap();
    seen.read(event('created', { response: { id: 'resp_1' }, sequence_number: 0 }), undefined);
    const response = { error: { code: 'c', message: 'm' }, usage: { input_tokens: 1, output_tokens: 2 } };
    expect(seen.read(event('failed', { response, sequence_number: 1 }), undefined)).toBe('fault');
    expect(seen.fault).toMatchObject({ code: 'c', message: 'm' });
    expect(seen.usage.output.total).toBe(2);
    expect([seen.finished, seen.sequence, seen.reply]).toEqual([false, 0, { id: 'resp_1' }]);
  });

  test.each(['{', '7', 'null', '"text"', '', '{}'])('%p is not an event', (data) => {
    expect(() => tap().read(data, undefined)).toThrow();
  });

  test('impossible usage is none', () => {
    const seen = tap();
    const verdict = seen.read(
      event('completed', { response: { usage: { input_tokens: -1, output_tokens: 2 } } }),
      undefined,
    );
    expect([verdict, seen.usage]).toEqual(['end', { input: {}, output: {} }]);
  });
});

test('a whole reply is measured by its usage, or by its text', () => {
  const output = [
    {
      type: 'message',
      content: [
        { type: 'output_text', text: 'Hi' },
        { type: 'refusal', refusal: 'no' },
      ],
    },
    { type: 'function_call', name: 'f', arguments: '{}' },
  ];
  expect(format.measureReply({ output }).written.sample).toBe('Hinof{}');
  const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 1 };
  expect(format.measureReply({ output, usage })).toMatchObject({ usage: { input: { total: 9, cacheRead: 4 } } });
  expect(() => format.measureReply({ error: {} })).toThrow(SyntaxError);
});

describe('errors', () => {
  const error = new GatewayError('upstream_failed', 'It "broke".');
  const frames = (text: string): Tree[] =>
    text
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.split('\n')[1]?.slice('data: '.length) ?? '') as Tree);
  const finalOf = async (events: readonly Tree[]) => {
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    return await ResponseStream.fromReadableStream(new Response(text).body as ReadableStream).finalResponse();
  };

  test('the envelope', () => {
    const written = JSON.parse(format.errorBody(error, { requestId: 'r', ownLibrary: false }));
    expectValid('ErrorResponse', written);
    expect(written.error).toEqual({
      message: 'It "broke".',
      type: 'upstream_error',
      param: '',
      code: 'upstream_failed',
    });
  });

  test('a stream that broke ends as a failed reply, under the id that was announced', async () => {
    const context = { request: {}, nowMs: 5_000, newId: (prefix: string) => `${prefix}1` };
    const writer = codec.streamWriter(context);
    const begun = frames(writer.write({ type: 'reply-start', id: 'resp_1', model: 'm', createdAtMs: 1_000 }));
    const tap = format.tap({ hidesUsage: false, usageInside: undefined });
    for (const event of begun) tap.read(JSON.stringify(event), undefined);
    const { sequence, reply } = tap;
    const [last] = frames(format.errorEvent(error, { requestId: 'r', ownLibrary: true, sequence, reply }));
    expectValid('ResponseStreamEvent', last);
    expect(last).toMatchObject({ type: 'response.failed', sequence_number: 2 });
    const final = await finalOf([...begun, last ?? {}]);
    expect(final).toMatchObject({
      id: 'resp_1',
      status: 'failed',
      error: { code: 'server_error', message: 'It "broke".' },
    });
  });

  test('and also where none was announced', async () => {
    const events = frames(format.errorEvent(error, { requestId: 'r', ownLibrary: true }));
    for (const event of events) expectValid('ResponseStreamEvent', event);
    expect(events.map((event) => [event['type'], event['sequence_number']])).toEqual([
      ['response.created', 0],
      ['response.failed', 1],
    ]);
    expect((await finalOf(events)).status).toBe('failed');
  });

  test('codes that programs look for are kept, a provider of another kind is not quoted as code', () => {
    const code = (providerCode: string): unknown => {
      const said = new GatewayError('upstream_failed', 'm', { providerCode });
      const event = frames(format.errorEvent(said, { requestId: 'r', ownLibrary: true })).at(-1);
      return (event as { response?: { error?: Tree } } | undefined)?.response?.error?.['code'];
    };
    expect(code('context_length_exceeded')).toBe('context_length_exceeded');
    expect(code('weird')).toBe('server_error');
  });

  test('what a provider said', () => {
    expect(format.readFault('{"error":{"message":"m","code":"c","param":null,"type":"t"}}')).toEqual({
      message: 'm',
      code: 'c',
      type: 't',
      param: undefined,
    });
    expect(format.readFault('{"detail":"d"}')?.message).toBe('d');
    expect(format.readFault('<html>')).toBeUndefined();
  });
});

test('turns in wire form', () => {
  expect(inputItemsOf({ input: 'Hi' })).toEqual([{ type: 'message', role: 'user', content: 'Hi' }]);
  const items = [{ role: 'user', content: 'Hi' }];
  expect(inputItemsOf({ input: items })).toBe(items);
  expect(inputItemsOf({})).toEqual([]);
  expect(outputItemsOf({ output: items })).toBe(items);
  expect(outputItemsOf({})).toEqual([]);
});

test('a reply that arrived whole and failed is no reply', () => {
  const failed = { id: 'resp_1', status: 'failed', output: [], error: { code: 'c', message: 'm' } };
  const context = { origin: { format: 'f', provider: 'p', model: 'm' }, nowMs: 0, newId: () => '' };
  expect(() => codec.readReply(failed, context)).toThrow(GatewayError);
  expect(() => codec.readReply({ error: {} }, context)).toThrow(SyntaxError);
});
