/** What a model refuses of a chat body that stays a chat body. */

import { thinksWhenAsked } from '../../../conversation/fit/thinking.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../../../conversation/model-profile.ts';
import { BodyChanges } from '../../body-changes.ts';
import { effortFits, fittingEffort, ruleIn } from '../../fit-effort.ts';
import {
  fitParameters,
  holdsUnfit,
  isGiven,
  leaveOutChoice,
  type ParameterFields,
  refusesChoice,
  reportForced,
} from '../../fit-parameters.ts';
import { fitUserFields, holdsUnfitUser } from '../../fit-user.ts';
import type { ExactFields, Fitting } from '../../format.ts';
import { readThinking } from '../read/request.ts';
import { readToolChoice } from '../read/tools.ts';
import { fitMessages, holdsUnfitMessages } from './messages.ts';
import { fitOutput, holdsUnfitOutput } from './output.ts';

const parameterFields: ParameterFields = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['max_completion_tokens', 'max_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logitBias: ['logit_bias'],
  logprobs: ['logprobs', 'top_logprobs'],
  parallelToolCalls: ['parallel_tool_calls'],
  verbosity: ['verbosity'],
};

/** The fields that ask services of the format to think: the original one and two objects of compatible services. */
const thinkingFields = ['reasoning_effort', 'reasoning', 'thinking'] as const;

export function fit(tree: Tree, profile: ModelProfile, exact?: ExactFields): Fitting | undefined {
  if (!mayBeUnfit(tree, profile)) return undefined;
  const changes = new BodyChanges(tree, exact);
  const { losses } = changes;
  const rule = ruleIn(profile);
  if (rule !== undefined) fitThinkingFields(tree, rule, changes);
  const thinks = thinksWhenAsked(readThinking(changes.appliedTo(tree), new LossList()), rule);
  fitParameters(changes, parameterFields, profile, thinks, losses);
  if (profile.olderLimit === 'refused') renameLimit(changes);
  if (profile.userId !== undefined) fitUserFields(tree, profile.userId, changes);
  if (holdsUnfitMessages(tree['messages'], profile)) {
    changes.set('messages', fitMessages(changes.exactly('messages') as readonly unknown[], profile, losses));
  }
  if (holdsUnfitOutput(tree, profile)) fitOutput(tree, profile, changes);
  if (profile.allowedTools === 'refused' || refusesChoice(profile)) fitAllowed(tree, changes);
  if (refusesChoice(profile)) leaveOutChoice(changes, losses);
  if (profile.forcedTools === 'refused' && isForced(changes.get('tool_choice'))) {
    changes.set('tool_choice', unforced(changes.get('tool_choice')));
    reportForced(losses);
  }
  if (profile.forcedTools === 'unnamed') fitNamed(tree, changes);
  return changes.fitting;
}

/** Reads only: nearly every request fits. */
function mayBeUnfit(tree: Tree, profile: ModelProfile): boolean {
  if (holdsUnfit(tree, parameterFields, profile)) return true;
  if (profile.olderLimit === 'refused' && isGiven(tree['max_tokens'])) return true;
  const rule = ruleIn(profile);
  if (rule !== undefined && asksUnfit(tree, rule)) return true;
  if (profile.userId !== undefined && holdsUnfitUser(tree, profile.userId)) return true;
  if (holdsUnfitOutput(tree, profile)) return true;
  if (refusesChoice(profile) && isGiven(tree['tool_choice'])) return true;
  if (profile.allowedTools === 'refused' && isObject(tree['tool_choice'])) return true;
  if (profile.forcedTools === 'refused' && isForced(tree['tool_choice'])) return true;
  if (profile.forcedTools === 'unnamed' && isObject(tree['tool_choice'])) return true;
  return holdsUnfitMessages(tree['messages'], profile);
}

function asksUnfit(tree: Tree, rule: ThinkingRule): boolean {
  const effort = tree['reasoning_effort'];
  if (typeof effort === 'string' && !effortFits(effort, rule)) return true;
  return rule.kind === 'never' && (isGiven(tree['reasoning']) || isGiven(tree['thinking']));
}

function renameLimit(changes: BodyChanges): void {
  const older = changes.get('max_tokens');
  if (!isGiven(older)) return;
  changes.remove('max_tokens');
  if (!isGiven(changes.get('max_completion_tokens'))) changes.set('max_completion_tokens', older);
}

/** A model that does not think gets no field for it; of the others only the original field is known to be refused. */
function fitThinkingFields(tree: Tree, rule: ThinkingRule, changes: BodyChanges): void {
  const { losses } = changes;
  const effort = tree['reasoning_effort'];
  if (typeof effort === 'string') {
    const fitting = fittingEffort(effort, rule, losses);
    if (fitting === undefined) changes.remove('reasoning_effort');
    else if (fitting !== effort) changes.set('reasoning_effort', fitting);
  }
  if (rule.kind !== 'never') return;
  const asked = readThinking({ ...tree, reasoning_effort: undefined }, new LossList());
  const isOff = asked?.mode === 'off' || asked?.effort === 'none' || asked?.budgetTokens === 0;
  if (asked !== undefined && !isOff) losses.addOnce('thinking', 'is not supported by the model');
  for (const field of thinkingFields) if (isGiven(tree[field])) changes.remove(field);
}

/** A call of the named tool is that of the only one. */
function fitNamed(tree: Tree, changes: BodyChanges): void {
  const choice = readToolChoice(tree, new LossList());
  const tools = changes.get('tools');
  if (choice.kind !== 'tool' || !Array.isArray(tools)) return;
  const isChosen = (tool: unknown): boolean =>
    isObject(tool) && isObject(tool['function']) && tool['function']['name'] === choice.name;
  if (!tools.some(isChosen)) return;
  changes.set('tools', tools.filter(isChosen));
  changes.set('tool_choice', 'required');
}

function isForced(choice: unknown): boolean {
  if (!isObject(choice)) return choice === 'required';
  return choice['type'] !== 'allowed_tools' || isMust(choice) || isMust(choice['allowed_tools']);
}

function isMust(choice: unknown): choice is Tree {
  return isObject(choice) && choice['mode'] === 'required';
}

/** A choice among some tools stays one. */
function unforced(choice: unknown): unknown {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return 'auto';
  const { allowed_tools: allowed } = choice;
  if (isMust(allowed)) return { ...choice, allowed_tools: { ...allowed, mode: 'auto' } };
  return { ...choice, mode: 'auto' };
}

/** A choice among some of the tools is the same as to declare those only. */
function fitAllowed(tree: Tree, changes: BodyChanges): void {
  const choice = readToolChoice(tree, new LossList());
  if (choice.kind !== 'allowed') return;
  changes.set('tool_choice', choice.required ? 'required' : 'auto');
  const tools = changes.exactly('tools');
  if (!Array.isArray(tools)) return;
  const isAllowed = (tool: unknown): boolean => {
    const named = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
    return isObject(named) && typeof named.name === 'string' && choice.names.includes(named.name);
  };
  if (!tools.every(isAllowed)) changes.set('tools', tools.filter(isAllowed));
}
