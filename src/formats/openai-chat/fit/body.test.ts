import { describe, expect, test } from 'bun:test';
import { type ModelProfile, unknownProfile } from '../../../conversation/model-profile.ts';
import { fit } from './body.ts';

const messages = [{ role: 'user', content: 'hi' }];

/** What changes of a body beside its messages, with the names of what is lost. */
function fitted(fields: object, profile: ModelProfile): { edits: Record<string, unknown>; lost: string[] } | undefined {
  const found = fit({ model: 'm', messages, ...fields }, profile);
  if (found === undefined) return undefined;
  const edits = [...found.edits].map(([name, text]) => [name, text === undefined ? undefined : JSON.parse(text)]);
  return { edits: Object.fromEntries(edits), lost: found.losses.map(({ what }) => what) };
}

const everything = {
  temperature: 0.2,
  top_p: 0.5,
  stop: ['a', 'b', 'c', 'd', 'e'],
  reasoning_effort: 'xhigh',
  reasoning: { effort: 'high' },
  thinking: { type: 'enabled', budget_tokens: 5 },
  max_tokens: 999_999,
  user: 'x'.repeat(200),
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
  messages: [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'system', content: 'later' },
  ],
};

test('an unknown model is sent everything', () => {
  expect(fitted(everything, unknownProfile)).toBeUndefined();
});

test('what the model accepts is not changed', () => {
  const profile: ModelProfile = {
    refuses: ['seed'],
    refusesWhileThinking: ['logprobs'],
    thinking: { kind: 'effort', efforts: ['none', 'low', 'xhigh'] },
    outputTokensMax: 999_999,
    temperatureMax: 1,
    stopsMax: 5,
    userId: { charactersMax: 200 },
    developerRole: 'taken',
    textLists: 'taken',
    laterInstructions: 'taken',
    allowedTools: 'taken',
  };
  expect(fitted(everything, profile)).toBeUndefined();
});

describe('parameters', () => {
  test('those that the model refuses are left out and reported', () => {
    const profile: ModelProfile = { refuses: ['temperature', 'topP', 'stop', 'logprobs', 'thinking', 'tools'] };
    const body = { temperature: 0.2, stop: 'x', logprobs: true, top_logprobs: 3, seed: 1, tools: [{}] };
    expect(fitted(body, profile)).toEqual({
      edits: { temperature: undefined, stop: undefined, logprobs: undefined, top_logprobs: undefined },
      lost: ['temperature', 'stop', 'logprobs'],
    });
  });

  test('the model’s defaults are dropped without a loss', () => {
    const profile: ModelProfile = {
      refuses: ['temperature', 'topP', 'presencePenalty', 'logitBias', 'logprobs', 'stop'],
    };
    const body = { temperature: 1, top_p: 1, presence_penalty: 0, logit_bias: {}, logprobs: false, stop: [] };
    const found = fitted(body, profile);
    expect(Object.keys(found?.edits ?? {})).toEqual(Object.keys(body));
    expect(found?.lost).toEqual([]);
  });

  test('null says the same as absence', () => {
    expect(fitted({ temperature: null, stop: null }, { refuses: ['temperature', 'stop'] })).toBeUndefined();
  });

  test('some are refused only while the model thinks', () => {
    const profile: ModelProfile = {
      refusesWhileThinking: ['temperature'],
      thinking: { kind: 'effort', efforts: ['none', 'low'], byDefault: 'none' },
    };
    expect(fitted({ temperature: 0.2 }, profile)).toBeUndefined();
    expect(fitted({ temperature: 0.2, reasoning_effort: 'none' }, profile)).toBeUndefined();
    expect(fitted({ temperature: 0.2, reasoning_effort: 'low' }, profile)).toEqual({
      edits: { temperature: undefined },
      lost: ['temperature'],
    });
  });

  test('amounts are bounded, by whichever name they come', () => {
    const profile: ModelProfile = { outputTokensMax: 16_384, temperatureMax: 1, stopsMax: 2 };
    const body = { max_tokens: 32_000, max_completion_tokens: 20_000, temperature: 1.5, stop: ['a', 'b', 'c'] };
    expect(fitted(body, profile)).toEqual({
      edits: { max_tokens: 16_384, max_completion_tokens: 16_384, temperature: 1, stop: ['a', 'b'] },
      lost: ['max_tokens', 'temperature', 'stop'],
    });
    expect(fitted({ max_tokens: 16_384, temperature: 1, stop: ['a', 'b'] }, profile)).toBeUndefined();
  });
});

test('a limit under a name that the model refuses gets the other one', () => {
  const profile: ModelProfile = { olderLimit: 'refused', outputTokensMax: 100 };
  expect(fitted({ max_tokens: 50 }, profile)?.edits).toEqual({ max_tokens: undefined, max_completion_tokens: 50 });
  expect(fitted({ max_tokens: 500 }, profile)).toEqual({
    edits: { max_tokens: undefined, max_completion_tokens: 100 },
    lost: ['max_tokens'],
  });
  expect(fitted({ max_tokens: 50, max_completion_tokens: 60 }, profile)?.edits).toEqual({ max_tokens: undefined });
  expect(fitted({ max_completion_tokens: 60 }, profile)).toBeUndefined();
});

describe('thinking', () => {
  const effort = (efforts: readonly ('none' | 'minimal' | 'low' | 'medium' | 'high')[]): ModelProfile => ({
    thinking: { kind: 'effort', efforts },
  });

  test('a model that does not think gets no field for it', () => {
    const never: ModelProfile = { thinking: { kind: 'never' } };
    for (const body of [
      { reasoning_effort: 'high' },
      { reasoning: { effort: 'high' } },
      { thinking: { type: 'enabled', budget_tokens: 2_048 } },
    ]) {
      const [name] = Object.keys(body);
      expect(fitted(body, never)).toEqual({ edits: { [name as string]: undefined }, lost: ['thinking'] });
    }
    expect(fitted({ reasoning_effort: 'none' }, never)).toEqual({ edits: { reasoning_effort: undefined }, lost: [] });
  });

  test('an effort becomes the nearest one that the model knows', () => {
    expect(fitted({ reasoning_effort: 'high' }, effort(['low', 'medium', 'high']))).toBeUndefined();
    expect(fitted({ reasoning_effort: 'xhigh' }, effort(['low', 'high']))).toEqual({
      edits: { reasoning_effort: 'high' },
      lost: ['thinking effort xhigh'],
    });
    expect(fitted({ reasoning_effort: 'none' }, effort(['low', 'high']))).toEqual({
      edits: { reasoning_effort: 'low' },
      lost: ['thinking off'],
    });
    expect(fitted({ reasoning_effort: 'odd' }, effort(['low', 'high']))).toEqual({
      edits: { reasoning_effort: undefined },
      lost: ['thinking effort odd'],
    });
  });

  test('a model that always thinks is sent no amount', () => {
    expect(fitted({ reasoning_effort: 'low' }, { thinking: { kind: 'always' } })).toEqual({
      edits: { reasoning_effort: undefined },
      lost: ['thinking amount'],
    });
  });

  test('the server converts efforts for budget models, except `none` where thinking cannot be off', () => {
    const budget = (canBeOff: boolean): ModelProfile => ({ thinking: { kind: 'budget', tokensMin: 128, canBeOff } });
    expect(fitted({ reasoning_effort: 'high' }, budget(false))).toBeUndefined();
    expect(fitted({ reasoning_effort: 'none' }, budget(true))).toBeUndefined();
    expect(fitted({ reasoning_effort: 'none' }, budget(false))).toEqual({
      edits: { reasoning_effort: 'low' },
      lost: ['thinking off'],
    });
  });
});

test('an id of the end user that is too long becomes its digest, which loses nothing', () => {
  const profile: ModelProfile = { userId: { charactersMax: 64 } };
  const found = fitted({ user: 'x'.repeat(65), safety_identifier: 'y'.repeat(65) }, profile);
  expect(found?.lost).toEqual([]);
  expect(found?.edits).toEqual({
    user: expect.stringMatching(/^[0-9a-f]{64}$/),
    safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(fitted({ user: 'x'.repeat(64) }, profile)).toBeUndefined();
});

test('an id that has no form that the provider accepts is dropped and reported', () => {
  const found = fitted({ user: 'some one' }, { userId: { pattern: '[A-Z]+' } });
  expect(found).toEqual({ edits: { user: undefined }, lost: ['user'] });
});

test('a choice among some of the tools becomes the declaration of those', () => {
  const tool = (name: string): object => ({ type: 'function', function: { name } });
  const allowed = { mode: 'required', tools: [tool('a')] };
  const body = { tools: [tool('a'), tool('b')], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } };
  const profile: ModelProfile = { allowedTools: 'refused' };
  expect(fitted(body, profile)).toEqual({ edits: { tools: [tool('a')], tool_choice: 'required' }, lost: [] });
  expect(fitted({ ...body, tools: [tool('a')] }, profile)).toEqual({ edits: { tool_choice: 'required' }, lost: [] });
  const one = { ...body, tool_choice: { type: 'function', function: { name: 'a' } } };
  expect(fitted(one, profile)).toBeUndefined();
});

test('a demanded call is asked for no more where the model cannot be made to', () => {
  const profile: ModelProfile = { forcedTools: 'refused' };
  expect(fitted({ tool_choice: 'required' }, profile)).toEqual({
    edits: { tool_choice: 'auto' },
    lost: ['tool_choice'],
  });
  const some = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } };
  expect(fitted({ tool_choice: some }, profile)?.edits).toEqual({
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
  });
  expect(fitted({ tool_choice: 'auto' }, profile)).toBeUndefined();
});

test('without a field for the choice, what must not be called is not declared', () => {
  const profile: ModelProfile = { refuses: ['toolChoice'] };
  const tools = [{ type: 'function', function: { name: 'a' } }];
  expect(fitted({ tools, tool_choice: 'none' }, profile)).toEqual({
    edits: { tools: undefined, tool_choice: undefined },
    lost: [],
  });
  expect(fitted({ tools, tool_choice: 'auto' }, profile)).toEqual({ edits: { tool_choice: undefined }, lost: [] });
  expect(fitted({ tools, tool_choice: 'required' }, profile)?.lost).toEqual(['tool_choice']);
});

describe('messages', () => {
  const after = (given: readonly object[], profile: ModelProfile): unknown =>
    fitted({ messages: given }, profile)?.edits.messages;
  const text = (said: string): object => ({ type: 'text', text: said });

  test('developer turns become instructions of the system', () => {
    const given = [{ role: 'developer', content: 'be brief', name: 'x' }, ...messages];
    expect(after(given, { developerRole: 'refused' })).toEqual([
      { role: 'system', content: 'be brief', name: 'x' },
      ...messages,
    ]);
    expect(after(messages, { developerRole: 'refused' })).toBeUndefined();
  });

  test('lists of texts become one string, lists of more stay', () => {
    const image = { type: 'image_url', image_url: { url: 'data:' } };
    const given = [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: [text('r')] },
      { role: 'user', content: [text('see'), image] },
    ];
    expect(after(given, { textLists: 'refused' })).toEqual([
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'user', content: [text('see'), image] },
    ]);
    const marked = [{ role: 'user', content: [{ ...text('a'), cache_control: { type: 'ephemeral' } }] }];
    expect(fitted({ messages: marked }, { textLists: 'refused' })?.lost).toEqual(['cache marks']);
  });

  test('instructions that begin the conversation become one', () => {
    const given = [{ role: 'system', content: 'a' }, { role: 'developer', content: [text('b')] }, ...messages];
    const found = fitted({ messages: given }, { laterInstructions: 'refused' });
    expect(found).toEqual({
      edits: { messages: [{ role: 'system', content: [text('a'), text('b')] }, ...messages] },
      lost: [],
    });
  });

  test('later ones move to the adjacent turn of the user, and never between a call and its result', () => {
    const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] };
    const result = { role: 'tool', tool_call_id: 'c', content: 'r' };
    const given = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'one' },
      { role: 'system', content: 'after one' },
      call,
      { role: 'system', content: 'after the result' },
      result,
      { role: 'assistant', content: 'done' },
      { role: 'system', content: 'before two' },
      { role: 'user', content: 'two' },
      { role: 'system', content: 'last' },
    ];
    const found = fitted({ messages: given }, { laterInstructions: 'refused' });
    expect(found?.edits.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'one\n\nafter one' },
      call,
      result,
      { role: 'user', content: 'after the result' },
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'before two\n\ntwo\n\nlast' },
    ]);
    expect(found?.lost).toEqual(['later instructions']);
  });

  test('earlier turns are written the same way when the conversation continues', () => {
    const given = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'one' },
      { role: 'system', content: 'after one' },
    ];
    const longer = [...given, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'two' }];
    const profile: ModelProfile = { laterInstructions: 'refused' };
    expect((after(longer, profile) as unknown[]).slice(0, 2)).toEqual(after(given, profile) as unknown[]);
  });
});

describe('the shape of the reply', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'shape', description: 'A number.', schema } };
  const asked = expect.stringContaining(
    `(A number.), without a code fence, that is valid against this JSON Schema:\n${JSON.stringify(schema)}`,
  );

  test('a schema that is refused becomes JSON of any shape, and the schema is added to the instructions', () => {
    expect(fitted({ response_format }, { refuses: ['schemaOutput'] })).toEqual({
      edits: { response_format: { type: 'json_object' }, messages: [{ role: 'system', content: asked }, ...messages] },
      lost: ['output schema'],
    });
  });

  test('or instructions alone, beside the existing ones and after other changes of the messages', () => {
    const turns = [{ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }, ...messages];
    const profile: ModelProfile = { refuses: ['schemaOutput', 'jsonOutput'], developerRole: 'refused' };
    const list = [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: asked },
    ];
    expect(fitted({ response_format, messages: turns }, profile)).toEqual({
      edits: { response_format: undefined, messages: [{ role: 'system', content: list }, ...messages] },
      lost: ['output schema'],
    });
    const said = [{ role: 'system', content: 'Be brief.' }, ...messages];
    expect(fitted({ response_format, messages: said }, profile)?.edits['messages']).toEqual([
      { role: 'system', content: expect.stringMatching(/^Be brief\.\n\nReply with JSON alone/) },
      ...messages,
    ]);
  });

  test('JSON of any shape that is refused is asked for in the prompt', () => {
    const profile: ModelProfile = { refuses: ['jsonOutput'] };
    expect(fitted({ response_format: { type: 'json_object' } }, profile)).toEqual({
      edits: {
        response_format: undefined,
        messages: [{ role: 'system', content: 'Reply with one JSON object and nothing else.' }, ...messages],
      },
      lost: ['JSON mode'],
    });
  });

  test('what is accepted stays unchanged', () => {
    expect(fitted({ response_format }, { refuses: ['jsonOutput'] })).toBeUndefined();
    expect(fitted({ response_format: { type: 'text' } }, { refuses: ['jsonOutput', 'schemaOutput'] })).toBeUndefined();
    expect(fitted({ response_format: { type: 'json_schema' } }, { refuses: ['schemaOutput'] })).toBeUndefined();
  });
});
