/** What a model can be asked for, as far as anybody can tell: what is known of it, else what its name says, within what its providers do. */

import type { Target } from './catalogue.ts';

const conversing = 'converse';

/** Names that say what a model is for; the first that fits counts. */
const byName: readonly (readonly [RegExp, readonly string[]])[] = [
  [/rerank/i, ['rerank']],
  [/embed|\bbge\b|\be5-/i, ['embed']],
  [/moderat/i, ['moderate']],
  [/whisper|transcrib|scribe|^nova-\d/i, ['transcribe', 'translate']],
  [/\btts\b|-tts|speech|^aura-/i, ['speak']],
  [/dall-e|gpt-image|imagen|flux|diffusion|kontext|-image\b/i, ['make-image', 'edit-image']],
];

export function operationsOf({ provider, model }: Target): readonly string[] {
  const known = provider.notes.get(model)?.operations;
  if (known !== undefined) return known;
  const guessed = byName.find(([pattern]) => pattern.test(model))?.[1] ?? [conversing];
  const possible = guessed.filter((name) => name === conversing || name in provider.operations);
  return possible.length > 0 ? possible : [conversing];
}
