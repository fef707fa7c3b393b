/** Drops and bounds the parameters of a body that a model refuses: `fitToModel` on wire fields. */

import {
  overLimit,
  overStops,
  overTemperature,
  placeOf,
  refused,
  refusedWhileThinking,
} from '../conversation/fit-model.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { LossList } from '../conversation/loss-list.ts';
import type { ModelProfile } from '../conversation/model-profile.ts';
import type { ParameterName } from '../conversation/parameters.ts';
import type { FieldChanges } from './body-changes.ts';

/** Every name that a parameter may have in a body. */
export type ParameterFields = Partial<Readonly<Record<ParameterName, readonly string[]>>>;

const none: readonly string[] = [];

/** May one of the parameters have to change? Reads only, since for nearly every request the answer is no. */
export function holdsUnfit(holder: Tree, names: ParameterFields, profile: ModelProfile): boolean {
  if (holdsAny(holder, names, profile.refuses) || holdsAny(holder, names, profile.refusesWhileThinking)) return true;
  if (profile.temperatureWithTopP === 'refused' && holdsOne(holder, names.temperature)) {
    if (holdsOne(holder, names.topP)) return true;
  }
  const { outputTokensMax, temperatureMax, stopsMax } = profile;
  if (outputTokensMax !== undefined && isOver(holder, names.maxOutputTokens, outputTokensMax)) return true;
  if (temperatureMax !== undefined && isOver(holder, names.temperature, temperatureMax)) return true;
  if (stopsMax === undefined) return false;
  for (const name of names.stop ?? none) if (lengthOf(holder[name]) > stopsMax) return true;
  return false;
}

function holdsAny(holder: Tree, names: ParameterFields, parameters: readonly ParameterName[] | undefined): boolean {
  if (parameters === undefined) return false;
  for (const parameter of parameters) {
    if (parameter === 'maxOutputTokens') continue;
    if (holdsOne(holder, names[parameter])) return true;
  }
  return false;
}

function holdsOne(holder: Tree, names: readonly string[] = none): boolean {
  for (const name of names) if (isGiven(holder[name])) return true;
  return false;
}

function isOver(holder: Tree, names: readonly string[] | undefined, most: number): boolean {
  for (const name of names ?? none) {
    const value = holder[name];
    if (typeof value === 'number' && value > most) return true;
  }
  return false;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Null means the same as absence. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** May a reply in JSON have to be asked for in words? */
export function refusesShapes({ refuses }: ModelProfile): boolean {
  return refuses !== undefined && (refuses.includes('schemaOutput') || refuses.includes('jsonOutput'));
}

export function refusesChoice({ refuses }: ModelProfile): boolean {
  return refuses?.includes('toolChoice') === true;
}

/** Without a field for the choice, what must not be called is not declared. */
export function leaveOutChoice(changes: FieldChanges, losses: LossList): void {
  const choice = changes.get('tool_choice');
  if (!isGiven(choice)) return;
  changes.remove('tool_choice');
  const kind = isObject(choice) ? choice.type : choice;
  if (kind === 'none') changes.remove('tools');
  else if (kind !== 'auto') reportForced(losses);
}

/** For a model that cannot be forced to call a tool. */
export function reportForced(losses: LossList): void {
  losses.add('tool_choice', 'cannot force the model to call a tool; it may call one');
}

export function fitParameters(
  fields: FieldChanges,
  names: ParameterFields,
  profile: ModelProfile,
  thinks: boolean,
  losses: LossList,
): void {
  leaveOut(fields, names, profile.refuses, refused, losses);
  if (thinks) leaveOut(fields, names, profile.refusesWhileThinking, refusedWhileThinking, losses);
  if (profile.temperatureWithTopP === 'refused') leaveOutTopP(fields, names, losses);
  const { outputTokensMax, temperatureMax, stopsMax } = profile;
  if (outputTokensMax !== undefined) {
    if (bound(fields, names.maxOutputTokens, outputTokensMax)) losses.add('max_tokens', overLimit(outputTokensMax));
  }
  if (temperatureMax !== undefined && bound(fields, names.temperature, temperatureMax)) {
    losses.add('temperature', overTemperature(temperatureMax));
  }
  for (const name of stopsMax === undefined ? none : (names.stop ?? none)) {
    const stops = fields.get(name);
    if (stopsMax === undefined || !Array.isArray(stops) || stops.length <= stopsMax) continue;
    fields.set(name, stops.slice(0, stopsMax));
    losses.add('stop', overStops(stopsMax, stops.length));
  }
}

function leaveOutTopP(fields: FieldChanges, names: ParameterFields, losses: LossList): void {
  const isWarm = (names.temperature ?? none).some((name) => isGiven(fields.get(name)));
  if (isWarm) leaveOut(fields, names, ['topP'], 'cannot be combined with a temperature', losses);
}

function bound(fields: FieldChanges, names: readonly string[] | undefined, most: number): boolean {
  let isBounded = false;
  for (const name of names ?? none) {
    const value = fields.get(name);
    if (typeof value !== 'number' || value <= most) continue;
    fields.set(name, most);
    isBounded = true;
  }
  return isBounded;
}

function leaveOut(
  fields: FieldChanges,
  names: ParameterFields,
  parameters: readonly ParameterName[] | undefined,
  why: string,
  losses: LossList,
): void {
  for (const parameter of parameters ?? []) {
    const label = parameter === 'stop' ? 'stop' : placeOf[parameter]?.label;
    if (label === undefined) continue;
    let isLost = false;
    for (const name of names[parameter] ?? none) {
      const value = fields.get(name);
      if (!isGiven(value)) continue;
      fields.remove(name);
      if (!isUsual(parameter, value)) isLost = true;
    }
    if (isLost) losses.add(label, why);
  }
}

/** To drop a model's default is no loss. */
function isUsual(parameter: ParameterName, value: unknown): boolean {
  const anyway = placeOf[parameter]?.anyway;
  if (anyway !== undefined) return value === anyway;
  if (parameter === 'logprobs') return value === false || value === 0;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
