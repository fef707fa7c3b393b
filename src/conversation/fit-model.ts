/**
 * Fits a request to the model that it goes to, before it is written in that model's format. What the model does not take is
 * converted where the meaning survives, and left out and reported otherwise. A request that fits stays the same object.
 */

import { fitThinking, thinksWhenAsked } from './fit/thinking.ts';
import { LossList } from './loss-list.ts';
import type { ModelProfile } from './model-profile.ts';
import type { ParameterName } from './parameters.ts';
import type { Converted } from './parts.ts';
import type { TextRequest } from './text-request.ts';

export const refused = 'is not taken by the model';
export const refusedWhileThinking = 'is not taken by the model while it thinks';
export const overLimit = (most: number): string => `is more than the model can write; ${most} are asked for`;
export const overTemperature = (most: number): string => `is at most ${most} for the model, which is asked for`;
export const overStops = (most: number, asked: number): string => `the model takes ${most} of the ${asked}`;

/** Fields that can be left out, by the parameter they are; what cannot be left out (tools) is routing's business. */
export const fieldOf: Partial<Readonly<Record<ParameterName, readonly [field: keyof TextRequest, label: string]>>> = {
  temperature: ['temperature', 'temperature'],
  topP: ['topP', 'top_p'],
  topK: ['topK', 'top_k'],
  seed: ['seed', 'seed'],
  presencePenalty: ['presencePenalty', 'presence_penalty'],
  frequencyPenalty: ['frequencyPenalty', 'frequency_penalty'],
  logitBias: ['logitBias', 'logit_bias'],
  logprobs: ['logprobs', 'logprobs'],
  parallelToolCalls: ['parallelToolCalls', 'parallel_tool_calls'],
  verbosity: ['verbosity', 'verbosity'],
};

export function fitToModel(request: TextRequest, profile: ModelProfile): Converted<TextRequest> {
  const losses = new LossList();
  const changes: Changes = {};
  const { thinking } = request;
  if (thinking !== undefined && profile.thinking !== undefined) {
    changes.thinking = fitThinking(thinking, profile.thinking, losses);
  }
  const asked = 'thinking' in changes ? changes.thinking : thinking;
  leaveOut(request, profile.refuses, refused, changes, losses);
  if (profile.refusesWhileThinking !== undefined && thinksWhenAsked(asked, profile.thinking)) {
    leaveOut(request, profile.refusesWhileThinking, refusedWhileThinking, changes, losses);
  }
  fitAmounts(request, profile, changes, losses);
  if (Object.keys(changes).length === 0) return { value: request, losses: losses.all };
  const value: Record<string, unknown> = { ...request, ...changes };
  for (const [field, change] of Object.entries(changes)) if (change === undefined) delete value[field];
  return { value: value as unknown as TextRequest, losses: losses.all };
}

type Changes = { -readonly [Field in keyof TextRequest]?: TextRequest[Field] | undefined };

function leaveOut(
  request: TextRequest,
  parameters: readonly ParameterName[] | undefined,
  why: string,
  changes: Changes,
  losses: LossList,
): void {
  for (const parameter of parameters ?? []) {
    if (parameter === 'stop') {
      if (request.stop.length === 0) continue;
      changes.stop = [];
      losses.add('stop', why);
      continue;
    }
    const place = fieldOf[parameter];
    if (place === undefined || request[place[0]] === undefined) continue;
    changes[place[0]] = undefined;
    losses.add(place[1], why);
  }
}

function fitAmounts(request: TextRequest, profile: ModelProfile, changes: Changes, losses: LossList): void {
  const { outputTokensMax, temperatureMax, stopsMax } = profile;
  const { maxOutputTokens, temperature, stop } = request;
  if (outputTokensMax !== undefined && maxOutputTokens !== undefined && maxOutputTokens > outputTokensMax) {
    changes.maxOutputTokens = outputTokensMax;
    losses.add('max_tokens', overLimit(outputTokensMax));
  }
  const isSampled = temperature !== undefined && !('temperature' in changes);
  if (temperatureMax !== undefined && isSampled && temperature > temperatureMax) {
    changes.temperature = temperatureMax;
    losses.add('temperature', overTemperature(temperatureMax));
  }
  if (stopsMax !== undefined && !('stop' in changes) && stop.length > stopsMax) {
    changes.stop = stop.slice(0, stopsMax);
    losses.add('stop', overStops(stopsMax, stop.length));
  }
}
