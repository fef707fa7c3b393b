/**
 * Settings that both sides of a realtime session write: how long a response may be, and which side starts responses.
 */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';

/** Most output tokens of a response as the protocol writes it; `inf` leaves it to the model. */
export type OutputLimit = number | 'inf';

/** Absent where the settings do not say; anything else than a count leaves it to the model. */
export function outputLimitOf(settings: Tree): OutputLimit | undefined {
  const given = ['max_output_tokens', 'max_response_output_tokens']
    .map((name) => settings[name])
    .filter((value) => value !== undefined && value !== null);
  if (given.length === 0) return undefined;
  // Two names of one limit: a provider reads either.
  const counts = given.map((value) => countOf(value));
  return counts.every((count) => count !== undefined) ? Math.max(...counts) : 'inf';
}

interface TurnDetection {
  /** Does the provider start responses by itself? Absent where the settings do not say. */
  readonly on?: boolean;
  /** Also after silence. */
  readonly idle?: boolean;
}

export function turnDetectionOf(session: Tree): TurnDetection {
  const audio = isObject(session['audio']) ? session['audio'] : {};
  const input = isObject(audio['input']) ? audio['input'] : {};
  const given = [session['turn_detection'], input['turn_detection']].filter((value) => value !== undefined);
  if (given.length === 0) return {};
  const detections = given.filter(isObject).filter((each) => each['create_response'] !== false);
  const idle = detections.some((each) => (countOf(each['idle_timeout_ms']) ?? 0) > 0);
  return { on: detections.length > 0, idle };
}

/** Keys in order, so that a provider that writes them in another order says the same. */
export function metadataText(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return undefined;
  return JSON.stringify(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
