/** May the token use the model? The same question and the same answer for every kind of work. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

/** Throws `model_not_allowed`. `param` names the field that named the model. */
export function requireModel(caller: Caller, model: string, param = 'model'): void {
  if (caller.mayUseModel(model)) return;
  throw new GatewayError('model_not_allowed', `This token may not use the model ${model.slice(0, 200)}.`, { param });
}
