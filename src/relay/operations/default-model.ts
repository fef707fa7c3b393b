/** Which model serves an operation where the client names none: the operator's alias, else one whose name says what it is for. */

import type { ServiceName } from '../../operations/wire.ts';
import { operationsByName } from '../../providers/model-names.ts';
import type { Catalogue } from '../../routing/catalogue.ts';
import { canDo } from './can-do.ts';

/** An alias of the operation's own name is the operator's choice and comes first. */
export function defaultModelOf(catalogue: Catalogue, operation: ServiceName): string | undefined {
  const able = catalogue.served().filter(({ targets }) => targets.some((target) => canDo(target, operation)));
  const chosen = able.find(({ id, alias }) => alias && id === operation);
  return (chosen ?? able.find(({ id }) => operationsByName(id)?.includes(operation)))?.id;
}
