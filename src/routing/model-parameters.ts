/** Which parameters a served model takes, whichever target answers: what the list of models promises. */

import type { Needs } from '../conversation/needs.ts';
import { type ParameterName, parameterNames } from '../conversation/parameters.ts';
import { takenParameters } from '../providers/taken-parameters.ts';
import type { Target } from './catalogue.ts';
import { operationsOf } from './model-operations.ts';

const conversing = 'converse';

/** Needs that routing considers: a target that refused one gets no request with it. */
const needOf: Partial<Readonly<Record<ParameterName, keyof Needs>>> = {
  tools: 'tools',
  toolChoice: 'tools',
  parallelToolCalls: 'tools',
  jsonOutput: 'structured',
  schemaOutput: 'structured',
};

/**
 * A parameter is promised if every target takes it that a request with it may reach. Routing does not choose by
 * temperature, so one target that does not take it removes it for all; it does choose by tools and structured output,
 * so targets that refused them recently do not count, as long as one is left. Undefined where no target converses.
 */
export function parametersOf(targets: readonly Target[], nowMs: number): readonly ParameterName[] | undefined {
  const homes = targets.filter(answersConversations).map((target) => ({
    health: target.health,
    taken: takenParameters(target.provider, target.model, target.profile),
  }));
  if (homes.length === 0) return undefined;
  return parameterNames.filter((name) => {
    const need = needOf[name];
    const reached = need === undefined ? homes : homes.filter(({ health }) => !health.lacks(need, nowMs));
    return reached.length > 0 && reached.every(({ taken }) => taken.has(name));
  });
}

function answersConversations(target: Target): boolean {
  return target.conditions?.operations?.includes(conversing) !== false && operationsOf(target).includes(conversing);
}
