import { describe, expect, test } from 'bun:test';
import { type ModelProfile, unknownProfile } from '../../../conversation/model-profile.ts';
import { fit } from './body.ts';

function fitted(fields: object, profile: ModelProfile): { edits: Record<string, unknown>; lost: string[] } | undefined {
  const found = fit({ model: 'm', input: 'hi', ...fields }, profile);
  if (found === undefined) return undefined;
  const edits = [...found.edits].map(([name, text]) => [name, text === undefined ? undefined : JSON.parse(text)]);
  return { edits: Object.fromEntries(edits), lost: found.losses.map(({ what }) => what) };
}

const everything = {
  temperature: 0.2,
  top_p: 0.5,
  reasoning: { effort: 'xhigh', summary: 'auto' },
  include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
  text: { verbosity: 'low' },
  max_output_tokens: 999_999,
  user: 'x'.repeat(200),
  input: [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: 'hi' },
    { role: 'system', content: 'later' },
  ],
};

test('an unknown model is sent everything, and so is one that accepts it', () => {
  expect(fitted(everything, unknownProfile)).toBeUndefined();
  const profile: ModelProfile = {
    refuses: ['seed'],
    thinking: { kind: 'effort', efforts: ['low', 'xhigh'] },
    outputTokensMax: 999_999,
    userId: { charactersMax: 200 },
    developerRole: 'taken',
    laterInstructions: 'taken',
  };
  expect(fitted(everything, profile)).toBeUndefined();
});

test('a model that does not think is neither asked to nor asked for sealed thoughts', () => {
  const never: ModelProfile = { thinking: { kind: 'never' } };
  const include = ['reasoning.encrypted_content', 'file_search_call.results'];
  expect(fitted({ reasoning: { effort: 'high', summary: 'auto' }, include }, never)).toEqual({
    edits: { reasoning: undefined, include: ['file_search_call.results'] },
    lost: ['thinking'],
  });
  expect(fitted({ include: ['reasoning.encrypted_content'] }, never)).toEqual({
    edits: { include: undefined },
    lost: [],
  });
  expect(fitted({ reasoning: { effort: 'none' } }, never)).toEqual({ edits: { reasoning: undefined }, lost: [] });
  expect(fitted({ reasoning: { effort: null } }, never)).toBeUndefined();
});

test('an effort becomes the nearest one, and the fields beside it stay', () => {
  const profile: ModelProfile = { thinking: { kind: 'effort', efforts: ['low', 'high'] } };
  expect(fitted({ reasoning: { summary: 'auto', effort: 'xhigh' } }, profile)).toEqual({
    edits: { reasoning: { summary: 'auto', effort: 'high' } },
    lost: ['thinking effort xhigh'],
  });
  expect(fitted({ reasoning: { effort: 'low' } }, { thinking: { kind: 'always' } })).toEqual({
    edits: { reasoning: undefined },
    lost: ['thinking amount'],
  });
});

test('parameters are left out and bounded, also inside other fields', () => {
  const profile: ModelProfile = { refuses: ['temperature', 'verbosity', 'logprobs'], outputTokensMax: 100 };
  const body = {
    temperature: 0.2,
    max_output_tokens: 200,
    text: { verbosity: 'low', format: { type: 'text' } },
    top_logprobs: 2,
    include: ['message.output_text.logprobs'],
  };
  expect(fitted(body, profile)).toEqual({
    edits: {
      temperature: undefined,
      top_logprobs: undefined,
      max_output_tokens: 100,
      include: undefined,
      text: { format: { type: 'text' } },
    },
    lost: ['temperature', 'logprobs', 'max_tokens', 'verbosity'],
  });
  expect(fitted({ text: { format: { type: 'text' } } }, profile)).toBeUndefined();
});

test('sampling beside an effort is dropped where the model refuses it while it thinks', () => {
  const profile: ModelProfile = {
    refusesWhileThinking: ['topP'],
    thinking: { kind: 'effort', efforts: ['none', 'low'], byDefault: 'none' },
  };
  expect(fitted({ top_p: 0.9 }, profile)).toBeUndefined();
  expect(fitted({ top_p: 0.9, reasoning: { effort: 'low' } }, profile)?.lost).toEqual(['top_p']);
});

test('an id of the end user that is too long becomes its digest', () => {
  const found = fitted({ user: 'x'.repeat(150) }, { userId: { charactersMax: 64 } });
  expect(found).toEqual({ edits: { user: expect.stringMatching(/^[0-9a-f]{64}$/) }, lost: [] });
});

test('a schema that the model refuses is asked for in the prompt', () => {
  const format = { type: 'json_schema', name: 'reply', schema: { type: 'object' } };
  const found = fitted({ text: { format, verbosity: 'low' }, instructions: 'be brief' }, { refuses: ['schemaOutput'] });
  expect(found?.lost).toEqual(['output schema']);
  expect(found?.edits).toEqual({
    text: { verbosity: 'low', format: { type: 'json_object' } },
    instructions: expect.stringMatching(/^be brief\n\nReply with JSON alone.*\n\{"type":"object"\}$/s),
  });
  expect(fitted({ text: { format: { type: 'text' } } }, { refuses: ['schemaOutput'] })).toBeUndefined();
});

test('a choice among some of the tools becomes the declaration of those', () => {
  const tool = (name: string): object => ({ type: 'function', name });
  const body = {
    tools: [tool('a'), tool('b')],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [tool('b')] },
  };
  expect(fitted(body, { allowedTools: 'refused' })).toEqual({
    edits: { tools: [tool('b')], tool_choice: 'auto' },
    lost: [],
  });
});

describe('instructions', () => {
  test('developer items become the system’s', () => {
    const input = [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a' }] }];
    expect(fitted({ input }, { developerRole: 'refused' })?.edits['input']).toEqual([{ ...input[0], role: 'system' }]);
    expect(fitted({ input: 'hi' }, { developerRole: 'refused' })).toBeUndefined();
  });

  test('those that begin the conversation go into the field, later ones into the user’s turns', () => {
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'permissions' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'message', role: 'developer', content: 'mind the limit' },
      { type: 'function_call_output', call_id: 'c', output: 'r' },
    ];
    const found = fitted({ instructions: 'be an agent', input }, { laterInstructions: 'refused' });
    expect(found).toEqual({
      edits: {
        instructions: 'be an agent\n\npermissions',
        input: [input[1], input[2], input[4], { type: 'message', role: 'user', content: 'mind the limit' }],
      },
      lost: ['later instructions'],
    });
  });

  test('without the field the first item may stay', () => {
    const input = [
      { role: 'system', content: 'a' },
      { role: 'user', content: 'hi' },
    ];
    expect(fitted({ input }, { laterInstructions: 'refused' })).toBeUndefined();
    const two = [{ role: 'system', content: 'a' }, ...input];
    expect(fitted({ input: two }, { laterInstructions: 'refused' })?.edits['input']).toEqual([
      { role: 'system', content: 'a\n\na' },
      { role: 'user', content: 'hi' },
    ]);
  });
});
