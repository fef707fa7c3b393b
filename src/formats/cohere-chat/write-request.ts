/** Writes a neutral request in Cohere's chat format; what it does not support is reported. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { OutputShape, TextRequest, Thinking, ToolDeclaration } from '../../conversation/text-request.ts';
import { budgetOfEffort } from '../../conversation/thinking-effort.ts';
import type { WriteTarget } from '../codec.ts';
import { formatName } from './wire.ts';
import { writeMessages } from './write-messages.ts';

const stopsMax = 5;

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  const thinks = target.profile.thinking?.kind !== 'never';
  const { messages, documents } = writeMessages(request.messages, { losses, thinks });
  const body: Record<string, unknown> = {
    model: target.origin.model === '' ? request.model : target.origin.model,
    messages,
    // Some versions of the wire stream by default.
    stream: request.stream,
  };
  if (documents.length > 0) body.documents = documents;
  Object.assign(body, writeTools(request, losses), writeOutput(request.output, losses), writeSampling(request, losses));
  Object.assign(body, writeThinking(request.thinking, losses));
  reportUnsupported(request, losses);
  if (request.extras?.format === formatName) Object.assign(body, request.extras.fields);
  else losses.addForeign(request.extras, formatName);
  for (const field of target.quirks.rejectsFields ?? []) {
    if (body[field] === undefined) continue;
    losses.add(field, 'is rejected by the provider');
    delete body[field];
  }
  return { value: body, losses: losses.all };
}

/** A choice of some tools is written by declaring only those. */
function writeTools(request: TextRequest, losses: LossList): Tree {
  const { toolChoice } = request;
  for (const hosted of request.hostedTools ?? []) {
    const name = hosted.kind === 'web-search' ? 'web search' : typeOf(hosted.value);
    losses.add(`hosted tool ${name}`, 'is run by providers of another format only');
  }
  const names =
    toolChoice.kind === 'allowed' ? toolChoice.names : toolChoice.kind === 'tool' ? [toolChoice.name] : undefined;
  const declared = names === undefined ? request.tools : request.tools.filter(({ name }) => names.includes(name));
  if (declared.length === 0) {
    if (toolChoice.kind !== 'auto' && toolChoice.kind !== 'none')
      losses.add('tool choice', 'there is no tool to choose');
    return {};
  }
  if (request.parallelToolCalls === false) losses.add('parallel_tool_calls', 'the format has no field for it');
  const isRequired = toolChoice.kind === 'required' || toolChoice.kind === 'tool';
  const isDemanded = isRequired || (toolChoice.kind === 'allowed' && toolChoice.required);
  const strict = declared.filter((tool) => tool.strict === true).length;
  if (strict > 0 && strict < declared.length) losses.add('tools strict', 'is set for all tools or for none');
  return {
    tools: declared.map((tool) => writeTool(tool, losses)),
    ...(strict === declared.length && { strict_tools: true }),
    ...(isDemanded ? { tool_choice: 'REQUIRED' } : toolChoice.kind === 'none' ? { tool_choice: 'NONE' } : {}),
  };
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.type === 'string' ? value.type : '';
}

function writeTool(tool: ToolDeclaration, losses: LossList): object {
  losses.addForeign(tool.extras, formatName, `tool ${tool.name} `);
  if (tool.cacheMark !== undefined) losses.addOnce('cache marks', 'the format caches by itself');
  if (tool.parameters === false) losses.add(`tool ${tool.name} parameters`, 'must be a schema of an object');
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: isObject(tool.parameters) ? tool.parameters : { type: 'object', properties: {} },
    },
  };
}

function writeOutput(output: OutputShape, losses: LossList): Tree {
  if (output.kind === 'text') return {};
  if (output.kind === 'json') return { response_format: { type: 'json_object' } };
  if (output.description !== undefined) losses.add('output schema description', 'the format has no field for it');
  const schema = isObject(output.schema) ? { json_schema: output.schema } : {};
  return { response_format: { type: 'json_object', ...schema } };
}

function writeSampling(request: TextRequest, losses: LossList): Tree {
  const { stop } = request;
  if (stop.length > stopsMax) losses.add('stop', `the format accepts ${stopsMax} of the ${stop.length}`);
  const fields = {
    max_tokens: request.maxOutputTokens,
    stop_sequences: stop.length === 0 ? undefined : stop.slice(0, stopsMax),
    temperature: request.temperature,
    p: request.topP,
    k: request.topK,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    logprobs: request.logprobs === undefined ? undefined : true,
  };
  if ((request.logprobs?.top ?? 0) > 0)
    losses.add('top_logprobs', 'the format has logprobs of the written tokens only');
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The format supports thinking on or off, and a budget. */
function writeThinking(thinking: Thinking | undefined, losses: LossList): Tree {
  if (thinking === undefined) return {};
  const { mode, effort, budgetTokens, visible, summary } = thinking;
  if (visible !== undefined || summary !== undefined)
    losses.add('thinking visibility', 'the format has no field for it');
  if (mode === 'off' || effort === 'none' || budgetTokens === 0) return { thinking: { type: 'disabled' } };
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOfEffort(effort));
  if (effort !== undefined && budget === undefined)
    losses.add(`thinking effort ${effort}`, 'is not supported by the format');
  if (mode === undefined && budget === undefined) return {};
  return { thinking: { type: 'enabled', ...(budget !== undefined && { token_budget: budget }) } };
}

function reportUnsupported(request: TextRequest, losses: LossList): void {
  const unsupported: readonly (readonly [string, boolean])[] = [
    ['n', request.candidates > 1],
    ['logit_bias', Object.keys(request.logitBias ?? {}).length > 0],
    ['modalities', (request.modalities ?? []).some((modality) => modality !== 'text')],
    ['audio', request.audio !== undefined],
    ['verbosity', request.verbosity !== undefined],
    ['service_tier', request.serviceTier !== undefined],
    ['metadata', Object.keys(request.metadata ?? {}).length > 0],
    ['user', request.user !== undefined],
    ['prompt_cache_key', request.promptCacheKey !== undefined],
    ['store', request.store === true],
    ['previous reply', request.previousReplyId !== undefined],
  ];
  for (const [what, isSet] of unsupported) if (isSet) losses.add(what, 'the format has no field for it');
}
