/** Which models can hold a live conversation, and which one does where the caller names none. */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { operationFor } from '../providers/operation-places.ts';
import { requireModel } from '../relay/admission/require-model.ts';
import { unservedModel } from '../relay/admission/route-call.ts';
import type { Catalogue, Target } from '../routing/catalogue.ts';

const operation = 'converse-live';
const nameSaysSo = /realtime/i;

/**
 * A provider must have an endpoint for it, and be known to support it with this model: by the notes of the model, by its own list of
 * such models, or by a name. The name may be an alias, so that an operator can mark a deployment of any name.
 */
export function isLive({ provider, model }: Target, named: string): boolean {
  if (provider.sockets === undefined) return false;
  const place = operationFor(provider, operation, model);
  if (place === undefined) return false;
  const noted = provider.notes.get(model)?.operations;
  if (noted !== undefined) return noted.includes(operation);
  return place.models !== undefined || nameSaysSo.test(model) || nameSaysSo.test(named);
}

/** Throws where the caller may not use the model, or no provider serves it live. */
export function liveTargets(catalogue: Catalogue, caller: Caller, model: string): readonly Target[] {
  requireModel(caller, model);
  const targets = catalogue.resolve(model);
  if (targets === undefined) throw unservedModel(catalogue, model);
  const able = targets.filter((target) => isLive(target, model));
  if (able.length === 0) {
    const message = `The model ${model.slice(0, 200)} does not support ${operation}.`;
    throw new GatewayError('operation_unsupported', message, { param: 'model' });
  }
  return able;
}

/** An alias of the operation's own name is the operator's choice; then the first model whose name says what it is for. */
export function defaultLiveModel(catalogue: Catalogue): string {
  const able = catalogue.served().filter(({ id, targets }) => targets.some((target) => isLive(target, id)));
  const chosen = able.find(({ id, alias }) => alias && id === operation) ?? able.find(({ id }) => nameSaysSo.test(id));
  if (chosen !== undefined) return chosen.id;
  const message = 'Set `model`: there is no default for realtime.';
  throw new GatewayError('field_missing', message, { param: 'model' });
}
