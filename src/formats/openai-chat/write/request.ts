/**
 * Writes a neutral request as a chat-format body for a provider; what the format or the provider does not support is
 * reported.
 */

import type { Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { TextRequest } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { formatName } from '../wire.ts';
import { writeMessages } from './messages.ts';
import { writeThinking } from './thinking.ts';
import { writeOutput, writeToolFields } from './tools.ts';

const stopsMax = 4;

export function writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree> {
  const losses = new LossList();
  const { quirks, profile } = target;
  const context = { quirks, profile, losses };
  const body: Record<string, unknown> = {
    model: target.origin.model === '' ? request.model : target.origin.model,
    messages: writeMessages(request.messages, context),
  };
  if (request.stream) {
    body.stream = true;
    if (quirks.rejectsStreamOptions !== true) body.stream_options = { include_usage: true };
  }
  if (request.maxOutputTokens !== undefined) {
    const isOlder = quirks.limitIsMaxTokens === true && profile.olderLimit !== 'refused';
    body[isOlder ? 'max_tokens' : 'max_completion_tokens'] = request.maxOutputTokens;
  }
  Object.assign(body, writeToolFields(request, context), writeOutput(request));
  writeSampling(request, body, losses);
  writeThinking(request, target, body, losses);
  writeOptions(request, body);
  if (request.extras?.format === formatName) Object.assign(body, request.extras.fields);
  else losses.addForeign(request.extras, formatName);
  for (const field of quirks.rejectsFields ?? []) {
    if (body[field] === undefined) continue;
    // Where nothing can be stored, `store: false` is the default.
    if (field !== 'store' || body.store === true) losses.add(field, 'is rejected by the provider');
    delete body[field];
  }
  return { value: body, losses: losses.all };
}

/** The fields that the chat and the legacy format share. */
export function writeSampling(request: TextRequest, body: Record<string, unknown>, losses: LossList): void {
  const set = (field: string, value: unknown): void => {
    if (value !== undefined) body[field] = value;
  };
  if (request.candidates > 1) body.n = request.candidates;
  if (request.stop.length > 0) body.stop = request.stop.slice(0, stopsMax);
  if (request.stop.length > stopsMax)
    losses.add('stop', `the format accepts ${stopsMax} of the ${request.stop.length}`);
  set('temperature', request.temperature);
  set('top_p', request.topP);
  if (request.topK !== undefined) losses.add('top_k', 'the format has no field for it');
  set('seed', request.seed);
  set('presence_penalty', request.presencePenalty);
  set('frequency_penalty', request.frequencyPenalty);
  set('logit_bias', request.logitBias);
  set('user', request.user);
}

function writeOptions(request: TextRequest, body: Record<string, unknown>): void {
  if (request.logprobs !== undefined) {
    body.logprobs = true;
    if (request.logprobs.top > 0) body.top_logprobs = request.logprobs.top;
  }
  const options = {
    modalities: request.modalities,
    audio: request.audio,
    verbosity: request.verbosity,
    service_tier: request.serviceTier,
    metadata: request.metadata,
    prompt_cache_key: request.promptCacheKey,
    store: request.store,
  };
  for (const [field, value] of Object.entries(options)) if (value !== undefined) body[field] = value;
}
