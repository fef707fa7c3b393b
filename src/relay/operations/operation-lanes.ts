/** The lanes of an operation: which wire each provider has for it, how many inputs it takes, and the request written for it. */

import type { MostUse } from '../../operations/consumption.ts';
import type { EditImageRequest } from '../../operations/images.ts';
import type { ProviderWireOf } from '../../operations/types.ts';
import type { OperationName } from '../../operations/wire.ts';
import { operationFor, operationPlace, statesLength } from '../../providers/operation-places.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import { requireLossless } from '../admission/strict-mode.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { RequestMedia } from './fetch-media.ts';
import { type Asked, OperationLane } from './operation-lane.ts';

export interface OperationLaneParts extends Pick<RelayParts, 'formats' | 'priceOf'> {
  wireOf<Name extends OperationName>(operation: Name, name: string): ProviderWireOf<Name> | undefined;
}

/** A promise where the caller's images must be fetched or read for this provider. */
export function operationLaneFor<Name extends OperationName>(
  parts: OperationLaneParts,
  operation: Name,
  asked: Asked<Name>,
  call: Call,
  target: Target,
  media: RequestMedia,
): OperationLane<Name> | Promise<OperationLane<Name>> {
  const place = operationFor(target.provider, operation, target.model);
  const ready =
    operation === 'edit-image' && place !== undefined
      ? media.readyFor(asked.request as EditImageRequest, place.wire, place.fetchesNothing)
      : undefined;
  if (ready === undefined) return writtenFor(parts, operation, asked, call, target);
  return ready.then((request) => writtenFor(parts, operation, { ...asked, request, forwardable: false }, call, target));
}

function writtenFor<Name extends OperationName>(
  parts: OperationLaneParts,
  operation: Name,
  asked: Asked<Name>,
  call: Call,
  target: Target,
): OperationLane<Name> {
  const { provider, model } = target;
  const wire = wireAt(parts, operation, target);
  if (wire === undefined) throw new Error(`${provider.name} declares no wire for ${operation}.`);
  const { readFault } = parts.formats[provider.formats[0] ?? 'openai-chat'];
  const lane = new OperationLane(
    withinReserved(forPrice(parts, operation, asked, target), wire, call),
    wire,
    target,
    operationPlace(provider, operation, model),
    readFault,
  );
  requireLossless(call, lane.losses, provider.name);
  return lane;
}

/** What a provider can use beyond what the request shows is reserved for it, and it is held to that. */
function withinReserved<Name extends OperationName>(
  asked: Asked<Name>,
  wire: ProviderWireOf<Name>,
  { facts }: Call,
): Asked<Name> {
  if (wire.most === undefined || facts.outputTokensMax === 0) return asked;
  return { ...asked, request: { ...asked.request, outputTokensMax: facts.outputTokensMax } };
}

/** The most that any of the targets can use; the same object where the request itself shows it. */
export function mostAt(
  parts: OperationLaneParts,
  operation: OperationName,
  most: MostUse,
  targets: readonly Target[],
): MostUse {
  let widest = most;
  for (const target of targets) {
    const own = wireAt(parts, operation, target)?.most?.(most);
    const isWider = (own?.tokens?.output.total ?? 0) > (widest.tokens?.output.total ?? 0);
    if (own !== undefined && isWider) widest = own;
  }
  return widest;
}

/** Where audio is paid by its length, the provider's word for the length is asked for, whatever form the caller wants. */
function forPrice<Name extends OperationName>(
  { priceOf }: OperationLaneParts,
  operation: Name,
  asked: Asked<Name>,
  target: Target,
): Asked<Name> {
  const { audio } = asked.client;
  if (audio === undefined || !statesLength(target.provider, operation, target.model)) return asked;
  if ((priceOf(target)?.units?.seconds ?? 0n) === 0n) return asked;
  return { ...asked, request: audio.wantingLength(asked.request) };
}

/** How many inputs every one of the targets takes in one request. */
export function inputsMaxOf(parts: OperationLaneParts, operation: OperationName, targets: readonly Target[]): number {
  return Math.min(
    ...targets.map((target) => {
      const own = operationFor(target.provider, operation, target.model)?.inputsMax ?? Infinity;
      return Math.min(own, wireAt(parts, operation, target)?.inputsMax ?? Infinity);
    }),
  );
}

function wireAt<Name extends OperationName>(
  parts: OperationLaneParts,
  operation: Name,
  { provider, model }: Target,
): ProviderWireOf<Name> | undefined {
  const place = operationFor(provider, operation, model);
  return place === undefined ? undefined : parts.wireOf(operation, place.wire);
}
