/** May the token use the model? The same question and the same answer for every kind of work. */

import type { Caller } from '../../access/caller.ts';
import { levelName } from '../../access/levels/levels.ts';
import { levelRefusing } from '../../access/terms.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

/** Throws `model_not_allowed`. `param` names the field that named the model. */
export function requireModel(caller: Caller, model: string, param = 'model'): void {
  if (caller.mayUseModel(model)) return;
  const shown = model.slice(0, 200);
  const level = levelRefusing(caller.levels, 'models', model);
  const whose = level === undefined || level.id === caller.tokenId ? '' : levelName(level, caller.tokenId);
  const message = `This token may not use the model ${shown}${whose && `: the ${whose} does not allow it`}.`;
  throw new GatewayError('model_not_allowed', message, { param });
}
