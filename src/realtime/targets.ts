/** Which models can hold a live conversation, and which one does where the caller names none. */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { operationFor } from '../providers/operation-places.ts';
import type { Catalogue, Target } from '../routing/catalogue.ts';

const operation = 'converse-live';
const nameSaysSo = /realtime/i;

/**
 * A provider must have a place for it, and be known to do it with this model: by what is noted of the model, by its own list of
 * such models, or by a name. The name may be an alias, so that an operator can say so of a deployment called anything.
 */
export function isLive({ provider, model }: Target, named: string): boolean {
  if (provider.sockets === undefined) return false;
  const place = operationFor(provider, operation, model);
  if (place === undefined) return false;
  const noted = provider.notes.get(model)?.operations;
  if (noted !== undefined) return noted.includes(operation);
  return place.models !== undefined || nameSaysSo.test(model) || nameSaysSo.test(named);
}

/** Throws where the caller may not use the model, or nobody serves it this way. */
export function liveTargets(catalogue: Catalogue, caller: Caller, model: string): readonly Target[] {
  requireModel(caller, model);
  const shown = model.slice(0, 200);
  const targets = catalogue.resolve(model);
  if (targets === undefined) {
    const message = `No provider serves the model ${shown}. GET /v1/models lists those that are served.`;
    throw new GatewayError('model_not_found', message, { param: 'model' });
  }
  const able = targets.filter((target) => isLive(target, model));
  if (able.length === 0) {
    const message = `The model ${shown} cannot do this (${operation}).`;
    throw new GatewayError('operation_unsupported', message, { param: 'model' });
  }
  return able;
}

export function requireModel(caller: Caller, model: string, param = 'model'): void {
  if (caller.mayUseModel(model)) return;
  throw new GatewayError('model_not_allowed', `This token may not use the model ${model.slice(0, 200)}.`, { param });
}

/** An alias of the operation's own name is the operator's choice; then the first model whose name says what it is for. */
export function defaultLiveModel(catalogue: Catalogue): string {
  const able = catalogue.served().filter(({ id, targets }) => targets.some((target) => isLive(target, id)));
  const chosen = able.find(({ id, alias }) => alias && id === operation) ?? able.find(({ id }) => nameSaysSo.test(id));
  if (chosen !== undefined) return chosen.id;
  const message = 'Name the model: nothing here holds live conversations by default.';
  throw new GatewayError('field_missing', message, { param: 'model' });
}
