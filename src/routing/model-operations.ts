/** What a model can be asked for, as far as anybody can tell: what is known of it, else what its name says, within what its providers do. */

import type { Target } from './catalogue.ts';

const conversing = 'converse';

/** Names that say what a model is for; the first that fits counts. */
const byName: readonly (readonly [RegExp, readonly string[]])[] = [
  [/realtime/i, ['converse-live']],
  [/rerank/i, ['rerank']],
  [/embed|\bbge\b|\be5-/i, ['embed']],
  [/moderat/i, ['moderate']],
  [/whisper|transcrib|scribe|^nova-\d/i, ['transcribe', 'translate']],
  [/voxtral/i, [conversing, 'transcribe']],
  [/\btts\b|-tts|speech|orpheus|^aura-|^eleven_/i, ['speak']],
  [/\bsora|\bveo-?\d|kling|\bgen[34][._]|\baleph|hailuo|\b[tis]2v\b|\bwan-?\d|seedance|video/i, ['make-video']],
  [/dall-e|gpt-image|imagen|flux|diffusion|kontext|-image\b/i, ['make-image', 'edit-image']],
];

export function operationsOf({ provider, model }: Target): readonly string[] {
  const known = provider.notes.get(model)?.operations;
  if (known !== undefined) return known;
  const guessed = byName.find(([pattern]) => pattern.test(model))?.[1] ?? [conversing];
  const converses = provider.formats.length > 0;
  const possible = guessed.filter((name) => (name === conversing ? converses : name in provider.operations));
  if (possible.length > 0) return possible;
  // A name that says nothing: who only ranks or draws does not converse either.
  return converses ? [conversing] : Object.keys(provider.operations);
}
