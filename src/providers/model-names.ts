/** Which operations a model serves by its name, at any provider. The names are the vendors'. */

import type { ServiceName } from '../operations/wire.ts';

export type ModelOperation = ServiceName | 'converse';

/** The first pattern that matches counts. */
const patterns: readonly (readonly [RegExp, readonly ModelOperation[]])[] = [
  [/realtime/i, ['converse-live']],
  [/rerank/i, ['rerank']],
  [/embed|\bbge\b|\be5-/i, ['embed']],
  [/moderat/i, ['moderate']],
  [/whisper|transcrib|scribe|^nova-\d/i, ['transcribe', 'translate']],
  [/voxtral/i, ['converse', 'transcribe']],
  [/\btts\b|-tts|speech|orpheus|^aura-|^eleven_/i, ['speak']],
  [/\bsora|\bveo-?\d|kling|\bgen[34][._]|\baleph|hailuo|\b[tis]2v\b|\bwanx?-?\d|seedance|video/i, ['make-video']],
  [/\bimage(?!n)|kontext|flux-2|dall-e-2|diffusion/i, ['make-image', 'edit-image']],
  // These make images of a prompt and take none.
  [/dall-e|imagen|flux/i, ['make-image']],
];

/** Absent where the name does not decide. */
export function operationsByName(model: string): readonly ModelOperation[] | undefined {
  return patterns.find(([pattern]) => pattern.test(model))?.[1];
}
