/** What a model refuses of a messages body that stays one. */

import { thinksWhenAsked } from '../../../conversation/fit/thinking.ts';
import { fittingUserId, userIdFits } from '../../../conversation/fit/user-id.ts';
import { refused, refusedWhileThinking } from '../../../conversation/fit-model.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import type { ParameterName } from '../../../conversation/parameters.ts';
import { BodyChanges } from '../../body-changes.ts';
import { ruleIn } from '../../fit-effort.ts';
import {
  fitParameters,
  holdsUnfit,
  isGiven,
  leaveOutChoice,
  type ParameterFields,
  refusesChoice,
  reportForced,
} from '../../fit-parameters.ts';
import { reportUser } from '../../fit-user.ts';
import { type Folding, foldInstructions } from '../../fold-instructions.ts';
import type { ExactFields, Fitting } from '../../format.ts';
import { readThinking } from '../read/request.ts';
import { fitOutput, schemaIn } from './output.ts';
import { fitThinkingFields, thinkingFits } from './thinking.ts';

const parameterFields: ParameterFields = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['max_tokens'],
  stop: ['stop_sequences'],
};

export function fit(tree: Tree, profile: ModelProfile, exact?: ExactFields): Fitting | undefined {
  if (!mayBeUnfit(tree, profile)) return undefined;
  const changes = new BodyChanges(tree, exact);
  const rule = ruleIn(profile);
  if (rule !== undefined) fitThinkingFields(tree, profile, rule, changes);
  const config = changes.get('output_config');
  const effort = isObject(config) ? config.effort : undefined;
  const asked = readThinking(changes.get('thinking'), effort, new LossList());
  // An effort alone does not ask for thoughts here.
  const thinking = asked?.mode === undefined ? undefined : asked;
  const thinks = thinksWhenAsked(thinking, rule);
  fitParameters(changes, parameterFields, profile, thinks, changes.losses);
  fitUser(tree, profile, changes);
  if (profile.refuses?.includes('schemaOutput') === true) fitOutput(tree, changes);
  if (refusesSerial(profile.refuses)) leaveOutSerial(tree, refused, changes);
  else if (thinks && refusesSerial(profile.refusesWhileThinking)) leaveOutSerial(tree, refusedWhileThinking, changes);
  if (refusesChoice(profile)) leaveOutChoice(changes, changes.losses);
  else if (profile.forcedTools === 'refused' && isForced(tree.tool_choice)) {
    const { name: _, ...choice } = changes.get('tool_choice') as Tree;
    changes.set('tool_choice', { ...choice, type: 'auto' });
    reportForced(changes.losses);
  }
  if (profile.laterInstructions === 'refused' && holdsInstructions(tree.messages)) {
    const messages = changes.exactly('messages') as readonly unknown[];
    changes.set('messages', foldInstructions(messages, folding, changes.losses));
  }
  return changes.fitting;
}

/** Reads only: nearly every request fits. */
function mayBeUnfit(tree: Tree, profile: ModelProfile): boolean {
  if (holdsUnfit(tree, parameterFields, profile)) return true;
  const rule = ruleIn(profile);
  if (rule !== undefined && !thinkingFits(tree, profile, rule)) return true;
  if (profile.userId !== undefined && isObject(tree.metadata)) {
    const { user_id: id } = tree.metadata;
    if (typeof id === 'string' && !userIdFits(id, profile.userId)) return true;
  }
  if (profile.refuses?.includes('schemaOutput') === true && schemaIn(tree) !== undefined) return true;
  if (refusesChoice(profile) && isGiven(tree.tool_choice)) return true;
  if (isSerial(tree.tool_choice) && (refusesSerial(profile.refuses) || refusesSerial(profile.refusesWhileThinking))) {
    return true;
  }
  if (profile.forcedTools === 'refused' && isForced(tree.tool_choice)) return true;
  return profile.laterInstructions === 'refused' && holdsInstructions(tree.messages);
}

function isSerial(choice: unknown): choice is Tree {
  return isObject(choice) && isGiven(choice.disable_parallel_tool_use);
}

function refusesSerial(parameters: readonly ParameterName[] | undefined): boolean {
  return parameters?.includes('parallelToolCalls') === true;
}

function leaveOutSerial({ tool_choice: choice }: Tree, why: string, changes: BodyChanges): void {
  if (!isSerial(choice)) return;
  const { disable_parallel_tool_use: isDisabled, ...rest } = choice;
  changes.set('tool_choice', rest);
  if (isDisabled === true) changes.losses.add('parallel_tool_calls', why);
}

function isForced(choice: unknown): choice is Tree {
  return isObject(choice) && (choice.type === 'any' || choice.type === 'tool');
}

function fitUser(tree: Tree, { userId }: ModelProfile, changes: BodyChanges): void {
  if (userId === undefined || !isObject(tree.metadata)) return;
  const { user_id: id } = tree.metadata;
  if (typeof id !== 'string' || userIdFits(id, userId)) return;
  const { user_id: _, ...rest } = tree.metadata;
  const fitting = fittingUserId(id, userId);
  if (fitting === undefined) reportUser(changes.losses);
  const metadata = fitting === undefined ? rest : { ...rest, user_id: fitting };
  if (Object.keys(metadata).length === 0) changes.remove('metadata');
  else changes.set('metadata', metadata);
}

function holdsInstructions(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  for (const message of messages) if (isInstruction(message)) return true;
  return false;
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && message.role === 'system';
}

const folding: Folding<unknown> = {
  kindOf: (message) => {
    if (isInstruction(message)) return 'instruction';
    return isObject(message) && message.role === 'user' ? 'user' : 'other';
  },
  merged: (instructions, turn, place) => {
    if (!isObject(turn)) return { role: 'user', content: blocksOf(instructions) };
    const own = blocksOf([turn]);
    // Results of tools come first in the user's turn.
    const isAfter = place === 'after' || own.some((block) => isObject(block) && block.type === 'tool_result');
    const content = isAfter ? [...own, ...blocksOf(instructions)] : [...blocksOf(instructions), ...own];
    return { ...turn, content };
  },
};

function blocksOf(messages: readonly unknown[]): readonly unknown[] {
  return messages.flatMap((message): readonly unknown[] => {
    const content = isObject(message) ? message.content : undefined;
    if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
    return Array.isArray(content) ? content : [];
  });
}
