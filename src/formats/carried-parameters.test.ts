/** Proves against writers and readers of every format which parameters reach a provider, and that the others are reported lost. */

import { describe, expect, test } from 'bun:test';
import { type ParameterName, parameterNames } from '../conversation/parameters.ts';
import type { TextRequest } from '../conversation/text-request.ts';
import { formats } from './all.ts';
import { carriedParameters, sampleParameters, writeSample } from './carried-parameters.ts';
import type { FormatName } from './format.ts';

const uncarried: Readonly<Record<FormatName, readonly ParameterName[]>> = {
  'openai-chat': ['topK'],
  'openai-responses': ['topK', 'stop', 'seed', 'presencePenalty', 'frequencyPenalty', 'logitBias'],
  'openai-completions': [
    'topK',
    'tools',
    'toolChoice',
    'parallelToolCalls',
    'jsonOutput',
    'schemaOutput',
    'thinking',
    'verbosity',
  ],
  'anthropic-messages': [
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'logitBias',
    'logprobs',
    'jsonOutput',
    'verbosity',
  ],
  'gemini-generate': ['logitBias', 'parallelToolCalls', 'verbosity'],
  'cohere-chat': ['logitBias', 'logprobs', 'parallelToolCalls', 'verbosity'],
};

/** The logprobs of the written tokens are supported, those of the alternatives are not. */
const isPart = (format: FormatName, name: ParameterName): boolean => format === 'cohere-chat' && name === 'logprobs';

/** What a reader of the format makes of the written parameter, without the names and the like that a format adds. */
function readBack(format: FormatName, fields: Partial<TextRequest>, name: ParameterName): unknown {
  const { codec } = formats[format];
  const { value } = codec.readRequest(writeSample(codec, {}, fields).value, { model: 'model', stream: false });
  if (name === 'jsonOutput' || name === 'schemaOutput') return value.output.kind;
  if (name === 'tools') return value.tools.map((tool) => tool.name);
  if (name === 'thinking') return value.thinking?.effort ?? value.thinking?.budgetTokens;
  return value[name];
}

const expected = (name: ParameterName): unknown => {
  const { fields } = sampleParameters[name];
  if (name === 'jsonOutput' || name === 'schemaOutput') return fields.output?.kind;
  if (name === 'tools') return fields.tools?.map((tool) => tool.name);
  return name === 'thinking' ? fields.thinking?.effort : fields[name];
};

describe.each(Object.keys(uncarried) as FormatName[])('%s', (format) => {
  const carried = carriedParameters(formats[format], {});

  test('carries all but the ones that it is known to lack', () => {
    expect(parameterNames.filter((name) => !carried.has(name))).toEqual([...uncarried[format]]);
  });

  test.each(
    parameterNames.filter((name) => carried.has(name)),
  )('%s reaches the body and is read from it again', (name) => {
    const { fields, beside = {} } = sampleParameters[name];
    const found = readBack(format, { ...beside, ...fields }, name);
    // One format measures thinking in tokens: a word of effort comes back as a number of them.
    if (name === 'thinking' && typeof found === 'number') expect(found).toBeGreaterThan(0);
    else expect(found).toEqual(expected(name));
    expect(readBack(format, beside, name)).not.toEqual(found);
  });

  test.each(parameterNames.filter((name) => !carried.has(name)))('%s is reported lost', (name) => {
    const { fields, beside = {} } = sampleParameters[name];
    const { codec } = formats[format];
    const before = writeSample(codec, {}, beside);
    const after = writeSample(codec, {}, { ...beside, ...fields });
    expect(after.losses.length).toBeGreaterThan(before.losses.length);
    if (!isPart(format, name)) expect(after.value).toEqual(before.value);
  });
});

test('what a provider rejects is not carried to it', () => {
  const quirks = { rejectsFields: ['verbosity', 'logprobs'] };
  const carried = carriedParameters(formats['openai-chat'], quirks);
  expect(parameterNames.filter((name) => !carried.has(name))).toEqual(['topK', 'logprobs', 'verbosity']);
  expect(carriedParameters(formats['openai-chat'], quirks)).toBe(carried);
});
