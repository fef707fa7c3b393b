/** What a model can do: what is known of it, else what its name says, within what its provider does. */

import { type ModelOperation, operationsByName } from '../providers/model-names.ts';
import type { Target } from './catalogue.ts';

const conversing: ModelOperation = 'converse';

export function operationsOf({ provider, model }: Target): readonly string[] {
  const known = provider.notes.get(model)?.operations;
  if (known !== undefined) return known;
  const guessed = operationsByName(model) ?? [conversing];
  const converses = provider.formats.length > 0;
  const possible = guessed.filter((name) => (name === conversing ? converses : name in provider.operations));
  if (possible.length > 0) return possible;
  // A name that says nothing: a provider that only ranks or makes images does not converse either.
  return converses ? [conversing] : Object.keys(provider.operations);
}
