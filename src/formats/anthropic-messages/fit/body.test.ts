import { describe, expect, test } from 'bun:test';
import { type ModelProfile, unknownProfile } from '../../../conversation/model-profile.ts';
import { fit } from './body.ts';

const messages = [{ role: 'user', content: 'hi' }];

function fitted(fields: object, profile: ModelProfile): { edits: Record<string, unknown>; lost: string[] } | undefined {
  const found = fit({ model: 'm', max_tokens: 32_000, messages, ...fields }, profile);
  if (found === undefined) return undefined;
  const edits = [...found.edits].map(([name, text]) => [name, text === undefined ? undefined : JSON.parse(text)]);
  return { edits: Object.fromEntries(edits), lost: found.losses.map(({ what }) => what) };
}

const budget: ModelProfile = { thinking: { kind: 'budget', tokensMin: 1_024, canBeOff: true } };
const adaptive: ModelProfile = {
  thinking: { kind: 'adaptive', efforts: ['low', 'medium', 'high', 'max'], canBeOff: true },
};

test('an unknown model is sent everything', () => {
  const body = {
    temperature: 0.5,
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'xhigh' },
    metadata: { user_id: 'x'.repeat(200) },
    messages: [...messages, { role: 'system', content: 'later' }],
  };
  expect(fitted(body, unknownProfile)).toBeUndefined();
});

describe('a model of budgets', () => {
  test('takes a budget as it comes', () => {
    expect(fitted({ thinking: { type: 'enabled', budget_tokens: 4_096 } }, budget)).toBeUndefined();
    expect(fitted({ thinking: { type: 'disabled' } }, budget)).toBeUndefined();
    expect(fitted({}, budget)).toBeUndefined();
  });

  test('is sent a budget for adaptive thinking, and no effort', () => {
    const thinking = { type: 'adaptive', display: 'summarized' };
    const config = { effort: 'high', format: { type: 'json_schema', schema: {} } };
    expect(fitted({ thinking, output_config: config }, budget)).toEqual({
      edits: {
        // A quarter of the limit is left to the answer.
        thinking: { type: 'enabled', budget_tokens: 24_000, display: 'summarized' },
        output_config: { format: config.format },
      },
      lost: [],
    });
    expect(fitted({ thinking: { type: 'adaptive' } }, budget)?.edits['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: 8_192,
    });
  });

  test('within the limit of the reply, or not at all', () => {
    const asked = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
    expect(fitted({ ...asked, max_tokens: 10_000 }, budget)).toEqual({
      edits: { thinking: { type: 'enabled', budget_tokens: 7_500 }, output_config: undefined },
      lost: ['thinking effort high'],
    });
    expect(fitted({ ...asked, max_tokens: 1_024 }, budget)).toEqual({
      edits: { thinking: { type: 'disabled' }, output_config: undefined },
      lost: ['thinking'],
    });
    // The limit is bounded itself.
    const bounded: ModelProfile = { ...budget, outputTokensMax: 8_192 };
    expect(fitted({ thinking: { type: 'enabled', budget_tokens: 16_000 } }, bounded)).toEqual({
      edits: { max_tokens: 8_192, thinking: { type: 'enabled', budget_tokens: 8_191 } },
      lost: ['thinking budget', 'max_tokens'],
    });
  });

  test('an effort alone turns no thinking on', () => {
    expect(fitted({ output_config: { effort: 'high' } }, budget)).toEqual({
      edits: { output_config: undefined },
      lost: ['thinking effort high'],
    });
    expect(fitted({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, budget)).toEqual({
      edits: { output_config: undefined },
      lost: ['thinking effort low'],
    });
  });
});

test('a model of budgets that knows efforts too keeps them', () => {
  const both: ModelProfile = {
    thinking: { kind: 'budget', tokensMin: 1_024, canBeOff: true, efforts: ['low', 'medium', 'high'] },
  };
  const thinking = { type: 'enabled', budget_tokens: 4_096 };
  expect(fitted({ thinking, output_config: { effort: 'high' } }, both)).toBeUndefined();
  expect(fitted({ output_config: { effort: 'high' } }, both)).toBeUndefined();
  expect(fitted({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, both)).toEqual({
    edits: { thinking: { type: 'enabled', budget_tokens: 24_000 }, output_config: { effort: 'high' } },
    lost: ['thinking effort max'],
  });
});

describe('a model that chooses by itself', () => {
  test('keeps a budget where it still takes one', () => {
    const both: ModelProfile = {
      thinking: { kind: 'adaptive', efforts: ['low', 'high'], canBeOff: true, budgets: { tokensMin: 1_024 } },
    };
    expect(fitted({ thinking: { type: 'enabled', budget_tokens: 4_096 } }, both)).toBeUndefined();
    expect(fitted({ thinking: { type: 'enabled', budget_tokens: 9 }, output_config: { effort: 'low' } }, both)).toEqual(
      {
        edits: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
        lost: ['thinking budget'],
      },
    );
  });

  test('takes adaptive thinking with its efforts as it comes', () => {
    expect(fitted({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, adaptive)).toBeUndefined();
    expect(fitted({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, adaptive)).toBeUndefined();
    expect(fitted({ output_config: { effort: 'max' } }, adaptive)).toBeUndefined();
  });

  test('is sent an effort for a budget', () => {
    expect(fitted({ thinking: { type: 'enabled', budget_tokens: 16_384, display: 'omitted' } }, adaptive)).toEqual({
      edits: { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'high' } },
      lost: [],
    });
  });

  test('is sent the next smaller effort for one that it does not support', () => {
    expect(fitted({ output_config: { effort: 'xhigh' } }, adaptive)).toEqual({
      edits: { output_config: { effort: 'high' } },
      lost: ['thinking effort xhigh'],
    });
  });

  test('thinks least where it cannot be off', () => {
    const profile: ModelProfile = { thinking: { kind: 'adaptive', efforts: ['low', 'high'], canBeOff: false } };
    expect(fitted({ thinking: { type: 'disabled' } }, profile)).toEqual({
      edits: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      lost: ['thinking off'],
    });
  });
});

test('a demanded call is asked for no more where the model cannot be made to', () => {
  const profile: ModelProfile = { forcedTools: 'refused' };
  expect(fitted({ tool_choice: { type: 'any', disable_parallel_tool_use: true } }, profile)).toEqual({
    edits: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    lost: ['tool_choice'],
  });
  expect(fitted({ tool_choice: { type: 'tool', name: 'f' } }, profile)?.edits).toEqual({
    tool_choice: { type: 'auto' },
  });
  expect(fitted({ tool_choice: { type: 'auto' } }, profile)).toBeUndefined();
});

test('a model that does not think is not asked to', () => {
  const never: ModelProfile = { thinking: { kind: 'never' } };
  expect(fitted({ thinking: { type: 'enabled', budget_tokens: 2_048 } }, never)).toEqual({
    edits: { thinking: undefined },
    lost: ['thinking'],
  });
  expect(fitted({ thinking: { type: 'disabled' } }, never)).toEqual({ edits: { thinking: undefined }, lost: [] });
});

test('without thinking there is none to clear', () => {
  const never: ModelProfile = { thinking: { kind: 'never' } };
  const thinking = { type: 'adaptive' };
  const clearing = { type: 'clear_thinking_20251015', keep: 'all' };
  const tools = { type: 'clear_tool_uses_20250919' };
  expect(fitted({ thinking, context_management: { edits: [clearing] } }, never)).toEqual({
    edits: { thinking: undefined, context_management: undefined },
    lost: ['thinking'],
  });
  expect(fitted({ thinking, context_management: { edits: [clearing, tools] } }, never)?.edits).toEqual({
    thinking: undefined,
    context_management: { edits: [tools] },
  });
  expect(fitted({ thinking, context_management: { edits: [clearing] } }, adaptive)).toBeUndefined();
});

test('thinking of an unknown kind is left to the server', () => {
  expect(fitted({ thinking: { type: 'auto' } }, { thinking: { kind: 'never' } })).toBeUndefined();
});

test('sampling is left out always, or while the model thinks', () => {
  expect(fitted({ temperature: 0.2, top_k: 5, stop_sequences: ['x'] }, { refuses: ['temperature', 'topK'] })).toEqual({
    edits: { temperature: undefined, top_k: undefined },
    lost: ['temperature', 'top_k'],
  });
  const profile: ModelProfile = { ...adaptive, refusesWhileThinking: ['temperature'] };
  expect(fitted({ temperature: 0.2 }, profile)).toBeUndefined();
  expect(fitted({ temperature: 0.2, output_config: { effort: 'low' } }, profile)).toBeUndefined();
  expect(fitted({ temperature: 0.2, thinking: { type: 'adaptive' } }, profile)?.lost).toEqual(['temperature']);
});

test('of a temperature and a top_p the temperature stays where the model refuses both', () => {
  const profile: ModelProfile = { temperatureWithTopP: 'refused' };
  expect(fitted({ temperature: 0, top_p: 0.9 }, profile)).toEqual({ edits: { top_p: undefined }, lost: ['top_p'] });
  expect(fitted({ temperature: 0, top_p: 1 }, profile)).toEqual({ edits: { top_p: undefined }, lost: [] });
  expect(fitted({ temperature: 0 }, profile)).toBeUndefined();
  expect(fitted({ top_p: 0.9 }, profile)).toBeUndefined();
});

test('the id of the end user and the limit of the reply', () => {
  const profile: ModelProfile = { userId: { pattern: '[a-zA-Z0-9_-]+' }, outputTokensMax: 8_192 };
  const found = fitted({ metadata: { user_id: '{"device":"x"}', other: 1 } }, profile);
  expect(found).toEqual({
    edits: { max_tokens: 8_192, metadata: { user_id: expect.stringMatching(/^[0-9a-f]{64}$/), other: 1 } },
    lost: ['max_tokens'],
  });
});

test('an id that has no form that the provider accepts is dropped and reported', () => {
  const found = fitted({ metadata: { user_id: 'some one' } }, { userId: { pattern: '[A-Z]+' } });
  expect(found).toEqual({ edits: { metadata: undefined }, lost: ['user'] });
});

test('instructions in the middle become part of the user’s turns, after the results of tools', () => {
  const result = { type: 'tool_result', tool_use_id: 't', content: 'r' };
  const given = [
    { role: 'user', content: 'one' },
    { role: 'system', content: [{ type: 'text', text: 'after one' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
    { role: 'system', content: 'with the result' },
    { role: 'user', content: [result] },
  ];
  const text = (said: string): object => ({ type: 'text', text: said });
  expect(fitted({ messages: given }, { laterInstructions: 'refused' })).toEqual({
    edits: {
      messages: [
        { role: 'user', content: [text('one'), text('after one')] },
        given[2],
        { role: 'user', content: [result, text('with the result')] },
      ],
    },
    lost: ['later instructions'],
  });
});

describe('a schema that is refused is asked for in the prompt', () => {
  const schema = { type: 'object' };
  const format = { type: 'json_schema', schema };
  const refused: ModelProfile = { refuses: ['schemaOutput'] };
  const asked = expect.stringContaining(`that is valid against this JSON Schema:\n${JSON.stringify(schema)}`);

  test('as the system prompt, or after it', () => {
    expect(fitted({ output_config: { format } }, refused)).toEqual({
      edits: { output_config: undefined, system: asked },
      lost: ['output schema'],
    });
    expect(fitted({ output_config: { format, effort: 'low' }, system: 'Be brief.' }, refused)?.edits).toEqual({
      output_config: { effort: 'low' },
      system: expect.stringMatching(/^Be brief\.\n\nReply with JSON alone/),
    });
    const mark = { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } };
    expect(fitted({ output_format: format, system: [mark] }, refused)?.edits).toEqual({
      output_format: undefined,
      system: [mark, { type: 'text', text: asked }],
    });
  });

  test('where it is accepted, or absent, nothing changes', () => {
    expect(fitted({ output_config: { format } }, { refuses: ['jsonOutput'] })).toBeUndefined();
    expect(fitted({ output_config: { effort: 'low' } }, refused)).toBeUndefined();
  });
});
