/** Limits which tools may be called in a form that the target accepts: a tool that is not declared cannot be called. */

import { isObject } from '../json-tree.ts';
import type { LossList } from '../loss-list.ts';
import type { ModelProfile, Taking } from '../model-profile.ts';
import type { ConversationRules } from '../repair/rules.ts';
import type { HostedTool, TextRequest, ToolChoice } from '../text-request.ts';

type Choice = Pick<TextRequest, 'tools' | 'toolChoice'>;

/**
 * A choice of tools that are not declared to the target, since only another format has them, is refused by every provider:
 * the model chooses among those that are left. Returns the same request where the choice is possible.
 */
export function withPossibleChoice(request: TextRequest, format: string, losses: LossList): TextRequest {
  const { toolChoice: choice } = request;
  if (choice.kind === 'auto' || choice.kind === 'none') return request;
  const hosted = (request.hostedTools ?? []).filter((tool) => tool.kind === 'web-search' || tool.format === format);
  const isLeft = (name: string): boolean =>
    request.tools.some((tool) => tool.name === name) || hosted.some((tool) => isNamed(tool, name, format));
  const free = (): TextRequest => {
    losses.add('tool_choice', 'demands a tool that the target does not have; the model chooses');
    return { ...request, toolChoice: { kind: 'auto' } };
  };
  switch (choice.kind) {
    case 'required':
      return request.tools.length + hosted.length > 0 ? request : free();
    case 'tool':
      return isLeft(choice.name) ? request : free();
    case 'allowed': {
      const names = choice.names.filter(isLeft);
      if (names.length === choice.names.length) return request;
      if (names.length === 0 && choice.required) return free();
      losses.add('tool_choice', 'allows a tool that the target does not have');
      return { ...request, toolChoice: names.length === 0 ? { kind: 'none' } : { ...choice, names } };
    }
  }
}

function isNamed(tool: HostedTool, name: string, format: string): boolean {
  const value = tool.kind === 'native' ? tool.value : tool.extras?.format === format ? tool.extras.fields : undefined;
  return isObject(value) && (value.name === name || value.type === name || tool.kind === 'web-search');
}

/** Undefined where the choice can stay as it is. */
export function fitToolChoice(
  request: TextRequest,
  profile: ModelProfile,
  rules: ConversationRules,
  losses: LossList,
): Partial<Choice> | undefined {
  const isMute = profile.refuses?.includes('toolChoice') === true;
  const allowed = fitAllowed(request, isMute ? 'refused' : profile.allowedTools, rules);
  const { toolChoice = request.toolChoice, tools = request.tools } = allowed ?? {};
  // Without a field for the choice, what must not be called is not declared.
  if (isMute && toolChoice.kind === 'none') return { tools: [], toolChoice: { kind: 'auto' } };
  if (profile.forcedTools === 'unnamed' && toolChoice.kind === 'tool') {
    // What is declared alone needs no name.
    return { tools: tools.filter(({ name }) => name === toolChoice.name), toolChoice: { kind: 'required' } };
  }
  const free = isMute || profile.forcedTools === 'refused' ? unforced(tools, toolChoice, losses) : undefined;
  return free ?? allowed;
}

function fitAllowed(
  { tools, toolChoice, hostedTools }: TextRequest,
  allowedTools: Taking | undefined,
  { copied }: ConversationRules,
): Partial<Choice> | undefined {
  if (toolChoice.kind !== 'allowed') return undefined;
  const { names } = toolChoice;
  const plain: ToolChoice = { kind: toolChoice.required ? 'required' : 'auto' };
  const isEvery = hostedTools === undefined && tools.every(({ name }) => names.includes(name));
  if (isEvery && names.length > 0) return { toolChoice: plain };
  const isTaken = allowedTools === 'taken' || (allowedTools === undefined && copied !== true);
  if (isTaken) return undefined;
  return { tools: tools.filter(({ name }) => names.includes(name)), toolChoice: plain };
}

/** Undefined where no call is demanded. */
function unforced(tools: TextRequest['tools'], choice: ToolChoice, losses: LossList): Partial<Choice> | undefined {
  switch (choice.kind) {
    case 'auto':
    case 'none':
      return undefined;
    case 'required':
      losses.add('tool_choice', 'the model cannot be forced to call a tool');
      return { tools, toolChoice: { kind: 'auto' } };
    case 'allowed':
      if (!choice.required) return undefined;
      losses.add('tool_choice', 'the model cannot be forced to call a tool');
      return { tools, toolChoice: { ...choice, required: false } };
    case 'tool':
      losses.add('tool_choice', 'the model cannot be forced to call a tool; only the demanded one is declared');
      return { tools: tools.filter(({ name }) => name === choice.name), toolChoice: { kind: 'auto' } };
  }
}
