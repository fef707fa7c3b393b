/** The sandbox in every wire format: the same answers, the same misbehaviour, each in the format's own words. */

import { describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Caller, callers, type Json, type RequestOptions } from '../../../test/harness/callers.ts';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { drain, framesOf, readStream, readWhole, stillSandbox } from '../../../test/harness/sandbox.ts';
import { expectValid, type SchemaName } from '../../../test/harness/schema.ts';
import type { Part } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { formats } from '../../formats/all.ts';
import type { Format, FormatName } from '../../formats/format.ts';

const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
};

const schemas: Partial<Record<FormatName, { readonly whole: SchemaName; readonly event: SchemaName }>> = {
  'openai-chat': { whole: 'CreateChatCompletionResponse', event: 'CreateChatCompletionStreamResponse' },
  'openai-responses': { whole: 'Response', event: 'ResponseStreamEvent' },
};

/** A reply's id in the client of each format; the sandbox's own id is `id1`. */
const replyIds: Readonly<Record<FormatName, string>> = {
  'openai-chat': 'chatcmpl-id1',
  'openai-completions': 'cmpl-id1',
  'openai-responses': 'resp_id1',
  'anthropic-messages': 'msg_id1',
  'gemini-generate': 'id1',
  'cohere-chat': 'id1',
};

const post = (
  caller: Caller,
  turns: readonly unknown[],
  options: RequestOptions,
  box = stillSandbox(),
): Promise<Response> => box.post(caller.body(turns, options), undefined, caller.path(options));

interface ParsedReply {
  readonly raw: Json;
  readonly reply: TextReply;
}

async function whole(
  caller: Caller,
  turns: readonly unknown[],
  options: RequestOptions,
  box = stillSandbox(),
): Promise<ParsedReply> {
  const response = await post(caller, turns, options, box);
  const raw = (await response.json()) as Json;
  expect([response.status, raw.error ?? undefined]).toEqual([200, undefined]);
  const known = schemas[caller.format];
  if (known !== undefined) expectValid(known.whole, raw);
  return { raw, reply: readWhole(formats[caller.format], options.model, raw) };
}

async function streamed(caller: Caller, turns: readonly unknown[], options: RequestOptions): Promise<TextReply> {
  const response = await post(caller, turns, { ...options, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const text = await response.text();
  validateEvents(caller.format, text);
  const { events, reply } = readStream(formats[caller.format], options.model, text);
  expect(checkEvents(events)).toEqual([]);
  const tap = formats[caller.format].tap({ hidesUsage: false, usageInside: undefined });
  for (const { data = '', event } of framesOf(text)) tap.read(data, event);
  expect([tap.finished, tap.usage.output.total]).toEqual([true, reply.usage.output.total]);
  return reply;
}

function validateEvents(format: FormatName, text: string): void {
  const known = schemas[format];
  if (known === undefined) return;
  for (const { data = '' } of framesOf(text)) if (data !== '[DONE]') expectValid(known.event, JSON.parse(data));
}

const partsOf = (reply: TextReply): readonly Part[] => reply.candidates[0]?.parts ?? [];
const wordsOf = (reply: TextReply): string =>
  partsOf(reply)
    .map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : ''))
    .join('');
const callsOf = (reply: TextReply) =>
  partsOf(reply).flatMap((part) => (part.type === 'tool-call' ? [[part.name, JSON.parse(part.arguments)]] : []));

/** The format's own error object, wherever its envelope holds it. */
async function refusalOf(format: Format, response: Response) {
  const body = await response.text();
  return { status: response.status, fault: format.readFault(body), raw: JSON.parse(body) as Json };
}

describe.each(callers.map((caller) => [caller.format, caller] as const))('%s', (name, caller) => {
  const format = formats[name];
  const model = 'sandbox-chat';
  const question = ['what is 6*7?'];

  test('a text, whole', async () => {
    const { raw, reply } = await whole(caller, question, { model });
    expect(raw.id ?? raw.responseId).toBe(replyIds[name]);
    expect(wordsOf(reply)).toStartWith('6*7 = 42. ');
    expect(reply).toMatchObject({ model, candidates: [{ finish: { reason: 'stop' } }] });
    expect(reply.usage.input.total).toBe(3);
    expect(reply.usage.output.total).toBeGreaterThan(10);
  });

  test('a text, streamed: the same words and the same count', async () => {
    const { reply } = await whole(caller, question, { model });
    const stream = await streamed(caller, question, { model });
    expect(stream.candidates).toEqual(reply.candidates);
    expect(stream.usage).toEqual(reply.usage);
  });

  test('every reply has an id of its own', async () => {
    const box = stillSandbox();
    const [one, two] = [await whole(caller, question, { model }, box), await whole(caller, question, { model }, box)];
    expect(one.reply.id).not.toBe(two.reply.id);
  });

  test.if(caller.answer !== undefined)('calls at once, then the answer from their results', async () => {
    const turns = ['weather in Paris and in Rome'];
    const options = { model, tools: [weather] };
    const { raw, reply } = await whole(caller, turns, options);
    expect(callsOf(reply)).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Rome' }],
    ]);
    expect(reply.candidates[0]?.finish.reason).toBe('tool-calls');
    expect((await streamed(caller, turns, options)).candidates).toEqual(reply.candidates);
    const results = caller.answer?.(raw, '21 degrees') ?? [];
    const { reply: answer } = await whole(caller, [...turns, ...caller.echo(raw), ...results], options);
    expect(wordsOf(answer)).toStartWith('get_weather returned "21 degrees". get_weather returned "21 degrees".');
  });

  test.if(name !== 'openai-completions')('an answer that fits a schema', async () => {
    const turns = ['Paris has a population of 2100000.'];
    const { reply } = await whole(caller, turns, { model, schema });
    const value = JSON.parse(wordsOf(reply));
    expect(new Ajv2020().compile(schema)(value)).toBe(true);
    expect(value).toEqual({ city: 'Paris', population: 2_100_000 });
    expect(wordsOf(await streamed(caller, turns, { model, schema }))).toBe(wordsOf(reply));
  });

  test.each([true, false])('429 and 500 in the format, streaming %p', async (stream) => {
    const limited = await post(caller, question, { model: 'sandbox-429', stream });
    expect(limited.headers.get('retry-after')).toBe('1');
    const refused = await refusalOf(format, limited);
    expect(refused.status).toBe(429);
    expect(refused.fault?.message).toBe('sandbox-429 refuses every request. Please retry after 1 second.');
    const failed = await refusalOf(format, await post(caller, question, { model: 'sandbox-500', stream }));
    expect([failed.status, failed.fault?.message]).toEqual([500, 'sandbox-500 fails every request.']);
  });

  test('an unknown model, a body that is none, a field of the wrong kind', async () => {
    const unknown = await refusalOf(format, await post(caller, question, { model: 'nope' }));
    expect([unknown.status, unknown.fault?.message]).toEqual([404, "The sandbox has no model 'nope'."]);
    const path = caller.path({ model });
    expect((await refusalOf(format, await stillSandbox().post('{', undefined, path))).status).toBe(400);
    const empty = await refusalOf(format, await stillSandbox().post({ model }, undefined, path));
    expect(empty.status).toBe(400);
    expect(empty.fault?.message).toContain('is missing');
  });

  test('a refusal, whole and streamed', async () => {
    const { reply } = await whole(caller, question, { model: 'sandbox-refuse' });
    expect(wordsOf(reply)).toContain('refuses every request');
    expect(['refusal', 'content-filter']).toContain(reply.candidates[0]?.finish.reason ?? '');
    const stream = await streamed(caller, question, { model: 'sandbox-refuse' });
    expect(stream.candidates).toEqual(reply.candidates);
  });

  test('a cut stream has no end, a cut reply is no JSON', async () => {
    const { text, error } = await drain(await post(caller, question, { model: 'sandbox-cut', stream: true }));
    expect(error).toBeInstanceOf(Error);
    validateEvents(name, text);
    const tap = format.tap({ hidesUsage: false, usageInside: undefined });
    for (const { data = '', event } of framesOf(text)) tap.read(data, event);
    expect([tap.finished, tap.fault]).toEqual([false, undefined]);
    expect(framesOf(text).length).toBeGreaterThan(3);
    const short = await (await post(caller, question, { model: 'sandbox-cut' })).text();
    expect(() => JSON.parse(short)).toThrow(SyntaxError);
  });

  test('a malformed stream has one broken event, which the tap and the reader reject', async () => {
    const text = await (await post(caller, question, { model: 'sandbox-malformed', stream: true })).text();
    const tap = format.tap({ hidesUsage: false, usageInside: undefined });
    const broken = framesOf(text).filter(({ data = '', event }) => {
      try {
        tap.read(data, event);
        return false;
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return true;
      }
    });
    expect(broken.length).toBe(1);
    expect(() => readStream(format, model, text)).toThrow(SyntaxError);
    const response = await post(caller, question, { model: 'sandbox-malformed' });
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
  });
});

describe('what only one format says', () => {
  const callerOf = (name: FormatName): Caller => {
    const found = callers.find(({ format }) => format === name);
    if (found === undefined) throw new Error(`no caller ${name}`);
    return found;
  };
  const refused = async (name: FormatName, fields: Json, model = 'sandbox-chat') => {
    const caller = callerOf(name);
    return refusalOf(formats[name], await post(caller, ['hello'], { model, fields }));
  };

  test('a messages error is typed, a content-generation error has its status', async () => {
    expect((await refused('anthropic-messages', {}, 'sandbox-429')).raw).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
    });
    expect((await refused('gemini-generate', {}, 'sandbox-429')).raw).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED' },
    });
    expect((await refused('gemini-generate', {}, 'sandbox-500')).raw).toMatchObject({
      error: { code: 500, status: 'INTERNAL' },
    });
  });

  test('a thread is declined with the code that makes the library send everything', async () => {
    const { status, raw } = await refused('anthropic-messages', { thread: { type: 'create' } });
    expect(status).toBe(400);
    expect(raw.error).toMatchObject({ details: { error_code: 'thread_unsupported_request' } });
  });

  test('an earlier reply is not kept, several prompts are not taken', async () => {
    const earlier = await refused('openai-responses', { previous_response_id: 'resp_1' });
    expect([earlier.status, earlier.fault?.code]).toEqual([400, 'previous_response_not_found']);
    expect((await refused('openai-completions', { prompt: ['one', 'two'] })).status).toBe(400);
  });

  test('a stop sequence is named where the format can name it', async () => {
    const caller = callerOf('anthropic-messages');
    const { raw } = await whole(caller, ['hello'], { model: 'sandbox-chat', fields: { stop_sequences: ['sandbox'] } });
    expect([raw.stop_reason, raw.stop_sequence]).toEqual(['stop_sequence', 'sandbox']);
  });

  test('a name in the URL may hold what a URL cannot', async () => {
    const { status, fault } = await refusalOf(
      formats['gemini-generate'],
      await stillSandbox().post(
        { contents: [{ parts: [{ text: 'hi' }] }] },
        undefined,
        '/models/a/b%20c:free:generateContent',
      ),
    );
    expect([status, fault?.message]).toEqual([404, "The sandbox has no model 'a/b c:free'."]);
  });

  test('several candidates where the format has them', async () => {
    const fields = { generationConfig: { candidateCount: 2 } };
    const caller = callerOf('gemini-generate');
    const { reply } = await whole(caller, ['hello'], { model: 'sandbox-chat', fields });
    expect(reply.candidates.length).toBe(2);
    const stream = await streamed(caller, ['hello'], { model: 'sandbox-chat', fields });
    expect(stream.candidates).toEqual(reply.candidates);
  });

  test('a document is counted alike in every format that takes one', async () => {
    const words = 'three little words';
    const data = Buffer.from(words).toString('base64');
    const source = { type: 'text', media_type: 'text/plain', data: words };
    const turns: Partial<Record<FormatName, object>> = {
      'anthropic-messages': { role: 'user', content: [{ type: 'document', source }] },
      'gemini-generate': { role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data } }] },
      'openai-responses': {
        role: 'user',
        content: [{ type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${data}` }],
      },
      'openai-chat': {
        role: 'user',
        content: [{ type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${data}` } }],
      },
    };
    for (const [name, turn] of Object.entries(turns) as [FormatName, object][]) {
      const { reply } = await whole(callerOf(name), [turn], { model: 'sandbox-chat' });
      expect([name, wordsOf(reply)]).toEqual([name, expect.stringContaining('text/plain, 3 words, 18 bytes.')]);
    }
  });
});
