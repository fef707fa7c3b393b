/** Where a provider does what is no conversation, and in which wire. */

import type { ServiceName } from '../operations/wire.ts';
import { fillHoles, fillModel, type Place, placeOf, type Settings } from './address.ts';
import { type DeclaredOperations, declaredRows } from './declared-operations.ts';
import { matches } from './formats-for.ts';

interface OperationPlace {
  readonly wire: string;
  readonly place: Place;
  readonly models: readonly string[] | undefined;
  readonly inputsMax: number | undefined;
  readonly fetchesNothing: boolean;
  readonly statesLength: readonly string[] | undefined;
}

export type OperationPlaces = Partial<Readonly<Record<ServiceName, readonly OperationPlace[]>>>;

/** A whole URL is dropped when the operator points the provider elsewhere, so that nothing leaks to the public host. */
export function operationPlaces(
  declared: DeclaredOperations | undefined,
  base: string,
  settings: Settings,
): OperationPlaces {
  const places: Partial<Record<ServiceName, readonly OperationPlace[]>> = {};
  for (const [name, given] of Object.entries(declared ?? {}) as [ServiceName, DeclaredOperations[ServiceName]][]) {
    const rows = declaredRows(given).flatMap((row) => {
      const { wire, path, models, inputsMax, fetchesNothing = false, statesLength } = row;
      const whole = /^https?:/.test(path);
      if (whole && URL.parse(path)?.origin !== URL.parse(base)?.origin) return [];
      const place = placeOf(fillHoles(whole ? path : base + path, settings));
      return [{ wire, place, models, inputsMax, fetchesNothing, statesLength }];
    });
    if (rows.length > 0) places[name] = rows;
  }
  return places;
}

interface Doing {
  readonly name: string;
  readonly operations: OperationPlaces;
}

/** Undefined where the provider does not do it for this model. */
export function operationFor({ operations }: Doing, operation: ServiceName, model: string): OperationPlace | undefined {
  return operations[operation]?.find(
    ({ models }) => models === undefined || models.some((pattern) => matches(pattern, model)),
  );
}

/** Can a transcript of this model state how long the audio was, where it is asked to? */
export function statesLength(provider: Doing, operation: ServiceName, model: string): boolean {
  const patterns = operationFor(provider, operation, model)?.statesLength ?? [];
  return patterns.some((pattern) => matches(pattern, model));
}

export function operationPlace(provider: Doing, operation: ServiceName, model: string): string {
  const found = operationFor(provider, operation, model);
  if (found === undefined) throw new Error(`The provider ${provider.name} does not ${operation}.`);
  return typeof found.place === 'string' ? found.place : fillModel(found.place, model);
}
