/** Which model serves an operation where the caller names none: the operator's alias, else one whose name says what it is for. */

import type { ServiceName } from '../../operations/wire.ts';
import type { Catalogue } from '../../routing/catalogue.ts';
import { canDo } from './can-do.ts';

/** What models for an operation are called, at any provider. */
const names: Partial<Readonly<Record<ServiceName, RegExp>>> = {
  moderate: /moderat/i,
  rerank: /rerank/i,
  'make-image': /image|imagen|dall-e|flux|diffusion/i,
  'edit-image': /image|kontext/i,
  'make-video': /sora|veo|kling|gen4|hailuo|\bwan|seedance|video/i,
};

/** An alias of the operation's own name is the operator's choice and comes first. */
export function defaultModelOf(catalogue: Catalogue, operation: ServiceName): string | undefined {
  const able = catalogue.served().filter(({ targets }) => targets.some((target) => canDo(target, operation)));
  const chosen = able.find(({ id, alias }) => alias && id === operation);
  if (chosen !== undefined) return chosen.id;
  const pattern = names[operation];
  return pattern === undefined ? undefined : able.find(({ id }) => pattern.test(id))?.id;
}
