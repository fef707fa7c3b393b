/** What is known of a target's model, field by field, with where each is written. */

import type { ModelProfile } from '../../conversation/model-profile.ts';
import { profileLayers, profileOf } from '../../providers/profile-of.ts';
import { inSnakeCase } from '../../providers/profile-words.ts';
import type { Target } from '../../routing/catalogue.ts';
import { withRefusals } from '../../routing/learned-refusals.ts';
import type { ExplainedFact } from './explanation.ts';

/** `sizes` are the ones that requests are checked against: price tables override the family; the provider's list and the operator override them. */
export function explainedProfile(
  target: Target,
  sizes: Pick<ModelProfile, 'contextTokens' | 'outputTokensMax'>,
): readonly ExplainedFact[] {
  const facts = new Map<string, ExplainedFact>();
  for (const { from, profile } of profileLayers(target.provider, target.model, target.listed)) {
    for (const [name, value] of Object.entries(profile))
      facts.set(name, { field: inSnakeCase(name), value: worded(value), from });
  }
  for (const [name, value] of Object.entries(sizes)) {
    if (facts.get(name)?.value !== value) facts.set(name, { field: inSnakeCase(name), value, from: 'price table' });
  }
  addLearned(target, facts);
  return [...facts.values()];
}

/** What refusals taught goes before everything else; lists are shown as they have grown, limits as they have shrunk. */
function addLearned(target: Target, facts: Map<string, ExplainedFact>): void {
  let profile: ModelProfile = target.profile ?? profileOf(target.provider, target.model);
  for (const { profile: taught, atMs } of target.health.learned?.taught ?? []) {
    profile = withRefusals(profile, taught);
    const from = `learned from a refusal at ${new Date(atMs).toISOString()}`;
    for (const [name, value] of Object.entries(profile)) {
      if (name in taught) facts.set(name, { field: inSnakeCase(name), value: worded(value), from });
    }
  }
}

/** As configuration spells it: names of parameters and of fields in small letters, at every depth. */
function worded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? inSnakeCase(item) : worded(item)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [inSnakeCase(name), worded(field)]));
}
