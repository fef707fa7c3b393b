/**
 * Writes a conversation as a legacy completion request. One turn of text is written as it is; anything more is joined,
 * and reported.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Message, Part } from '../../conversation/parts.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import type { WriteTarget } from '../codec.ts';
import { writeSampling } from '../openai-chat/write/request.ts';
import { formatName } from './wire.ts';

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  const body: Record<string, unknown> = {
    model: target.origin.model === '' ? request.model : target.origin.model,
    prompt: writePrompt(request.messages, losses),
  };
  if (request.stream) {
    body.stream = true;
    if (target.quirks.rejectsStreamOptions !== true) body.stream_options = { include_usage: true };
  }
  if (request.maxOutputTokens !== undefined) body.max_tokens = request.maxOutputTokens;
  writeSampling(request, body, losses);
  if (request.logprobs !== undefined) body.logprobs = request.logprobs.top;
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

/** Several turns become one text, separated by blank lines. */
function writePrompt(messages: readonly Message[], losses: LossList): unknown {
  const [only] = messages;
  const [part] = only?.parts ?? [];
  if (messages.length === 1 && only?.parts.length === 1 && part?.type === 'native' && part.format === formatName) {
    return isObject(part.value) ? part.value.prompt : part.value;
  }
  if (messages.length > 1 || (only !== undefined && only.role !== 'user')) {
    losses.add('messages', 'the turns are joined into one prompt');
  }
  const texts: string[] = [];
  for (const [index, message] of messages.entries()) {
    let text = '';
    for (const one of message.parts) text += textOf(one, `messages[${index}]`, losses);
    if (message.name !== undefined) losses.add(`messages[${index}].name`, 'the format has no field for it');
    texts.push(text);
  }
  return texts.join('\n\n');
}

function textOf(part: Part, path: string, losses: LossList): string {
  if (part.type === 'text') {
    if (part.cacheMark !== undefined) losses.addOnce('cache marks', 'the format has none');
    return part.text;
  }
  if (part.type === 'tool-result') {
    losses.add(`${path} tool-result`, 'its text is joined into the prompt');
    return part.parts.map((one) => textOf(one, path, losses)).join('');
  }
  losses.add(`${path} ${part.type === 'media' ? part.media : part.type}`, 'the format supports text only');
  return '';
}

function reportUnsupported(request: TextRequest, losses: LossList): void {
  const unsupported: readonly (readonly [string, boolean])[] = [
    ['tools', request.tools.length > 0],
    ['hosted tools', request.hostedTools !== undefined && request.hostedTools.length > 0],
    ['tool choice', request.toolChoice.kind !== 'auto' && request.toolChoice.kind !== 'none'],
    ['parallel tool calls', request.parallelToolCalls !== undefined],
    ['output shape', request.output.kind !== 'text'],
    ['thinking', request.thinking !== undefined],
    ['modalities', request.modalities !== undefined],
    ['audio', request.audio !== undefined],
    ['verbosity', request.verbosity !== undefined],
    ['service tier', request.serviceTier !== undefined],
    ['metadata', request.metadata !== undefined],
    ['prompt cache key', request.promptCacheKey !== undefined],
    ['store', request.store === true],
  ];
  for (const [what, isSet] of unsupported) if (isSet) losses.add(what, 'the format has no field for it');
}
