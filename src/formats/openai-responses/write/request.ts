/** Writes a neutral request as a responses request. */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Message } from '../../../conversation/parts.ts';
import type { OutputShape, TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { effortOfBudget } from '../../../conversation/thinking-effort.ts';
import { specialTools } from '../../../conversation/tools/special-tools.ts';
import type { WriteTarget } from '../../codec.ts';
import { formatName, list, sealedThinking, tokenLogprobs } from '../wire.ts';
import { InputWriter } from './input.ts';
import { writeToolChoice, writeTools } from './tools.ts';

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  const takesDeveloperRole = target.profile.developerRole === 'taken';
  const special = specialTools(request.tools);
  const input = new InputWriter({ losses, takesDeveloperRole, tools: special });
  const instructions = instructionsOf(request.messages[0]);
  for (let index = instructions === undefined ? 0 : 1; index < request.messages.length; index++) {
    const message = request.messages[index];
    if (message !== undefined) input.add(message, `messages[${index}]`);
  }
  const reasoning = writeThinking(request);
  const isAsked = input.sealed || (reasoning !== undefined && reasoning['effort'] !== 'none');
  // A model that does not think refuses the request for sealed thinking, so an unknown one gets it only where it is to
  // think.
  const { thinking } = target.profile;
  const thinks = isAsked || (thinking !== undefined && thinking.kind !== 'never' && reasoning?.['effort'] !== 'none');
  const own = request.extras?.format === formatName ? request.extras.fields : undefined;
  const include = writeInclude(request, thinks, own?.['include']);
  const tools = writeTools(request, input, losses);
  reportUnsupported(request, losses);
  const value = {
    ...own,
    model: target.origin.model,
    ...defined('instructions', instructions),
    input: input.items,
    ...(request.stream ? { stream: true } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...defined('tool_choice', own?.['tool_choice'] ?? writeToolChoice(request.toolChoice, special)),
    ...defined('parallel_tool_calls', request.parallelToolCalls),
    ...defined('text', writeText(request.output, request.verbosity)),
    ...defined('reasoning', reasoning),
    ...(include.length === 0 ? {} : { include }),
    ...defined('max_output_tokens', request.maxOutputTokens),
    ...defined('temperature', request.temperature),
    ...defined('top_p', request.topP),
    ...defined('top_logprobs', request.logprobs?.top),
    ...defined('service_tier', request.serviceTier),
    ...defined('metadata', request.metadata),
    ...defined('user', request.user),
    ...defined('prompt_cache_key', request.promptCacheKey),
    ...defined('previous_response_id', request.previousReplyId),
    // The format stores replies by default, and a caller of a format that does not never asked for it.
    ...defined('store', request.store ?? (target.keepsByDefault === true ? undefined : false)),
  };
  return { value: withoutRejected(value, target, losses), losses: losses.all };
}

function withoutRejected(tree: Record<string, unknown>, { quirks }: WriteTarget, losses: LossList): Tree {
  for (const field of quirks.rejectsFields ?? []) {
    if (tree[field] === undefined) continue;
    // Where nothing can be stored, `store: false` is the default.
    if (field !== 'store' || tree['store'] === true) losses.add(field, 'is rejected by the provider');
    delete tree[field];
  }
  return tree;
}

/** The first instruction, if it is one plain text without a name. */
function instructionsOf(message: Message | undefined): string | undefined {
  if (message?.role !== 'instruction' || message.authority === 'developer' || message.name !== undefined)
    return undefined;
  const [only, second] = message.parts;
  return only?.type === 'text' && second === undefined && only.cacheMark === undefined ? only.text : undefined;
}

function writeThinking({ thinking }: TextRequest): Record<string, string> | undefined {
  if (thinking === undefined) return undefined;
  const { mode, budgetTokens } = thinking;
  const effort =
    mode === 'off'
      ? 'none'
      : (thinking.effort ?? (budgetTokens === undefined ? unmeasured(mode) : effortOfBudget(budgetTokens)));
  // A caller who asks for thinking without setting its display comes from a format that shows it by default.
  const isShown = thinking.visible ?? (mode === 'on' || mode === 'adaptive');
  const summary = thinking.summary ?? (isShown && effort !== 'none' ? 'auto' : undefined);
  return { ...defined('effort', effort), ...defined('summary', summary) };
}

/** Some models do not think without an amount, so thinking that is merely on is a medium effort. */
function unmeasured(mode: Thinking['mode']): string | undefined {
  return mode === 'on' ? 'medium' : undefined;
}

function writeInclude(request: TextRequest, thinks: boolean, own: unknown): unknown[] {
  const include = [...list(own)];
  if (thinks) include.push(sealedThinking);
  if (request.logprobs !== undefined) include.push(tokenLogprobs);
  return include;
}

function writeText(output: OutputShape, verbosity: string | undefined): object | undefined {
  const format = writeFormat(output);
  if (format === undefined && verbosity === undefined) return undefined;
  return { ...defined('format', format), ...defined('verbosity', verbosity) };
}

function writeFormat(output: OutputShape): object | undefined {
  if (output.kind === 'text') return undefined;
  if (output.kind === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    // The format requires a name; if the caller gave none, any will do.
    name: output.name ?? 'reply',
    ...defined('description', output.description),
    schema: typeof output.schema === 'boolean' ? {} : output.schema,
    ...defined('strict', output.strict),
  };
}

function reportUnsupported(request: TextRequest, losses: LossList): void {
  const absent = 'does not exist in the format';
  if (request.stop.length > 0) losses.add('stop', absent);
  if (request.candidates > 1) losses.add('n', absent);
  if (request.topK !== undefined) losses.add('top_k', absent);
  if (request.seed !== undefined) losses.add('seed', absent);
  if (request.presencePenalty !== undefined) losses.add('presence_penalty', absent);
  if (request.frequencyPenalty !== undefined) losses.add('frequency_penalty', absent);
  if (request.logitBias !== undefined) losses.add('logit_bias', absent);
  if (request.modalities?.some((modality) => modality !== 'text') === true) losses.add('modalities', absent);
  if (request.audio !== undefined) losses.add('audio', absent);
  losses.addForeign(request.extras, formatName);
}
