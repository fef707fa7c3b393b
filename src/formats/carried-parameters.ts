/**
 * Which parameters a format can carry, found by running its own writer, so that the answer cannot drift from what is
 * sent. A parameter is carried if writing it changes the body and adds no loss; a provider's quirks are taken into
 * account.
 */

import { type ParameterName, parameterNames } from '../conversation/parameters.ts';
import { requestDefaults, type TextRequest, type ToolDeclaration } from '../conversation/text-request.ts';
import type { Codec, WriteQuirks } from './codec.ts';
import type { FormatName } from './format.ts';

const least: TextRequest = {
  model: 'model',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  ...requestDefaults,
};

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const tools: readonly ToolDeclaration[] = [{ name: 'look', description: 'Looks.', parameters: schema }];

/** A moderate value of each, within what every format allows; `beside` holds the fields that it depends on. */
export const sampleParameters: Readonly<
  Record<ParameterName, { readonly fields: Partial<TextRequest>; readonly beside?: Partial<TextRequest> }>
> = {
  temperature: { fields: { temperature: 0.5 } },
  topP: { fields: { topP: 0.5 } },
  topK: { fields: { topK: 7 } },
  maxOutputTokens: { fields: { maxOutputTokens: 999 } },
  stop: { fields: { stop: ['END'] } },
  seed: { fields: { seed: 7 } },
  presencePenalty: { fields: { presencePenalty: 0.5 } },
  frequencyPenalty: { fields: { frequencyPenalty: 0.5 } },
  logitBias: { fields: { logitBias: { '7': 1 } } },
  logprobs: { fields: { logprobs: { top: 2 } } },
  tools: { fields: { tools } },
  toolChoice: { fields: { toolChoice: { kind: 'required' } }, beside: { tools } },
  parallelToolCalls: { fields: { parallelToolCalls: false }, beside: { tools } },
  jsonOutput: { fields: { output: { kind: 'json' } } },
  schemaOutput: { fields: { output: { kind: 'json-schema', schema } } },
  thinking: { fields: { thinking: { effort: 'low' } } },
  verbosity: { fields: { verbosity: 'low' } },
};

/** The body and the losses of a sample request with these fields. */
export function writeSample(
  codec: Codec,
  quirks: WriteQuirks,
  fields: Partial<TextRequest>,
): ReturnType<Codec['writeRequest']> {
  const origin = { format: 'sample', provider: 'sample', model: 'model' };
  return codec.writeRequest({ ...least, ...fields }, { origin, profile: {}, quirks });
}

/** Quirks are rows of data that live as long as their provider, so the writers run once for each. */
const known = new WeakMap<WriteQuirks, Map<FormatName, ReadonlySet<ParameterName>>>();

export function carriedParameters(
  { name, codec }: { readonly name: FormatName; readonly codec: Codec },
  quirks: WriteQuirks,
): ReadonlySet<ParameterName> {
  const ofQuirks = known.get(quirks) ?? new Map<FormatName, ReadonlySet<ParameterName>>();
  known.set(quirks, ofQuirks);
  const before = ofQuirks.get(name);
  if (before !== undefined) return before;
  const carried = new Set(parameterNames.filter((parameter) => isCarried(codec, quirks, parameter)));
  ofQuirks.set(name, carried);
  return carried;
}

function isCarried(codec: Codec, quirks: WriteQuirks, parameter: ParameterName): boolean {
  const { fields, beside = {} } = sampleParameters[parameter];
  const without = writeSample(codec, quirks, beside);
  const written = writeSample(codec, quirks, { ...beside, ...fields });
  const isLost = written.losses.length > without.losses.length;
  return !isLost && JSON.stringify(written.value) !== JSON.stringify(without.value);
}
