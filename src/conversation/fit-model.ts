/**
 * Fits a request to its model before it is written in that model's format. What the model does not accept is
 * converted where the meaning survives, otherwise dropped and reported. A request that fits stays the same object.
 */

import { fitOutput } from './fit/output.ts';
import { fitResultMedia } from './fit/result-media.ts';
import { fitThinking, thinksWhenAsked } from './fit/thinking.ts';
import { fitToolChoice } from './fit/tool-choice.ts';
import { fittingUserId } from './fit/user-id.ts';
import { LossList } from './loss-list.ts';
import type { ModelProfile } from './model-profile.ts';
import type { ParameterName } from './parameters.ts';
import type { Converted } from './parts.ts';
import type { ConversationRules } from './repair/rules.ts';
import type { TextRequest } from './text-request.ts';

export const refused = 'is not supported by the model';
export const refusedWhileThinking = 'is not supported by the model while it thinks';
export const unfitUser = 'is not an id that the provider accepts, and neither is its digest';
export const overLimit = (most: number): string => `is more than the model can write; ${most} is sent`;
export const overTemperature = (most: number): string => `is at most ${most} for the model, which is sent`;
export const overStops = (most: number, asked: number): string => `the model accepts ${most} of the ${asked}`;

interface Place {
  readonly field: keyof TextRequest;
  readonly label: string;
  /** The model's default: to drop it is no loss. */
  readonly anyway?: unknown;
}

/** Fields that can be dropped, by parameter; fields that cannot (tools) are routing's concern. */
export const placeOf: Partial<Readonly<Record<ParameterName, Place>>> = {
  temperature: { field: 'temperature', label: 'temperature', anyway: 1 },
  topP: { field: 'topP', label: 'top_p', anyway: 1 },
  topK: { field: 'topK', label: 'top_k' },
  seed: { field: 'seed', label: 'seed' },
  presencePenalty: { field: 'presencePenalty', label: 'presence_penalty', anyway: 0 },
  frequencyPenalty: { field: 'frequencyPenalty', label: 'frequency_penalty', anyway: 0 },
  logitBias: { field: 'logitBias', label: 'logit_bias' },
  logprobs: { field: 'logprobs', label: 'logprobs' },
  parallelToolCalls: { field: 'parallelToolCalls', label: 'parallel_tool_calls', anyway: true },
  verbosity: { field: 'verbosity', label: 'verbosity', anyway: 'medium' },
};

type Changes = { -readonly [Field in keyof TextRequest]?: TextRequest[Field] | undefined };

/** `rules` are those of the format that the request is written in. */
export function fitToModel(
  request: TextRequest,
  profile: ModelProfile,
  rules: ConversationRules = {},
): Converted<TextRequest> {
  const losses = new LossList();
  const changes: Changes = {};
  fitAmounts(request, profile, changes, losses);
  const asked = fitThought(request, profile, changes, losses);
  leaveOut(request, profile.refuses, refused, changes, losses);
  if (profile.refusesWhileThinking !== undefined && thinksWhenAsked(asked, profile.thinking)) {
    leaveOut(request, profile.refusesWhileThinking, refusedWhileThinking, changes, losses);
  }
  if (profile.temperatureWithTopP === 'refused') leaveOutTopP(request, changes, losses);
  fitUser(request, profile, rules, changes, losses);
  Object.assign(changes, fitToolChoice(request, profile, rules, losses), fitOutput(request, profile, rules, losses));
  if (profile.input !== undefined) {
    const messages = fitResultMedia(request.messages, profile.input, losses);
    if (messages !== request.messages) changes.messages = messages;
  }
  if (Object.keys(changes).length === 0) return { value: request, losses: losses.all };
  const value: Record<string, unknown> = { ...request, ...changes };
  for (const [field, change] of Object.entries(changes)) if (change === undefined) delete value[field];
  return { value: value as unknown as TextRequest, losses: losses.all };
}

/** The requested thinking in a form that the model accepts. */
function fitThought(
  { thinking, maxOutputTokens }: TextRequest,
  profile: ModelProfile,
  changes: Changes,
  losses: LossList,
): TextRequest['thinking'] {
  if (thinking === undefined) return undefined;
  if (profile.thinking !== undefined) {
    const limit = changes.maxOutputTokens ?? maxOutputTokens ?? profile.outputTokensMax;
    changes.thinking = fitThinking(thinking, profile.thinking, losses, limit);
    return changes.thinking;
  }
  if (profile.refuses?.includes('thinking') !== true) return thinking;
  changes.thinking = fitThinking(thinking, { kind: 'never' }, losses);
  return undefined;
}

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
    const place = placeOf[parameter];
    if (place === undefined || request[place.field] === undefined) continue;
    changes[place.field] = undefined;
    if (request[place.field] !== place.anyway) losses.add(place.label, why);
  }
}

function leaveOutTopP({ temperature, topP }: TextRequest, changes: Changes, losses: LossList): void {
  const isWarm = temperature !== undefined && !('temperature' in changes && changes.temperature === undefined);
  if (!isWarm || topP === undefined || 'topP' in changes) return;
  changes.topP = undefined;
  if (topP !== placeOf.topP?.anyway) losses.add('top_p', 'cannot be combined with a temperature');
}

function fitAmounts(request: TextRequest, profile: ModelProfile, changes: Changes, losses: LossList): void {
  const { outputTokensMax, temperatureMax, stopsMax, refuses = [] } = profile;
  const { maxOutputTokens, temperature, stop } = request;
  if (outputTokensMax !== undefined && maxOutputTokens !== undefined && maxOutputTokens > outputTokensMax) {
    changes.maxOutputTokens = outputTokensMax;
    losses.add('max_tokens', overLimit(outputTokensMax));
  }
  const isSampled = temperature !== undefined && !refuses.includes('temperature');
  if (temperatureMax !== undefined && isSampled && temperature > temperatureMax) {
    changes.temperature = temperatureMax;
    losses.add('temperature', overTemperature(temperatureMax));
  }
  if (stopsMax !== undefined && !refuses.includes('stop') && stop.length > stopsMax) {
    changes.stop = stop.slice(0, stopsMax);
    losses.add('stop', overStops(stopsMax, stop.length));
  }
}

function fitUser(
  { user }: TextRequest,
  profile: ModelProfile,
  { userIdCharactersMax }: ConversationRules,
  changes: Changes,
  losses: LossList,
): void {
  const rule =
    profile.userId ?? (userIdCharactersMax === undefined ? undefined : { charactersMax: userIdCharactersMax });
  if (user === undefined || rule === undefined) return;
  const fitting = fittingUserId(user, rule);
  if (fitting === user) return;
  changes.user = fitting;
  if (fitting === undefined) losses.add('user', unfitUser);
}
