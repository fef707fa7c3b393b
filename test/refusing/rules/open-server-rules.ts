/**
 * What servers of open models refuse in the chat format, by the texts of their errors in public reports (read 2026-11-15):
 * github.com/QwenLM/qwen-code/issues/2320, github.com/BerriAI/litellm/issues/6642 (lists at DeepSeek),
 * github.com/vllm-project/vllm/issues/41114, github.com/ollama/ollama/issues/17774 (instructions in Qwen's templates),
 * github.com/can1357/oh-my-pi/issues/958 (the developer role at vLLM), github.com/looplj/axonhub/issues/1669 (ids at Zhipu),
 * github.com/NousResearch/hermes-agent/issues/15353, github.com/deepseek-ai/DeepSeek-V3/issues/1376 (thoughts that must come back
 * with their calls), github.com/bytedance/deer-flow/issues/3043 (forced tools while it thinks; read 2026-11-19).
 */

import { given, type Json, listOf, objectOf, type Rules, refuse, type WireName } from './refusal.ts';

const roles = ['system', 'user', 'assistant', 'tool'];

function turnsOf(body: Json): readonly Json[] {
  return listOf(body.messages).map(objectOf);
}

function checkChoice(body: Json): void {
  const { type } = objectOf(body.tool_choice);
  if (type === 'allowed_tools') refuse(`tool_choice.type: unknown variant \`${type}\`, expected \`function\``);
}

/** Does it think unless that is switched off, and refuse to continue without its thinking? */
export function needsThinkingBack(model: string, body: Json): boolean {
  const isOff = body.reasoning_effort === 'none' || objectOf(body.thinking).type === 'disabled';
  return !isOff && /^(?:deepseek-v4|kimi-k(?:2[.-][5-9]|[3-9]))/.test(model);
}

/** While it thinks, no choice forces a tool, and each call comes back with the thoughts that it was made with. */
function checkThinking(model: string, body: Json): void {
  if (!needsThinkingBack(model, body)) return;
  const { tool_choice: choice } = body;
  if (choice === 'required' || objectOf(choice).type === 'function')
    refuse('tool_choice: a forced choice of a tool is not supported in thinking mode');
  for (const { role, tool_calls: calls, reasoning_content: thoughts } of turnsOf(body)) {
    if (role !== 'assistant' || listOf(calls).length === 0 || typeof thoughts === 'string') continue;
    refuse('The `reasoning_content` in the thinking mode must be passed back to the API.');
  }
}

export const moonshotRules: Rules = (_wire, model, body) => {
  for (const [index, { role }] of turnsOf(body).entries())
    if (!roles.includes(String(role))) refuse(`Invalid request: invalid role in messages[${index}]: ${role}`);
  checkChoice(body);
  checkThinking(model, body);
};

export const deepseekRules: Rules = (_wire, model, body) => {
  for (const [index, { role, content }] of turnsOf(body).entries()) {
    const place = `Failed to deserialize the JSON body into the target type: messages[${index}]`;
    if (!roles.includes(String(role))) {
      refuse(
        `${place}.role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
        undefined,
        422,
      );
    }
    if (Array.isArray(content)) refuse(`${place}: invalid type: sequence, expected a string`, undefined, 422);
  }
  const limit = body.max_tokens;
  if (typeof limit === 'number' && limit > 393_216)
    refuse('Invalid max_tokens value, the valid range of max_tokens is [1, 393216]');
  checkChoice(body);
  checkThinking(model, body);
};

/** The turns that a server's template is given, whichever path they came by. */
function renderedTurns(wire: WireName, body: Json): readonly Json[] {
  const first = given(body.instructions ?? body.system) ? [{ role: 'system' }] : [];
  if (wire !== 'responses') return [...first, ...turnsOf(body)];
  if (typeof body.input === 'string') return [...first, { role: 'user' }];
  return [
    ...first,
    ...listOf(body.input)
      .map(objectOf)
      .filter(({ role }) => given(role)),
  ];
}

/** A template that raises an exception for every instruction but the first message. */
export const qwenTemplateRules: Rules = (wire, _model, body) => {
  const turns = renderedTurns(wire, body);
  if (turns.length === 0) refuse('No messages provided.');
  for (const [index, { role }] of turns.entries()) {
    // Servers that take the responses format read a developer as the system.
    const isInstruction = role === 'system' || (role === 'developer' && wire === 'responses');
    if (isInstruction && index > 0) refuse('System message must be at the beginning.');
    if (!isInstruction && !roles.includes(String(role))) refuse('Unexpected message role.');
  }
  checkChoice(body);
};

export const zhipuRules: Rules = (_wire, _model, body) => {
  for (const field of ['user_id', 'user'] as const) {
    const id = body[field];
    if (!given(id)) continue;
    if (String(id).length < 6 || String(id).length > 128) refuse('user_id must be between 6 and 128 characters', field);
  }
  for (const { role } of turnsOf(body)) if (!roles.includes(String(role))) refuse(`messages role ${role} is invalid`);
  checkChoice(body);
};
