/** What a model refuses of a responses body that stays one. */

import { thinksWhenAsked } from '../../conversation/fit/thinking.ts';
import { refused, refusedWhileThinking } from '../../conversation/fit-model.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../../conversation/model-profile.ts';
import type { ParameterName } from '../../conversation/parameters.ts';
import { BodyChanges } from '../body-changes.ts';
import { effortFits, fittingEffort } from '../fit-effort.ts';
import { fitParameters, holdsUnfit, isGiven, type ParameterFields, reportForced } from '../fit-parameters.ts';
import { fitUserFields, holdsUnfitUser } from '../fit-user.ts';
import type { ExactFields, Fitting } from '../format.ts';
import { fitInput, holdsUnfitInput } from './fit-input.ts';
import { readThinking } from './read-request.ts';
import { DeclaredTools, readToolChoice } from './read-tools.ts';
import { list, sealedThinking, text, tokenLikelihoods } from './wire.ts';

const parameterFields: ParameterFields = {
  temperature: ['temperature'],
  topP: ['top_p'],
  maxOutputTokens: ['max_output_tokens'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logprobs: ['top_logprobs'],
  parallelToolCalls: ['parallel_tool_calls'],
};

export function fit(tree: Tree, profile: ModelProfile, exact?: ExactFields): Fitting | undefined {
  if (!mayBeUnfit(tree, profile)) return undefined;
  const changes = new BodyChanges(tree, exact);
  if (profile.thinking !== undefined) fitReasoning(tree, profile.thinking, changes);
  const thinks = thinksWhenAsked(readThinking(changes.get('reasoning'), new LossList()), profile.thinking);
  fitParameters(changes, parameterFields, profile, thinks, changes.losses);
  leaveOutInside(tree, profile.refuses, refused, changes);
  if (thinks) leaveOutInside(tree, profile.refusesWhileThinking, refusedWhileThinking, changes);
  if (profile.userId !== undefined) fitUserFields(tree, profile.userId, changes);
  if (holdsUnfitInput(tree, profile)) fitInput(tree, profile, changes);
  if (profile.allowedTools === 'refused') fitAllowed(tree, changes);
  if (profile.forcedTools === 'refused' && isForced(changes.get('tool_choice'))) {
    changes.set('tool_choice', 'auto');
    reportForced(changes.losses);
  }
  return changes.fitting;
}

/** Reads only: nearly every request fits. */
function mayBeUnfit(tree: Tree, profile: ModelProfile): boolean {
  if (holdsUnfit(tree, parameterFields, profile)) return true;
  const { thinking, refuses, refusesWhileThinking } = profile;
  if (thinking !== undefined && asksUnfit(tree, thinking)) return true;
  if (holdsInside(tree, refuses) || holdsInside(tree, refusesWhileThinking)) return true;
  if (profile.userId !== undefined && holdsUnfitUser(tree, profile.userId)) return true;
  if (profile.allowedTools === 'refused' && isObject(tree['tool_choice'])) return true;
  if (profile.forcedTools === 'refused' && isForced(tree['tool_choice'])) return true;
  return holdsUnfitInput(tree, profile);
}

function asksUnfit({ reasoning, include }: Tree, rule: ThinkingRule): boolean {
  if (rule.kind === 'never') return isObject(reasoning) || list(include).includes(sealedThinking);
  const effort = isObject(reasoning) ? reasoning['effort'] : undefined;
  return typeof effort === 'string' && !effortFits(effort, rule);
}

function holdsInside({ text: shape, include }: Tree, parameters: readonly ParameterName[] | undefined): boolean {
  if (parameters === undefined) return false;
  if (isObject(shape) && isGiven(shape['verbosity']) && parameters.includes('verbosity')) return true;
  return Array.isArray(include) && include.includes(tokenLikelihoods) && parameters.includes('logprobs');
}

/** A model that does not think seals no thoughts either. */
function fitReasoning(tree: Tree, rule: ThinkingRule, changes: BodyChanges): void {
  if (rule.kind === 'never') leaveOutInclude(tree, sealedThinking, changes);
  const { reasoning } = tree;
  if (!isObject(reasoning)) return;
  const effort = text(reasoning['effort']);
  const fitting = effort === undefined ? undefined : fittingEffort(effort, rule, changes.losses);
  if (rule.kind === 'never') {
    const isSaid = Object.values(reasoning).some(isGiven);
    if (effort === undefined && isSaid) changes.losses.addOnce('thinking', 'is nothing that the model does');
    if (isSaid) changes.remove('reasoning');
  } else if (fitting !== effort) {
    const { effort: _, ...rest } = reasoning;
    const fitted = fitting === undefined ? rest : { ...rest, effort: fitting };
    if (Object.keys(fitted).length === 0) changes.remove('reasoning');
    else changes.set('reasoning', fitted);
  }
}

/** The two parameters that stand inside other fields. */
function leaveOutInside(
  tree: Tree,
  parameters: readonly ParameterName[] | undefined,
  why: string,
  changes: BodyChanges,
): void {
  if (parameters?.includes('logprobs') === true && leaveOutInclude(tree, tokenLikelihoods, changes)) {
    changes.losses.addOnce('logprobs', why);
  }
  const shape = tree['text'];
  if (parameters?.includes('verbosity') !== true || !isObject(shape) || !isGiven(shape['verbosity'])) return;
  const { verbosity, ...rest } = changes.exactly('text') as Record<string, unknown>;
  if (verbosity !== 'medium') changes.losses.add('verbosity', why);
  if (Object.keys(rest).length === 0) changes.remove('text');
  else changes.set('text', rest);
}

function leaveOutInclude(tree: Tree, name: string, changes: BodyChanges): boolean {
  if (!list(tree['include']).includes(name)) return false;
  const rest = list(changes.get('include')).filter((one) => one !== name);
  if (rest.length === 0) changes.remove('include');
  else changes.set('include', rest);
  return true;
}

function isForced(choice: unknown): boolean {
  return choice === 'required' || (isObject(choice) && choice['type'] !== 'allowed_tools');
}

/** A choice among some of the tools is the same as to declare those only. */
function fitAllowed(tree: Tree, changes: BodyChanges): void {
  const losses = new LossList();
  const { choice, native } = readToolChoice(tree['tool_choice'], new DeclaredTools(tree, losses), losses);
  if (choice.kind !== 'allowed' || native !== undefined) return;
  changes.set('tool_choice', choice.required ? 'required' : 'auto');
  const tools = changes.exactly('tools');
  if (!Array.isArray(tools)) return;
  const isAllowed = (tool: unknown): boolean =>
    isObject(tool) && typeof tool['name'] === 'string' && choice.names.includes(tool['name']);
  if (!tools.every(isAllowed)) changes.set('tools', tools.filter(isAllowed));
}
