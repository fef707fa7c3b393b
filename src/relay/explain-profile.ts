/** What is known of a target's model, field by field, with where each is written. */

import { profileLayers } from '../providers/profile-of.ts';
import { inSnakeCase } from '../providers/profile-words.ts';
import type { Target } from '../routing/catalogue.ts';
import type { ExplainedFact } from './explanation.ts';

/** `contextTokens` is what requests are judged by: a price table goes before everybody but the operator. */
export function explainedProfile(target: Target, contextTokens: number | undefined): readonly ExplainedFact[] {
  const facts = new Map<string, ExplainedFact>();
  for (const { from, profile } of profileLayers(target.provider, target.model, target.listed)) {
    for (const [name, value] of Object.entries(profile))
      facts.set(name, { field: inSnakeCase(name), value: worded(value), from });
  }
  if (contextTokens !== undefined && facts.get('contextTokens')?.value !== contextTokens) {
    facts.set('contextTokens', { field: 'context_tokens', value: contextTokens, from: 'price table' });
  }
  return [...facts.values()];
}

/** As configuration spells it: names of parameters and of fields in small letters, at every depth. */
function worded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? inSnakeCase(item) : worded(item)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [inSnakeCase(name), worded(field)]));
}
