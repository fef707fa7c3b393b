/** The scripted providers are only worth something if they refuse what the originals refuse: each rule is broken once here. */

import { describe, expect, test } from 'bun:test';
import { demand } from './demands.ts';
import { Issued } from './issued.ts';
import type { WireProvider } from './provider.ts';
import { answers, calls, conversation, sceneOf, schemaOfTool, tools } from './scenes.ts';
import type { Json } from './seen.ts';
import { type ProviderName, providerNames, wireProviders } from './start-all.ts';

const declared = tools.map((tool) => ({ ...tool, schema: schemaOfTool(tool) }));
const input = calls.thinking?.[0]?.input ?? {};
const result = calls.thinking?.[0]?.result ?? '';
const { question } = conversation;

/** What a right second turn of the thinking scene looks like in each format. */
type Writer = (turn: { id: string; seal: string; thought: string }) => Record<string, unknown>;

const secondTurns: Readonly<Record<ProviderName, Writer>> = {
  chat: ({ id, seal, thought }) => ({
    model: 'thinking',
    reasoning_effort: 'low',
    tools: declared.map(({ name, description, schema }) => {
      return { type: 'function', function: { name, description, parameters: schema } };
    }),
    messages: [
      { role: 'user', content: question },
      {
        role: 'assistant',
        content: answers.beside,
        reasoning_details: [{ type: 'reasoning.text', text: thought, signature: seal }],
        tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content: result },
    ],
  }),
  responses: ({ id, seal, thought }) => ({
    model: 'thinking',
    reasoning: { effort: 'low', summary: 'auto' },
    tools: declared.map(({ name, description, schema }) => {
      return { type: 'function', name, description, parameters: schema, strict: true };
    }),
    input: [
      { role: 'user', content: question },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: thought }], encrypted_content: seal },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answers.beside }] },
      { type: 'function_call', call_id: id, name: 'get_weather', arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ],
  }),
  messages: ({ id, seal, thought }) => ({
    model: 'thinking',
    max_tokens: 4096,
    thinking: { type: 'enabled', budget_tokens: 2048 },
    tools: declared.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    messages: [
      { role: 'user', content: question },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: thought, signature: seal },
          { type: 'text', text: answers.beside },
          { type: 'tool_use', id, name: 'get_weather', input },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ],
  }),
  generate: ({ seal }) => ({
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } },
    tools: [
      {
        functionDeclarations: declared.map(({ name, description, schema }) => {
          return { name, description, parametersJsonSchema: schema };
        }),
      },
    ],
    contents: [
      { role: 'user', parts: [{ text: question }] },
      {
        role: 'model',
        parts: [
          { text: answers.beside },
          { functionCall: { name: 'get_weather', args: input }, thoughtSignature: seal },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { output: result } } }] },
    ],
  }),
};

/** One rule broken by one replacement in the body's text; the refusal says what it is about. */
const broken: Readonly<Record<ProviderName, readonly (readonly [string, string | RegExp, string, string])[]>> = {
  chat: [
    ['an unknown field', '"reasoning_effort"', '"thinking"', 'unrecognized field thinking'],
    ['another id in the result', /"tool_call_id":"[^"]*"/, '"tool_call_id":"call_x"', 'is not a call'],
    ['arguments that are no JSON', '{\\"city\\"', '{city', 'is not JSON'],
    ['another signature', /"signature":"[^"]*"/, '"signature":"b2xk"', 'the signature of the thoughts'],
    ['no text beside the call', answers.beside, '', 'the order of the assistant turn'],
    ['another result', result, 'cold', 'result 0'],
    ['a forced call again', '"reasoning_effort"', '"tool_choice":"required","reasoning_effort"', 'the choice of tools'],
  ],
  responses: [
    ['an unknown field', '"reasoning":{', '"thinking":{', 'unrecognized field thinking'],
    ['another id in the result', /"call_id":"[^"]*","output"/, '"call_id":"call_x","output"', 'no tool call found'],
    ['another signature', /"encrypted_content":"[^"]*"/, '"encrypted_content":"b2xk"', 'the signature of the thoughts'],
    [
      'thoughts without what follows',
      '"type":"message","role":"assistant"',
      '"type":"other"',
      'required following item',
    ],
    ['an id of another kind', '"rs_1"', '"msg_1"', 'must begin with rs_'],
    ['the wrong kind of text', 'output_text', 'input_text', 'none of output_text'],
  ],
  messages: [
    ['an unknown field', '"max_tokens"', '"max_output_tokens"', 'unrecognized field max_output_tokens'],
    ['no limit', '"max_tokens":4096', '"max_tokens":null', 'max_tokens'],
    ['a budget beyond the limit', '"budget_tokens":2048', '"budget_tokens":4096', 'greater than'],
    ['another id in the result', /"tool_use_id":"[^"]*"/, '"tool_use_id":"toolu_x"', 'tool_use ids'],
    ['another signature', /"signature":"[^"]*"/, '"signature":"b2xk"', 'the signature of the thoughts'],
    ['altered thoughts', 'Paris it is.', 'Rome it is.', 'the text of the thoughts'],
    ['blank text', `"${answers.beside}"`, '" "', 'must not be blank'],
    ['a forced call', '"max_tokens"', '"tool_choice":{"type":"any"},"max_tokens"', 'forces tool use'],
    ['a second user turn', '"role":"assistant"', '"role":"user"', 'must alternate'],
    ['text before the thoughts', /\{"type":"thinking"[^}]*\},/, '', 'must start with a thinking block'],
  ],
  generate: [
    ['an unknown field', '"generationConfig"', '"generation"', 'unrecognized field generation'],
    ['another signature', /"thoughtSignature":"[^"]*"/, '"thoughtSignature":"b2xkb2xk"', 'the signature of the call'],
    [
      'the skipped signature',
      /"thoughtSignature":"[^"]*"/,
      '"thoughtSignature":"skip_thought_signature_validator"',
      'the signature of the call',
    ],
    ['a signature that is no base64', /"thoughtSignature":"[^"]*"/, '"thoughtSignature":"*"', 'is not base64'],
    [
      'another name in the answer',
      'functionResponse":{"name":"get_weather"',
      'functionResponse":{"name":"x"',
      'do not equal',
    ],
    ['an answer that is no object', `{"output":"${result}"}`, `"${result}"`, 'an object is expected'],
    ['a call that follows a model', '"role":"user"', '"role":"model"', 'comes right after a user turn'],
  ],
};

function judge(provider: WireProvider, issued: Issued, body: Json): boolean {
  return demand(sceneOf('thinking'), provider.read(body), { ...provider, issued });
}

describe.each([...providerNames])('%s', (name) => {
  const provider = wireProviders[name];
  const issued = new Issued();
  const facts = { isSecond: false, callPrefix: provider.callPrefix, showsThoughts: true };
  const said = issued.say(sceneOf('thinking'), 'thinking', facts);
  const right = secondTurns[name]({ id: said.calls[0]?.id ?? '', seal: said.seal, thought: said.thought ?? '' });

  test('a right request is taken', () => {
    expect(judge(provider, issued, right)).toBe(true);
  });

  test.each([...broken[name]])('%s is refused', (_, found, replacement, reason) => {
    const text = JSON.stringify(right);
    const changed = text.replace(found, replacement);
    expect(changed).not.toBe(text);
    expect(() => judge(provider, issued, JSON.parse(changed))).toThrow(reason);
  });

  test('calls that no reply made are refused', () => {
    if (!provider.namesCalls(1)) return;
    expect(() => judge(provider, new Issued(), right)).toThrow('never made');
  });
});
