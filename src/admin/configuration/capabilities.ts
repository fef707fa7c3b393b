/** What a model can do beside plain text, as the lists of models know it. */

import { type CapabilityName, capabilityNames } from '../contracts/configuration-contract.ts';
import type { ModelKnowledge } from './gateway-state.ts';

type Known = Pick<ModelKnowledge, 'parameters' | 'inputModalities' | 'outputModalities'>;

const found: Readonly<Record<CapabilityName, (known: Known) => boolean | undefined>> = {
  tools: ({ parameters }) => parameters?.includes('tools'),
  'parallel-tools': ({ parameters }) => parameters?.includes('parallelToolCalls'),
  vision: ({ inputModalities }) => inputModalities?.includes('image'),
  files: ({ inputModalities }) => inputModalities?.includes('file'),
  'audio-input': ({ inputModalities }) => inputModalities?.includes('audio'),
  'video-input': ({ inputModalities }) => inputModalities?.includes('video'),
  json: ({ parameters }) => parameters?.includes('jsonOutput'),
  'structured-output': ({ parameters }) => parameters?.includes('schemaOutput'),
  reasoning: ({ parameters }) => parameters?.includes('thinking'),
  'image-output': ({ outputModalities }) => outputModalities?.includes('image'),
  'audio-output': ({ outputModalities }) => outputModalities?.includes('audio'),
};

export function capabilitiesOf(known: Known): readonly CapabilityName[] {
  return capabilityNames.filter((name) => found[name](known) === true);
}
