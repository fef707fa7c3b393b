/** Which parameters a model takes where a provider serves it: those that any of its formats supports, without those that the model is known to refuse. */

import type { ModelProfile } from '../conversation/model-profile.ts';
import type { ParameterName } from '../conversation/parameters.ts';
import { formats } from '../formats/all.ts';
import { carriedParameters } from '../formats/carried-parameters.ts';
import type { Provider } from './assemble.ts';
import { formatsFor } from './formats-for.ts';
import { profileOf } from './profile-of.ts';

/**
 * One format that supports it is enough: clients of that one are served in it, and clients of another get it as a loss.
 * Fields that only a provider's own bytes have are not counted, though they pass within a format.
 */
export function takenParameters(
  provider: Provider,
  model: string,
  profile: ModelProfile = profileOf(provider, model),
): ReadonlySet<ParameterName> {
  const taken = new Set<ParameterName>();
  for (const name of formatsFor(provider, model)) {
    for (const parameter of carriedParameters(formats[name], provider.quirks)) taken.add(parameter);
  }
  for (const parameter of profile.refuses ?? []) taken.delete(parameter);
  if (!takesThinkingOptions(profile)) taken.delete('thinking');
  const declared = provider.notes.get(model)?.parameters;
  return declared === undefined ? taken : taken.intersection(new Set(declared));
}

/** A model that never thinks or always does takes no options for it. */
function takesThinkingOptions({ thinking }: ModelProfile): boolean {
  return thinking?.kind !== 'never' && thinking?.kind !== 'always';
}
