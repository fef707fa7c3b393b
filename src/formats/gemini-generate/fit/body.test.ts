import { expect, test } from 'bun:test';
import { type ModelProfile, unknownProfile } from '../../../conversation/model-profile.ts';
import { fit } from './body.ts';

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

/** The configuration afterwards, and what is lost; undefined where nothing changes. */
function fitted(config: object, profile: ModelProfile, name = 'generationConfig'): [unknown, string[]] | undefined {
  const found = fit({ contents, [name]: config }, profile);
  if (found === undefined) return undefined;
  expect([...found.edits.keys()]).toEqual([name]);
  const text = found.edits.get(name);
  return [text === undefined ? undefined : JSON.parse(text), found.losses.map(({ what }) => what)];
}

const pro: ModelProfile = {
  thinking: { kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false, dynamic: true },
};
const levels: ModelProfile = { thinking: { kind: 'effort', efforts: ['low', 'high'] } };

test('what is accepted or unknown is not changed', () => {
  const config = { temperature: 2, maxOutputTokens: 99_999, thinkingConfig: { thinkingBudget: 0 } };
  expect(fitted(config, unknownProfile)).toBeUndefined();
  expect(fit({ contents }, pro)).toBeUndefined();
  for (const thinkingConfig of [
    { thinkingBudget: 128 },
    { thinkingBudget: -1, includeThoughts: true },
    { includeThoughts: true },
  ]) {
    expect(fitted({ thinkingConfig }, pro)).toBeUndefined();
  }
  for (const thinkingConfig of [{ thinkingLevel: 'LOW' }, { thinkingBudget: 512 }, { thinkingBudget: -1 }]) {
    expect(fitted({ thinkingConfig }, levels)).toBeUndefined();
  }
});

test('a model that does not think gets no configuration of it', () => {
  const never: ModelProfile = { thinking: { kind: 'never' } };
  expect(fitted({ topK: 3, thinkingConfig: { thinkingBudget: 5 } }, never)).toEqual([{ topK: 3 }, ['thinking']]);
  expect(fitted({ thinkingConfig: { thinkingBudget: 0 } }, never)).toEqual([undefined, []]);
  expect(fitted({ thinkingConfig: { includeThoughts: false } }, never)).toEqual([undefined, []]);
  expect(fitted({ thinking_config: { include_thoughts: true } }, never)).toEqual([undefined, ['thinking']]);
});

test('budgets are bounded, and levels become budgets', () => {
  const of = (thinkingConfig: object): unknown => fitted({ thinkingConfig }, pro);
  expect(of({ thinkingBudget: 0 })).toEqual([{ thinkingConfig: { thinkingBudget: 128 } }, ['thinking off']]);
  expect(of({ thinkingBudget: 99_999, includeThoughts: true })).toEqual([
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 32_768 } },
    ['thinking budget'],
  ]);
  expect(of({ thinkingLevel: 'HIGH' })).toEqual([{ thinkingConfig: { thinkingBudget: 24_576 } }, []]);
});

test('levels become the nearest, and where there is no off the least', () => {
  const of = (thinkingConfig: object): unknown => fitted({ thinkingConfig }, levels);
  expect(of({ thinkingLevel: 'medium' })).toEqual([
    { thinkingConfig: { thinkingLevel: 'low' } },
    ['thinking effort medium'],
  ]);
  expect(of({ thinkingBudget: 0 })).toEqual([{ thinkingConfig: { thinkingLevel: 'LOW' } }, ['thinking off']]);
});

test('parameters in both spellings', () => {
  const profile: ModelProfile = { outputTokensMax: 8_192, refuses: ['topK', 'logprobs'], stopsMax: 1 };
  const config = {
    max_output_tokens: 32_000,
    top_k: 40,
    responseLogprobs: true,
    logprobs: 2,
    stopSequences: ['a', 'b'],
  };
  expect(fitted(config, profile, 'generation_config')).toEqual([
    { max_output_tokens: 8_192, stopSequences: ['a'] },
    ['top_k', 'logprobs', 'max_tokens', 'stop'],
  ]);
});
