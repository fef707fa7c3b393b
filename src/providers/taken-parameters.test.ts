/** Proves what a model is said to take: its provider's formats, without what its family refuses, within what its provider says of it. */

import { describe, expect, test } from 'bun:test';
import { type ParameterName, parameterNames } from '../conversation/parameters.ts';
import { requestDefaults, type TextRequest } from '../conversation/text-request.ts';
import { sampleParameters } from '../formats/carried-parameters.ts';
import { converse } from '../sandbox/chat/converse.ts';
import { parametersOf, sandboxModels } from '../sandbox/models.ts';
import { providerOf } from './assemble.ts';
import { familyProfile } from './families.ts';
import { presetByName } from './presets.ts';
import { takenParameters } from './taken-parameters.ts';

function absentAt(kind: string, model: string): readonly ParameterName[] {
  const preset = presetByName(kind);
  if (preset === undefined) throw new Error(kind);
  const transport = () => Promise.reject(new Error('calls no provider'));
  const common = { name: kind, baseUrl: preset.baseUrl, keys: [], headers: {}, models: undefined, transport };
  const taken = takenParameters(providerOf({ ...common, preset }), model);
  return parameterNames.filter((name) => !taken.has(name));
}

const unsampled: readonly ParameterName[] = [
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'logprobs',
];

describe('a model takes what some format of its provider can say', () => {
  test('without what its family refuses', () => {
    expect(absentAt('openai', 'gpt-4.1')).toEqual(['topK', 'thinking', 'verbosity']);
    expect(new Set(absentAt('openai', 'gpt-5.2'))).toEqual(
      new Set(['topK', 'stop', 'presencePenalty', 'frequencyPenalty', 'logitBias']),
    );
    expect(new Set(absentAt('openai', 'o3'))).toEqual(
      new Set([...unsampled, 'stop', 'verbosity', 'parallelToolCalls']),
    );
    expect(absentAt('openai', 'gpt-3.5-turbo-instruct')).toContain('tools');
    expect(absentAt('gemini', 'gemini-3.8-flash')).toEqual(['logitBias', 'parallelToolCalls', 'verbosity']);
    expect(absentAt('gemini', 'gemini-2.5-flash')).toContain('presencePenalty');
    expect(absentAt('vertex', 'gemini-2.5-flash')).not.toContain('presencePenalty');
    expect(absentAt('gemini', 'gemini-2.0-flash')).toContain('thinking');
    expect(absentAt('anthropic', 'claude-opus-4-7')).toEqual(expect.arrayContaining(['temperature', 'topP', 'topK']));
    expect(absentAt('anthropic', 'claude-sonnet-4-5')).not.toContain('temperature');
  });

  test.each([
    ['o1', 'temperature', true],
    ['openai/o4-mini', 'stop', true],
    ['openai.o3-mini', 'temperature', true],
    ['gpt-4o', 'temperature', false],
    ['gpt-4o', 'schemaOutput', false],
    ['gpt-4-turbo', 'schemaOutput', true],
    ['ft:gpt-4o-mini:acme::1', 'verbosity', true],
    ['gpt-5', 'temperature', true],
    ['gpt-5-mini-2025-08-07', 'temperature', true],
    ['gpt-5-chat-latest', 'temperature', false],
    ['gpt-5.1', 'temperature', false],
    ['eu.anthropic.claude-opus-4-7-v1', 'topK', true],
    ['anthropic/claude-opus-4.7', 'topK', true],
    ['claude-opus-4-6', 'topK', false],
    ['claude-3-5-sonnet-20241022', 'schemaOutput', true],
    ['claude-3-7-sonnet-20250219', 'temperature', false],
    ['claude-sonnet-4-20250514', 'schemaOutput', true],
    ['claude-sonnet-4-5-20250929', 'schemaOutput', false],
    ['grok-4', 'stop', true],
    ['grok-4.3', 'presencePenalty', true],
    ['grok-4-fast-non-reasoning', 'stop', false],
    ['llama-3.3-70b', 'temperature', false],
  ] as const)('%s and %s', (model, name, isRefused) => {
    expect(familyProfile(model).refuses?.includes(name) ?? false).toBe(isRefused);
  });
});

describe('the sandbox says truly what makes a difference', () => {
  const asked = {
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'What is 17 * 23 END? Look at Paris and at Rome.' }] }],
    ...requestDefaults,
  } as const;
  const answer = (model: string, fields: object): string => {
    const origin = { format: 'openai-chat', provider: 'sandbox', model };
    return JSON.stringify(converse({ ...asked, model, ...fields }, { id: 'reply', createdAtMs: 0, origin }).candidates);
  };

  /** Options whose effect shows in every answer, where the sample's need not. */
  const telling: Partial<Readonly<Record<ParameterName, Partial<TextRequest>>>> = {
    maxOutputTokens: { maxOutputTokens: 3 },
    stop: { stop: ['e'] },
    toolChoice: { toolChoice: { kind: 'none' } },
  };

  test.each(sandboxModels.filter(({ operations }) => operations === undefined).map(({ id }) => id))('%s', (id) => {
    const model = sandboxModels.find((each) => each.id === id);
    const declared = model === undefined ? undefined : parametersOf(model);
    const heeded = parameterNames.filter((name) => {
      const { fields, beside = {} } = sampleParameters[name];
      return answer(id, beside) !== answer(id, { ...beside, ...fields, ...telling[name] });
    });
    expect(heeded.toSorted()).toEqual([...(declared ?? [])].toSorted());
  });

  test('and of what does not converse nothing', () => {
    const silent = sandboxModels.filter(({ operations }) => operations !== undefined);
    expect(silent.map(parametersOf)).toEqual(silent.map(() => undefined));
  });
});
