/**
 * Which parameters a format can tell a provider: asked of its own writer, so that the answer cannot drift from what is sent.
 * One is carried where writing it changes the body and costs nothing; a provider's quirks are asked along with it.
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

/** A mild wish for each, within what every format allows; `beside` is what it makes no sense without. */
export const sampleWishes: Readonly<
  Record<ParameterName, { readonly wish: Partial<TextRequest>; readonly beside?: Partial<TextRequest> }>
> = {
  temperature: { wish: { temperature: 0.5 } },
  topP: { wish: { topP: 0.5 } },
  topK: { wish: { topK: 7 } },
  maxOutputTokens: { wish: { maxOutputTokens: 999 } },
  stop: { wish: { stop: ['END'] } },
  seed: { wish: { seed: 7 } },
  presencePenalty: { wish: { presencePenalty: 0.5 } },
  frequencyPenalty: { wish: { frequencyPenalty: 0.5 } },
  logitBias: { wish: { logitBias: { '7': 1 } } },
  logprobs: { wish: { logprobs: { top: 2 } } },
  tools: { wish: { tools } },
  toolChoice: { wish: { toolChoice: { kind: 'required' } }, beside: { tools } },
  parallelToolCalls: { wish: { parallelToolCalls: false }, beside: { tools } },
  jsonOutput: { wish: { output: { kind: 'json' } } },
  schemaOutput: { wish: { output: { kind: 'json-schema', schema } } },
  thinking: { wish: { thinking: { effort: 'low' } } },
  verbosity: { wish: { verbosity: 'low' } },
};

/** Everything that tells whether and how a wish was written. */
export function writeSample(
  codec: Codec,
  quirks: WriteQuirks,
  fields: Partial<TextRequest>,
): ReturnType<Codec['writeRequest']> {
  const origin = { format: 'sample', provider: 'sample', model: 'model' };
  return codec.writeRequest({ ...least, ...fields }, { origin, profile: {}, quirks });
}

/** Quirks are rows of data that live as long as their provider, so the writers are asked once for each. */
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
  const { wish, beside = {} } = sampleWishes[parameter];
  const without = writeSample(codec, quirks, beside);
  const written = writeSample(codec, quirks, { ...beside, ...wish });
  const isLost = written.losses.length > without.losses.length;
  return !isLost && JSON.stringify(written.value) !== JSON.stringify(without.value);
}
