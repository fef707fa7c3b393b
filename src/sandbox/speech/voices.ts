/** Maps well-known voice names to the three built-in voices. */

import { GatewayError } from '../../conversation/gateway-error.ts';

const engineVoices = ['rms', 'awb', 'slt'] as const;
export type EngineVoice = (typeof engineVoices)[number];

/** rms and awb are male voices, slt is a female one. */
const voiceNames: Readonly<Record<string, EngineVoice>> = {
  rms: 'rms',
  awb: 'awb',
  slt: 'slt',
  alloy: 'slt',
  coral: 'slt',
  nova: 'slt',
  sage: 'slt',
  shimmer: 'slt',
  marin: 'slt',
  ash: 'rms',
  echo: 'rms',
  onyx: 'rms',
  cedar: 'rms',
  ballad: 'awb',
  fable: 'awb',
  verse: 'awb',
};

export function findVoice(name: string): EngineVoice {
  const voice = Object.hasOwn(voiceNames, name.toLowerCase()) ? voiceNames[name.toLowerCase()] : undefined;
  if (voice !== undefined) return voice;
  const known = Object.keys(voiceNames).join(', ');
  throw new GatewayError('field_invalid', `The sandbox has no voice '${name.slice(0, 100)}'. It has ${known}.`, {
    param: 'voice',
  });
}
