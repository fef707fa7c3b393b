/** Can a target do an operation? */

import type { ServiceName } from '../../operations/wire.ts';
import { operationFor } from '../../providers/operation-places.ts';
import type { Target } from '../../routing/catalogue.ts';

/** The provider must have an endpoint for it, and what is known of the model must not exclude it. */
export function canDo({ provider, model }: Target, operation: ServiceName): boolean {
  if (operationFor(provider, operation, model) === undefined) return false;
  return provider.notes.get(model)?.operations?.includes(operation) ?? true;
}
