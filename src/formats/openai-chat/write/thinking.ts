/**
 * Writes how much to think. The original service accepts efforts only; hosts of other models have fields of their own
 * for it (`WriteQuirks.thinkingAs`). Where the amount is left to the model, the plain format writes nothing.
 *
 * Read 2026-11-15: https://api-docs.deepseek.com/guides/thinking_mode (`thinking.type`, `reasoning_effort`),
 * https://docs.z.ai/guides/capabilities/thinking-mode (the same), https://platform.moonshot.ai/docs (the same),
 * https://www.alibabacloud.com/help/en/model-studio/deep-thinking (`enable_thinking`, `thinking_budget`),
 * https://openrouter.ai/docs/use-cases/reasoning-tokens (`reasoning`: an effort or a number of tokens, never both).
 */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { ThinkingRule } from '../../../conversation/model-profile.ts';
import type { TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { budgetOfEffort, effortOfBudget } from '../../../conversation/thinking-effort.ts';
import type { WriteTarget } from '../../codec.ts';

type Body = Record<string, unknown>;

export function writeThinking(
  request: TextRequest,
  { quirks, profile }: Pick<WriteTarget, 'quirks' | 'profile'>,
  body: Body,
  losses: LossList,
): void {
  const { thinking } = request;
  if (thinking === undefined) return;
  switch (quirks.thinkingAs) {
    case 'enable_thinking':
      writeSwitch(thinking, body, losses);
      break;
    case 'thinking-type':
      writeType(thinking, profile.thinking, body);
      break;
    case 'reasoning':
      writeReasoning(request, thinking, body, losses);
      return;
    default: {
      const effort = effortOf(thinking);
      if (effort !== undefined) body.reasoning_effort = effort;
    }
  }
  if (thinking.visible !== undefined || thinking.summary !== undefined) {
    losses.add('thinking visibility', 'the format has no field for it');
  }
}

function isOff({ mode, effort, budgetTokens }: Thinking): boolean {
  return mode === 'off' || effort === 'none' || budgetTokens === 0;
}

function effortOf(thinking: Thinking): string | undefined {
  if (isOff(thinking)) return 'none';
  return wordOf(thinking) ?? (thinking.mode === 'on' ? 'medium' : undefined);
}

function wordOf({ effort, budgetTokens }: Thinking): string | undefined {
  return effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
}

/** On or off, and at most so many tokens. */
function writeSwitch(thinking: Thinking, body: Body, losses: LossList): void {
  const { mode, effort, budgetTokens } = thinking;
  if (isOff(thinking)) {
    body.enable_thinking = false;
    return;
  }
  if (mode === undefined && effort === undefined && budgetTokens === undefined) return;
  body.enable_thinking = true;
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOfEffort(effort));
  if (budget !== undefined) body.thinking_budget = budget;
  else if (effort !== undefined) losses.add(`thinking effort ${effort}`, 'has no known budget');
}

/** On or off; models with efforts get one, and are switched on where thinking is off by default. */
function writeType(thinking: Thinking, rule: ThinkingRule | undefined, body: Body): void {
  const effort = wordOf(thinking);
  if (isOff(thinking)) {
    body.thinking = { type: 'disabled' };
    return;
  }
  const isSilent = rule?.kind === 'effort' && rule.byDefault === 'none';
  if (effort === undefined ? thinking.mode !== undefined : isSilent) body.thinking = { type: 'enabled' };
  if (effort !== undefined) body.reasoning_effort = effort;
}

/** One object for every model; the service converts it for the model's own provider. */
function writeReasoning({ maxOutputTokens }: TextRequest, thinking: Thinking, body: Body, losses: LossList): void {
  const { mode, effort, budgetTokens, visible, summary } = thinking;
  const reasoning: Record<string, unknown> = {};
  if (isOff(thinking)) reasoning.effort = 'none';
  else if (effort !== undefined) reasoning.effort = effort;
  else if (budgetTokens !== undefined) {
    const budget =
      maxOutputTokens === undefined ? budgetTokens : Math.min(budgetTokens, Math.max(1, maxOutputTokens - 1));
    if (budget < budgetTokens) losses.add('thinking budget', `is more than the reply's limit; ${budget} is sent`);
    reasoning.max_tokens = budget;
  } else if (mode !== undefined) reasoning.enabled = true;
  if (visible === false) reasoning.exclude = true;
  if (summary !== undefined && summary !== 'auto')
    losses.add('thinking summary', 'the service does not let it be chosen');
  if (Object.keys(reasoning).length > 0) body.reasoning = reasoning;
}
