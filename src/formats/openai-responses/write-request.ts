/** Writes a neutral request as a responses request. */

import { defined, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Message } from '../../conversation/parts.ts';
import type {
  HostedTool,
  OutputShape,
  TextRequest,
  Thinking,
  ToolChoice,
  ToolDeclaration,
} from '../../conversation/text-request.ts';
import { effortOfBudget } from '../../conversation/thinking-effort.ts';
import type { WriteTarget } from '../codec.ts';
import { formatName, list, sealedThinking, tokenLikelihoods } from './wire.ts';
import { kindOf } from './write-content.ts';
import { InputWriter } from './write-input.ts';

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  const rejectsDeveloperRole = target.profile.developerRole === 'refused';
  const input = new InputWriter({ losses, rejectsDeveloperRole });
  const instructions = instructionsOf(request.messages[0]);
  for (let index = instructions === undefined ? 0 : 1; index < request.messages.length; index++) {
    const message = request.messages[index];
    if (message !== undefined) input.add(message, `messages[${index}]`);
  }
  const reasoning = writeThinking(request);
  const thinks = input.sealed || (reasoning !== undefined && reasoning['effort'] !== 'none');
  const own = request.extras?.format === formatName ? request.extras.fields : undefined;
  const include = writeInclude(request, thinks, own?.['include']);
  const tools = writeTools(request, input, losses);
  reportUnsayable(request, losses);
  const value: Tree = {
    ...own,
    model: target.origin.model,
    ...defined('instructions', instructions),
    input: input.items,
    ...(request.stream ? { stream: true } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...defined('tool_choice', own?.['tool_choice'] ?? writeToolChoice(request.toolChoice)),
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
    // Thoughts that come back sealed need not be kept by the provider as well.
    ...defined('store', request.store ?? (thinks ? false : undefined)),
  };
  return { value, losses: losses.all };
}

/** The first instruction, where it is one plain text and nobody's in particular. */
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
  // Who asks for thinking without a word about its display comes from a format that shows it by default.
  const isShown = thinking.visible ?? (mode === 'on' || mode === 'adaptive');
  const summary = thinking.summary ?? (isShown && effort !== 'none' ? 'auto' : undefined);
  return { ...defined('effort', effort), ...defined('summary', summary) };
}

/** Some models do not think unless they are told how much, so thinking that is merely on is a medium effort. */
function unmeasured(mode: Thinking['mode']): string | undefined {
  return mode === 'on' ? 'medium' : undefined;
}

function writeInclude(request: TextRequest, thinks: boolean, own: unknown): unknown[] {
  const include = [...list(own)];
  if (thinks) include.push(sealedThinking);
  if (request.logprobs !== undefined) include.push(tokenLikelihoods);
  return include;
}

function writeTools(request: TextRequest, input: InputWriter, losses: LossList): object[] {
  const tools: object[] = [];
  for (let index = 0; index < request.tools.length; index++) {
    const tool = request.tools[index];
    if (tool === undefined) continue;
    input.noteMark(tool);
    tools.push(writeFunction(tool, `tools[${index}].`, losses));
  }
  for (const tool of request.hostedTools ?? []) {
    const written = writeHosted(tool, losses);
    if (written !== undefined) tools.push(written);
  }
  return tools;
}

/** Left out, `strict` would be on in this format, which is not what a caller of another format means by leaving it out. */
function writeFunction(tool: ToolDeclaration, path: string, losses: LossList): object {
  losses.addForeign(tool.extras, formatName, path);
  if (tool.parameters === false) losses.add(`${path}parameters`, 'cannot forbid every argument');
  return {
    ...(tool.extras?.format === formatName ? tool.extras.fields : {}),
    type: 'function',
    name: tool.name,
    ...defined('description', tool.description),
    parameters: typeof tool.parameters === 'boolean' ? { type: 'object' } : (tool.parameters ?? null),
    strict: tool.strict ?? false,
  };
}

function writeHosted(tool: HostedTool, losses: LossList): object | undefined {
  if (tool.kind === 'web-search') {
    losses.addForeign(tool.extras, formatName, 'web search ');
    return { type: 'web_search', ...(tool.extras?.format === formatName ? tool.extras.fields : {}) };
  }
  if (tool.format === formatName && typeof tool.value === 'object' && tool.value !== null) return tool.value;
  losses.add(`hosted tool ${kindOf(tool.value)}`, 'is known to its own format only');
  return undefined;
}

/** The default choice is left unsaid. */
function writeToolChoice(choice: ToolChoice): unknown {
  switch (choice.kind) {
    case 'auto':
      return undefined;
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return { type: 'function', name: choice.name };
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.required ? 'required' : 'auto',
        tools: choice.names.map((name) => ({ type: 'function', name })),
      };
  }
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
    // The format wants a name; where the caller gave none, any will do.
    name: output.name ?? 'reply',
    ...defined('description', output.description),
    schema: typeof output.schema === 'boolean' ? {} : output.schema,
    ...defined('strict', output.strict),
  };
}

function reportUnsayable(request: TextRequest, losses: LossList): void {
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
