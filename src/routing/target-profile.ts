/** The profile of a model at a target: what is known of it, then what its provider's refusals added. */

import type { ModelProfile } from '../conversation/model-profile.ts';
import type { Loss } from '../conversation/parts.ts';
import { profileOf } from '../providers/profile-of.ts';
import type { Target } from './catalogue.ts';
import type { PassedHeaders } from './learned-refusals.ts';

/** `headers` are those of the client that reach the provider. */
export function profileAt(target: Target, headers?: PassedHeaders): ModelProfile {
  const known = target.profile ?? profileOf(target.provider, target.model);
  const { learned } = target.health;
  return learned === undefined ? known : learned.over(known, headers);
}

/** Losses on the way to the target; those caused by a learned refusal name it. */
export function lossesAt({ health }: Target, losses: readonly Loss[], headers?: PassedHeaders): readonly Loss[] {
  return health.learned === undefined ? losses : health.learned.explained(losses, headers);
}
