import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { lessonOf } from './refusal-lesson.ts';

const taught = (message: string, sent: Tree, more: { status?: number; code?: string; param?: string } = {}) => {
  const fault = { message, type: 'invalid_request_error', code: more.code, param: more.param };
  return lessonOf(more.status ?? 400, fault, sent)?.profile;
};
const unsupported = (field: string) => `Unsupported parameter: '${field}' is not supported with this model.`;

describe('a parameter that a model refuses', () => {
  test.each([
    [unsupported('temperature'), { temperature: 0.5 }, 'temperature'],
    [
      "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.",
      { temperature: 0.1 },
      'temperature',
    ],
    ['`temperature` is deprecated for this model.', { temperature: 0 }, 'temperature'],
    ['temperature is deprecated for this model', { temperature: 0 }, 'temperature'],
    ['top_k: Extra inputs are not permitted', { top_k: 5 }, 'topK'],
    ["property 'seed' is unsupported, did you mean 'stop'?", { seed: 1 }, 'seed'],
    ['Model grok-4 does not support parameter presencePenalty.', { presence_penalty: 1 }, 'presencePenalty'],
    ['Argument not supported on this model: stop', { stop: ['x'] }, 'stop'],
    ['Unrecognized request argument supplied: parallel_tool_calls', { parallel_tool_calls: true }, 'parallelToolCalls'],
    ["Unknown parameter: 'top_logprobs'.", { top_logprobs: 2 }, 'logprobs'],
    [
      'Invalid JSON payload received. Unknown name "seed" at \'generation_config\': Cannot find field.',
      { generationConfig: { seed: 1 } },
      'seed',
    ],
    [unsupported('text.verbosity'), { text: { verbosity: 'low' } }, 'verbosity'],
    ["Error: Unsupported parameter: 'top_p' is not supported with this model.", { top_p: 1 }, 'topP'],
  ] as const)('%s', (message, sent, parameter) => {
    expect(taught(message, sent)).toEqual({ refuses: [parameter] });
  });

  test('by its code and the field beside it', () => {
    const named = { code: 'unsupported_parameter', param: 'top_p' };
    expect(taught('no', { top_p: 1 }, named)).toEqual({ refuses: ['topP'] });
    expect(taught('no', { top_p: 1 }, { ...named, code: 'invalid_value' })).toBeUndefined();
  });

  test('of which one value is taken', () => {
    const said = (values: string) =>
      `Unsupported value: 'low' is not supported with this model. Supported values are: ${values}.`;
    const sent = { text: { verbosity: 'low' } };
    expect(taught(said("'medium'"), sent, { param: 'text.verbosity' })).toEqual({ refuses: ['verbosity'] });
    expect(taught(said("'medium' and 'high'"), sent, { param: 'text.verbosity' })).toBeUndefined();
  });

  test('beside thinking, is refused beside thinking only', () => {
    const beside = { refusesWhileThinking: ['temperature'] } as const;
    expect(taught(unsupported('temperature'), { temperature: 1, reasoning_effort: 'high' })).toEqual(beside);
    expect(taught(unsupported('temperature'), { temperature: 1, reasoning: { effort: 'low' } })).toEqual(beside);
    expect(
      taught('`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation', {
        temperature: 0.5,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
      }),
    ).toEqual(beside);
    const topP = '`top_p` must be greater than or equal to 0.95 when thinking is enabled.';
    expect(taught(topP, { top_p: 0.5, thinking: { type: 'adaptive' } })).toEqual({ refusesWhileThinking: ['topP'] });
    for (const off of [
      { reasoning_effort: 'none' },
      { thinking: { type: 'disabled' } },
      { reasoning: { summary: 'auto' } },
    ])
      expect(taught(unsupported('temperature'), { temperature: 1, ...off })).toEqual({ refuses: ['temperature'] });
  });
});

describe('how a request asks for thinking', () => {
  const budget = { kind: 'budget', tokensMin: 1_024, canBeOff: true, byDefault: 'off' } as const;
  test.each([
    [unsupported('reasoning_effort'), { reasoning_effort: 'high' }, { kind: 'never' }],
    [unsupported('reasoning.effort'), { reasoning: { effort: 'high' } }, { kind: 'never' }],
    ['Thinking is not supported for this model', { thinking: { type: 'enabled' } }, { kind: 'never' }],
    ['thinking_config is not supported.', { generationConfig: { thinkingConfig: {} } }, { kind: 'never' }],
    ['Thinking is not enabled for models/x', { generationConfig: { thinkingConfig: {} } }, { kind: 'never' }],
    ['adaptive thinking is not supported on this model', { thinking: { type: 'adaptive' } }, budget],
    ['This model does not support the effort parameter.', { output_config: { effort: 'high' } }, budget],
    [
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      { kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: true },
    ],
    [
      "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.",
      { reasoning_effort: 'xhigh' },
      { kind: 'effort', efforts: ['low', 'medium', 'high'] },
    ],
    [
      'The thinking budget (52428) is invalid. Please choose a value between 128 and 32768.',
      { generationConfig: { thinkingConfig: { thinkingBudget: 52_428 } } },
      { kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false, dynamic: true },
    ],
  ] as const)('%s', (message, sent, thinking) => {
    expect<unknown>(taught(message, sent)).toEqual({ thinking });
  });

  test.each([
    [
      '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      { thinking: { type: 'disabled' } },
      { kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: false, byDefault: 'on' },
    ],
    [
      'Budget 0 is invalid. This model only works in thinking mode.',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      { kind: 'budget', tokensMin: 128, canBeOff: false, dynamic: true, byDefault: 'on' },
    ],
    [
      "output_config.effort: 'xhigh' is not supported by this model",
      { output_config: { effort: 'xhigh' } },
      { kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: true },
    ],
  ] as const)('%s', (message, sent, thinking) => {
    expect<unknown>(taught(message, sent)).toEqual({ thinking });
  });

  test('an unknown effort, and the least one, teach nothing', () => {
    for (const effort of ['odd', 'low'])
      expect(
        taught(`output_config.effort: '${effort}' is not supported by this model`, { output_config: { effort } }),
      ).toBeUndefined();
  });

  test('a list of values that does not name its field is about effort only where the provider says so', () => {
    const said =
      "Unsupported value: 'none' is not supported with the 'x' model. Supported values are: 'low' and 'max'.";
    const sent = { reasoning: { effort: 'none' } };
    expect(taught(said, sent)).toBeUndefined();
    expect(taught(said, { reasoning_effort: 'none' }, { param: 'reasoning_effort' })?.thinking?.kind).toBe('effort');
    expect(taught(said, sent, { param: 'reasoning.effort' })?.thinking).toEqual({
      kind: 'effort',
      efforts: ['low', 'max'],
    });
  });
});

describe('amounts and shapes', () => {
  test.each([
    [
      'max_tokens: 32000 > 16384, which is the maximum allowed number of output tokens for x',
      { max_tokens: 32_000 },
      16_384,
    ],
    [
      'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
      { max_completion_tokens: 32_000 },
      16_384,
    ],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', { max_tokens: 32_000 }, 8_192],
    [
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      { max_tokens: 9_000 },
      8_192,
    ],
    ['Range of max_tokens should be [1, 65536]', { max_tokens: 70_000 }, 65_536],
    ['The maximum tokens you requested exceeds the model limit of 10000.', { max_tokens: 12_000 }, 10_000],
    [
      'Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 8193 (exclusive).',
      { generationConfig: { maxOutputTokens: 65_536 } },
      8_192,
    ],
  ] as const)('%s', (message, sent, outputTokensMax) => {
    expect(taught(message, sent)).toEqual({ outputTokensMax });
  });

  test.each([
    [
      "Function tools with reasoning_effort are not supported for gpt-x in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      { messages: [], tools: [{}] },
      { toolsFormat: 'openai-responses' },
    ],
    [
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 150 instead.",
      { user: 'x'.repeat(150) },
      { userId: { charactersMax: 64 } },
    ],
    [
      'user_id must be between 6 and 128 characters',
      { user_id: 'x'.repeat(150) },
      { userId: { charactersMin: 6, charactersMax: 128 } },
    ],
    [
      "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[0].role'",
      { messages: [{ role: 'developer' }] },
      { developerRole: 'refused' },
    ],
    [
      'Failed to deserialize the JSON body into the target type: messages[1]: invalid type: sequence, expected a string at line 1',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      { textLists: 'refused' },
    ],
    [
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
      { temperature: 1, top_p: 1 },
      { temperatureWithTopP: 'refused' },
    ],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { max_tokens: 5 },
      { olderLimit: 'refused' },
    ],
    [
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      { messages: [{ role: 'system' }] },
      { laterInstructions: 'refused' },
    ],
    ['Unexpected message role.', { messages: [{ role: 'developer' }] }, { developerRole: 'refused' }],
    ['messages role developer is invalid', { messages: [{ role: 'developer' }] }, { developerRole: 'refused' }],
    [
      'System message must be at the beginning.',
      { messages: [{ role: 'user' }, { role: 'system' }] },
      { laterInstructions: 'refused' },
    ],
  ] as const)('%s', (message, sent, profile) => {
    expect<unknown>(taught(message, sent as unknown as Tree)).toEqual(profile);
  });
});

describe('nothing is learned', () => {
  test.each([
    ['of a field that was not sent', unsupported('temperature'), { top_p: 1 }],
    ['of a field that is null', unsupported('temperature'), { temperature: null }],
    ['of a field with that name elsewhere', unsupported('temperature'), { metadata: { temperature: 1 } }],
    ['of tools, messages and the model', unsupported('tools'), { tools: [{}] }],
    ['of tools, messages and the model', 'messages: Extra inputs are not permitted', { messages: [] }],
    ['of tools, messages and the model', 'model: Extra inputs are not permitted', { model: 'x' }],
    ['of a nested field', 'tools.0.custom.temperature: Extra inputs are not permitted', { tools: [{}], seed: 1 }],
    [
      'of a name with more text behind it',
      'temperature: Extra inputs are not permitted: Extra inputs are not permitted',
      { temperature: 1 },
    ],
    [
      'of a value that is out of range',
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      { temperature: 3 },
    ],
    [
      'of a wrong type',
      "Invalid type for 'temperature': expected a decimal, but got a string instead.",
      { temperature: 'x' },
    ],
    ['of what a message quotes', `Your message was: ${unsupported('temperature')}`, { temperature: 1 }],
    [
      'of what is left beside a long prompt',
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 8000 input tokens",
      { max_tokens: 32_000 },
    ],
    [
      'of a limit below what any model has',
      'max_tokens: 300 > 255, which is the maximum allowed number of output tokens for x',
      { max_tokens: 300 },
    ],
    [
      'of a limit that was not passed',
      'max_tokens: 300 > 4096, which is the maximum allowed number of output tokens for x',
      { max_tokens: 300 },
    ],
    [
      'of an id that is short enough',
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 150 instead.",
      { user: 'x' },
    ],
    [
      'of an id that may hardly be one',
      "Invalid 'user': string too long. Expected a string with maximum length 1, but got",
      { user: 'xx' },
    ],
    [
      'of another text that is too long',
      "Invalid 'tools[3].function.name': string too long. Expected a string with maximum length 64, but got",
      { user: 'x'.repeat(99) },
    ],
    [
      'of an effort that is listed',
      "Unsupported value: 'reasoning_effort' does not support 'high' with this model. Supported values are: 'low', and 'high'.",
      { reasoning_effort: 'high' },
    ],
    ['of a role beside an odd one', 'Unexpected message role.', { messages: [{ role: 'developer' }, { role: 'odd' }] }],
    ['without words', '', { temperature: 1 }],
  ] as const)('%s: %s', (_, message, sent) => {
    expect(taught(message, sent as unknown as Tree)).toBeUndefined();
  });

  test.each([200, 401, 403, 404, 413, 429, 500, 503])('from %d', (status) => {
    expect(taught(unsupported('temperature'), { temperature: 1 }, { status })).toBeUndefined();
  });
});
