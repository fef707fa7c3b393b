/** The model that thinks: thoughts as long as they are wanted, and signatures that survive a tool loop in every format. */

import { describe, expect, test } from 'bun:test';
import { type Caller, callers, type Json } from '../../../test/harness/callers.ts';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { readContext, readStream, readWhole, stillSandbox } from '../../../test/harness/sandbox.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import type { Message, Part, ThinkingPart, ToolCallPart } from '../../conversation/parts.ts';
import { repair } from '../../conversation/repair/repair.ts';
import { sealPrefix } from '../../conversation/seals/seal.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { requestDefaults, type TextRequest, type Thinking } from '../../conversation/text-request.ts';
import { formats } from '../../formats/all.ts';
import type { FormatName } from '../../formats/format.ts';
import { countTokens } from '../tokens.ts';
import { converse } from './converse.ts';
import { checkSeals, sealThought } from './seals.ts';

const model = 'sandbox-reasoner';
const origin = { format: 'neutral', provider: 'sandbox', model };
const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const ask = (text: string, fields: Partial<TextRequest> = {}): TextReply =>
  converse(
    {
      model,
      messages: [user(text)],
      ...requestDefaults,
      ...fields,
    },
    { id: '1', createdAtMs: 5, origin },
  );
const partsOf = (reply: TextReply): readonly Part[] => reply.candidates[0]?.parts ?? [];
const thoughtOf = (reply: TextReply): ThinkingPart | undefined =>
  partsOf(reply).find((part): part is ThinkingPart => part.type === 'thinking');
const saidIn = (reply: TextReply): string =>
  partsOf(reply)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');

describe('thoughts', () => {
  test('come first and say what it got and why it answers so', () => {
    const reply = ask('what is 6*7?');
    expect(partsOf(reply).map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(thoughtOf(reply)?.text).toBe(
      'I have 1 message, 3 words, 0 tools. There is no tool to call, so I answer. I work out 6*7 = 42. The last message is "what is 6*7?".',
    );
  });

  test('name the tool and the reason', () => {
    const reason = (text: string, fields: Partial<TextRequest> = {}) =>
      thoughtOf(ask(text, { tools: [weather, { name: 'ping' }], ...fields }))?.text;
    expect(reason('weather in Paris')).toContain('I call get_weather, since the message says "weather".');
    expect(reason('do a ping')).toContain('I call ping, since the message names it.');
    expect(reason('Oslo', { toolChoice: { kind: 'tool', name: 'get_weather' } })).toContain(
      'I call get_weather, since the caller demands it.',
    );
    expect(reason('a joke', { toolChoice: { kind: 'required' } })).toContain('since a call is required');
    expect(reason('weather in Paris and in Rome')).toContain('since the message continues with another object for it.');
    expect(reason('a joke')).toContain('No tool fits the message, so I answer.');
    expect(reason('weather in Oslo', { toolChoice: { kind: 'none' } })).toContain('I may not call a tool');
  });

  test('are counted apart from the answer', () => {
    const reply = ask('hello');
    const thinking = countTokens(thoughtOf(reply)?.text ?? '');
    const text = countTokens(saidIn(reply));
    expect(reply.usage.output).toEqual({ total: thinking + text, text, thinking, audio: 0 });
    const three = ask('hello', { candidates: 3 });
    expect(three.usage.output.thinking).toBe(3 * thinking);
  });

  const tokensWith = (thinking: Thinking, fields: Partial<TextRequest> = {}): number =>
    ask('what is 6*7?', { thinking, ...fields }).usage.output.thinking ?? -1;

  test.each([
    { mode: 'off' },
    { effort: 'none' },
    { budgetTokens: 0 },
  ] as const)('there are none with %p', (thinking) => {
    const reply = ask('hello', { thinking });
    expect(partsOf(reply).map(({ type }) => type)).toEqual(['text']);
    expect(reply.usage.output.thinking).toBe(0);
  });

  test('keep to a budget, to an effort and to half of the reply', () => {
    const whole = tokensWith({ mode: 'on' });
    expect(tokensWith({ budgetTokens: whole })).toBe(whole);
    const shorter = tokensWith({ budgetTokens: whole - 1 });
    expect(shorter).toBeLessThan(whole);
    expect(shorter).toBeGreaterThan(whole / 2);
    expect(tokensWith({ budgetTokens: 3 })).toBe(3);
    const byEffort = ['minimal', 'low', 'medium', 'high'].map((effort) => tokensWith({ effort }));
    expect(byEffort).toEqual([...byEffort].sort((one, other) => one - other));
    expect(byEffort[0]).toBeLessThanOrEqual(12);
    expect(byEffort[0]).toBeLessThan(byEffort[3] ?? 0);
    expect(tokensWith({ mode: 'on' }, { maxOutputTokens: 20 })).toBeLessThanOrEqual(10);
    expect(ask('hello', { maxOutputTokens: 20 }).usage.output.total).toBe(20);
    expect(tokensWith({ mode: 'on' }, { maxOutputTokens: 1 })).toBe(0);
  });

  test('are hidden on request, and then their seal carries them', () => {
    const shown = thoughtOf(ask('hello'));
    const unseen = thoughtOf(ask('hello', { thinking: { visible: false } }));
    expect(unseen).toEqual({
      type: 'thinking',
      text: '',
      seal: { value: sealThought(shown?.text ?? '', true), origin },
    });
    const redacted = thoughtOf(ask('Please Redact your thinking.'));
    expect(redacted).toMatchObject({ text: '', redacted: true });
    expect(Buffer.from(redacted?.seal?.value ?? '', 'base64').toString('latin1')).toContain('I have 1 message');
  });

  test('are the same for the same request', () => expect(ask('hello')).toEqual(ask('hello')));
});

describe('seals', () => {
  const turn = (parts: readonly Part[]): Message[] => [{ role: 'assistant', parts }];
  const made = partsOf(ask('weather in Paris', { tools: [weather] }));
  const [thought, call] = made as [ThinkingPart, ToolCallPart];

  test('of thoughts and calls hold as they are', () => {
    expect(checkSeals(turn(made))).toEqual({ verified: 2, mismatched: 0, unsigned: 0 });
  });

  test('hold for arguments that were parsed and printed again', () => {
    const printed = { ...call, id: 'other', arguments: '{ "city" : "Paris" }' };
    expect(checkSeals(turn([printed]))).toEqual({ verified: 1, mismatched: 0, unsigned: 0 });
  });

  test('hold for hidden thoughts, whether or not they are said to be redacted', () => {
    const seal = { value: sealThought('secret', true), origin };
    expect(checkSeals(turn([{ type: 'thinking', text: '', seal }])).verified).toBe(1);
  });

  test('break with the least change', () => {
    const changed: Part[] = [
      { ...thought, text: `${thought.text} ` },
      { ...call, arguments: '{"city":"Rome"}' },
      { ...call, name: 'get_time' },
      { ...thought, seal: { value: 'AAAA', origin } },
      { ...thought, seal: { value: '', origin } },
      { ...thought, text: '' },
      { ...call, ...(thought.seal && { seal: thought.seal }) },
    ];
    for (const part of changed) expect(checkSeals(turn([part])).mismatched).toBe(1);
  });

  test('are missed on turns with calls, and only where thinking is wanted', () => {
    const { seal: _, ...bare } = call;
    const messages: Message[] = [
      user('weather in Paris'),
      { role: 'assistant', parts: [bare] },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: call.id, parts: [{ type: 'text', text: '21' }], failed: false }],
      },
    ];
    expect(checkSeals(messages)).toEqual({ verified: 0, mismatched: 0, unsigned: 1 });
    expect(saidIn(ask('', { messages, tools: [weather] }))).toEndWith('1 tool turn came back without a signature.');
    expect(saidIn(ask('', { messages, tools: [weather], thinking: { mode: 'off' } }))).not.toContain('signature');
  });

  test('a call that was cut off is not signed', () => {
    const cut = partsOf(ask('weather in Paris', { tools: [weather], maxOutputTokens: 2, thinking: { mode: 'off' } }));
    const kept = cut[0] as ToolCallPart;
    expect([kept.type, kept.arguments, kept.seal]).toEqual(['tool-call', '{"city":"Paris"}', call.seal]);
    const long = { ...weather, parameters: { ...weather.parameters, required: ['city', 'unit'] } };
    const parts = partsOf(ask('weather in New York', { tools: [long], maxOutputTokens: 2, thinking: { mode: 'off' } }));
    expect([parts[0]?.type, parts[0] !== undefined && 'seal' in parts[0]]).toEqual(['tool-call', false]);
  });
});

/** How many signatures of a thought and two calls each format gives back. */
const carriedSeals: Partial<Readonly<Record<FormatName, number>>> = {
  'openai-chat': 2,
  'openai-responses': 1,
  'anthropic-messages': 1,
  'gemini-generate': 3,
};

const signatures = (count: number): string => `${count} signature${count === 1 ? '' : 's'}`;
const verified = (count: number): string => `I verified ${signatures(count)} of my earlier turns.`;

const talkers = callers.filter((caller) => caller.answer !== undefined);

describe.each(talkers.map((caller) => [caller.format, caller] as const))('a tool loop in %s', (name, caller) => {
  const format = formats[name];
  const options = { model, tools: [weather] };
  const question = ['weather in Paris and in Rome'];
  const box = stillSandbox();
  const send = async (body: Json): Promise<Json> => {
    const response = await box.post(body, undefined, caller.path(options));
    expect(response.status).toBe(200);
    const raw = (await response.json()) as Json;
    if (name === 'openai-chat') expectValid('CreateChatCompletionResponse', raw);
    if (name === 'openai-responses') expectValid('Response', raw);
    return raw;
  };
  const talk = (turns: readonly unknown[], asked = options) => send(caller.body(turns, asked));
  const read = (raw: Json) => readWhole(format, model, raw);
  const loop = (raw: Json, turns: readonly unknown[] = question) => [
    ...turns,
    ...caller.echo(raw),
    ...(caller.answer?.(raw, '21 degrees') ?? []),
  ];
  const carried = carriedSeals[name] ?? 0;

  test('given back as it came', async () => {
    const raw = await talk(question);
    expect(partsOf(read(raw)).map(({ type }) => type)).toEqual(['thinking', 'tool-call', 'tool-call']);
    const answer = read(await talk(loop(raw)));
    expect(saidIn(answer)).toStartWith('get_weather returned "21 degrees".');
    expect(saidIn(answer)).toEndWith(verified(carried));
    expect(thoughtOf(answer)?.text).toContain('2 results came back, so an answer is due.');
    expect(answer.usage.output.thinking ?? countTokens(thoughtOf(answer)?.text ?? '')).toBeGreaterThan(5);
  });

  test.if(name !== 'openai-chat')('given back through the neutral form, which unwraps the signatures', async () => {
    const first = await talk(question);
    const second = await send(asRelayed(caller, loop(first)));
    expect(saidIn(read(second))).toEndWith(verified(carried));
    // The relay wraps what came back that way, so that the client now holds a wrapping around a wrapping.
    const rewrapped = format.codec.writeReply(read(second), { ...readContext(format, model), request: {} })
      .value as Json;
    const turns = [...loop(first), ...caller.echo(rewrapped), 'and again'];
    const third = await send(asRelayed(caller, turns));
    expect(saidIn(read(third))).toContain(verified(carried + 1));
    expect(saidIn(read(third))).not.toContain('did not match');
  });

  test('streamed, the same thoughts, calls and seals', async () => {
    const asked = { ...options, stream: true };
    const response = await stillSandbox().post(caller.body(question, asked), undefined, caller.path(asked));
    const { events, reply } = readStream(format, model, await response.text());
    expect(checkEvents(events)).toEqual([]);
    const fresh = await stillSandbox().post(caller.body(question, options), undefined, caller.path(options));
    const whole = read((await fresh.json()) as Json);
    expect(reply.candidates).toEqual(whole.candidates);
    expect(reply.usage).toEqual(whole.usage);
  });

  test('changed on the way', async () => {
    const turns = loop(await talk(question));
    const changed = JSON.parse(JSON.stringify(turns).replaceAll('Paris', 'Prague').replaceAll('I have 1', 'I have 2'));
    const broken = name === 'gemini-generate' ? 2 : 1;
    expect(saidIn(read(await talk(changed)))).toContain(`${signatures(broken)} did not match.`);
  });

  test('without its signatures', async () => {
    const bare = JSON.parse(
      JSON.stringify(loop(await talk(question)), (key, value) =>
        ['extra_content', 'thoughtSignature', 'signature', 'encrypted_content'].includes(key) ? undefined : value,
      ),
    );
    expect(saidIn(read(await talk(bare)))).toEndWith('1 tool turn came back without a signature.');
  });

  test.if(name !== 'openai-chat')('with redacted thinking', async () => {
    const turns = ['weather in Paris. Redact your thinking.'];
    const raw = await talk(turns);
    expect(JSON.stringify(raw)).not.toContain('I call get_weather');
    const [thought] = partsOf(read(raw));
    expect(thought).toMatchObject({ type: 'thinking', text: '' });
    const said = verified(name === 'gemini-generate' ? 2 : 1);
    expect(saidIn(read(await talk(loop(raw, turns))))).toEndWith(said);
    expect(saidIn(read(await send(asRelayed(caller, loop(raw, turns)))))).toEndWith(said);
  });
});

/** The body as the relay sends it where it finds signatures that it wrapped. */
function asRelayed(caller: Caller, turns: readonly unknown[]): Json {
  const { codec, name } = formats[caller.format];
  const target = { format: name, provider: 'sandbox', model };
  const asked = codec.readRequest(caller.body(turns, { model, tools: [weather] }), { model, stream: false }).value;
  const { value } = repair(asked, codec.rules, target);
  const body = codec.writeRequest(value, { origin: target, profile: {}, quirks: {} }).value as Json;
  expect(JSON.stringify(caller.body(turns, { model }))).toContain(sealPrefix);
  return body;
}

test('a raw signature on a call of the chat format is taken as well', async () => {
  const [chat] = callers;
  if (chat === undefined) throw new Error('no callers');
  const made = partsOf(ask('weather in Paris', { tools: [weather] }))[1] as ToolCallPart;
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: made.name, arguments: made.arguments },
    extra_content: { google: { thought_signature: made.seal?.value } },
  };
  const turns = [
    'weather in Paris',
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '21' },
  ];
  const response = await stillSandbox().post(chat.body(turns, { model, tools: [weather] }));
  expect(await response.text()).toContain(verified(1));
});

test('a raw signature of the responses format is taken under the id of any item, and items have ids of their own', async () => {
  const path = '/responses';
  const box = stillSandbox();
  const send = async (input: readonly unknown[]) =>
    (await (await box.post({ model, input }, undefined, path)).json()) as { id: string; output: { id: string }[] };
  const question = { role: 'user', content: 'hello' };
  const [one, two] = [await send([question]), await send([question])];
  const ids = [one, two].flatMap(({ id, output }) => [id, ...output.map((item) => item.id)]);
  expect(new Set(ids).size).toBe(6);
  const thought = thoughtOf(ask('hello'));
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: thought?.text }],
    encrypted_content: thought?.seal?.value,
  };
  const answer = await send([question, reasoning, { role: 'assistant', content: 'hi' }, question]);
  expect(JSON.stringify(answer)).toContain(verified(1));
});

test('the thinking options of each format reach it', async () => {
  const off: Readonly<Record<string, Json>> = {
    'openai-chat': { reasoning_effort: 'none' },
    'openai-responses': { reasoning: { effort: 'none' } },
    'anthropic-messages': { thinking: { type: 'disabled' } },
    'gemini-generate': { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  };
  for (const caller of talkers) {
    const talk = async (fields: Json): Promise<TextReply> => {
      const options = { model, fields };
      const response = await stillSandbox().post(caller.body(['hello'], options), undefined, caller.path(options));
      return readWhole(formats[caller.format], model, await response.json());
    };
    expect([caller.format, thoughtOf(await talk({})) !== undefined]).toEqual([caller.format, true]);
    expect([caller.format, thoughtOf(await talk(off[caller.format] ?? {}))]).toEqual([caller.format, undefined]);
  }
});

test('a legacy completion shows the answer alone and counts the thoughts', async () => {
  const response = await stillSandbox().post({ model, prompt: 'what is 6*7?' }, undefined, '/completions');
  const raw = (await response.json()) as {
    choices: { text: string }[];
    usage: { completion_tokens: number; completion_tokens_details: { reasoning_tokens: number } };
  };
  expect(raw.choices[0]?.text).toStartWith('6*7 = 42.');
  expect(raw.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(5);
});
