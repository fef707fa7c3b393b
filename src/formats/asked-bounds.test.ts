import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { askedBounds, outputFacts } from './asked-bounds.ts';

function faultOf(tree: Tree): unknown {
  try {
    askedBounds(tree);
  } catch (error) {
    return error instanceof GatewayError ? [error.code, error.param] : error;
  }
  return undefined;
}

test('the largest limit counts, under any name, in any case, at the top and in objects of options', () => {
  const limits: Tree[] = [
    { max_tokens: 1, max_completion_tokens: 900 },
    { max_tokens: 1, n_predict: 900 },
    { Max_Tokens: 900 },
    { maxTokenſ: 900 },
    { options: { num_predict: 900 } },
    { extra_body: { parameters: { max_new_tokens: 900 } } },
    { generation_config: { max_output_tokens: 900 }, generationConfig: { maxOutputTokens: 1 } },
    { min_tokens: 900 },
  ];
  for (const tree of limits) expect(askedBounds(tree).outputTokens).toBe(900);
  expect(askedBounds({ model: 'm', messages: [{ max_tokens: 900 }], metadata: { max_tokens: 900 } })).toEqual({
    outputTokens: 0,
    candidates: 0,
    thinkingTokens: 0,
    effortTokens: 0,
    reference: undefined,
    speeds: false,
    homes: undefined,
  });
});

test('the largest number of replies counts', () => {
  for (const tree of [
    { n: 1, best_of: 7 },
    { candidate_count: 7 },
    { candidateCount: 7 },
    { parameters: { num_return_sequences: 7 } },
  ] as Tree[]) {
    expect(askedBounds(tree).candidates).toBe(7);
  }
});

test('an amount of thinking is no limit of the reply', () => {
  for (const tree of [
    { reasoning: { max_tokens: 500 } },
    { thinking: { budget_tokens: 500 } },
    { generationConfig: { thinkingConfig: { thinkingBudget: 500 } } },
    { extra_body: { google: { thinking_config: { thinking_budget: 500 } } } },
    { thinking_budget: 500 },
  ] as Tree[]) {
    expect(askedBounds(tree)).toMatchObject({ outputTokens: 0, thinkingTokens: 500 });
  }
  expect(askedBounds({ thinking: { budget_tokens: -1 } }).thinkingTokens).toBe(0);
});

test('a high effort asks for the tokens that it means in other formats', () => {
  const other = (tree: Tree) =>
    outputFacts(askedBounds(tree), { outputTokens: undefined, candidates: 1 }).outputTokensOther;
  expect(other({ reasoning_effort: 'max' })).toBe(73_728);
  expect(other({ reasoning: { effort: 'xhigh' } })).toBe(57_344);
  expect(other({ output_config: { effort: 'max' }, reasoning_effort: 'odd' })).toBeUndefined();
  expect(outputFacts(askedBounds({ reasoning_effort: 'max' }), { outputTokens: 5, candidates: 1 })).toMatchObject({
    outputTokensMax: 5,
  });
});

describe('a value that is no count is refused by name', () => {
  test.each([['10'], [1.5], [-1], [1e9], [true], [[5]], [Number.MAX_VALUE]])('%p', (value) => {
    expect(faultOf({ n_predict: value })).toEqual(['field_invalid', 'n_predict']);
    expect(faultOf({ options: { num_predict: value } })).toEqual(['field_invalid', 'options.num_predict']);
  });

  test('replies and thinking as well; absent settings are valid', () => {
    expect(faultOf({ parameters: { num_return_sequences: 129 } })).toEqual([
      'field_invalid',
      'parameters.num_return_sequences',
    ]);
    expect(faultOf({ thinking: { budget_tokens: -2 } })).toEqual(['field_invalid', 'thinking.budget_tokens']);
    expect(faultOf({ n_predict: null, options: { num_predict: null }, extra_body: 'x' })).toBeUndefined();
    expect(faultOf({ n_predict: 100_000_000, n: 128 })).toBeUndefined();
    expect(faultOf({ n_predict: 100_000_001 })).toEqual(['field_invalid', 'n_predict']);
  });
});

test('objects that hold limits are named, those inside them are not', () => {
  expect(askedBounds({ options: { n_predict: 1 }, extra_body: { options: {} }, params: 3 }).homes).toEqual([
    'options',
    'extra_body',
  ]);
});
