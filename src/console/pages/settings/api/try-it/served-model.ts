/** A model in the place of the description's sample, where this Weir does not serve that one. */

import type { PlaygroundModel } from '../../../playground/playground-contract.ts';
import type { TryValues } from './try-request.ts';

/** What a model must be able to do, by the path. */
const operations: readonly (readonly [path: RegExp, operation: string])[] = [
  [/embed/i, 'embed'],
  [/\/rerank$/, 'rerank'],
  [/\/moderations$/, 'moderate'],
  [/\/images\/generations$/, 'make-image'],
  [/\/images\/edits$/, 'edit-image'],
  [/\/audio\/speech$/, 'speak'],
  [/\/audio\/translations$/, 'translate'],
  [/\/audio\//, 'transcribe'],
  [/\/videos?(\/|$)/, 'make-video'],
  [/\/realtime/, 'converse-live'],
];

/** The values with a model that the token can use; as they are where the sample is served, or nothing fits. */
export function withServedModel(path: string, values: TryValues, models: readonly PlaygroundModel[]): TryValues {
  const wanted = operations.find(([pattern]) => pattern.test(path))?.[1] ?? 'converse';
  const first = models.find((model) => model.operations.includes(wanted))?.id;
  const isServed = (id: unknown) => typeof id !== 'string' || models.some((model) => model.id === id);
  if (first === undefined) return values;
  const texts = Object.entries(values.texts).map(([key, value]) => [
    key,
    key.endsWith('.model') && !isServed(value) ? first : value,
  ]);
  return { ...values, texts: Object.fromEntries(texts), json: jsonWith(values.json, first, isServed) };
}

function jsonWith(json: string, model: string, isServed: (id: unknown) => boolean): string {
  if (json === '') return json;
  const body = JSON.parse(json) as Readonly<Record<string, unknown>>;
  if (!isServed(body['model'])) return JSON.stringify({ ...body, model }, null, 2);
  const session = body['session'] as Readonly<Record<string, unknown>> | undefined;
  if (session === undefined || isServed(session['model'])) return json;
  return JSON.stringify({ ...body, session: { ...session, model } }, null, 2);
}
