/** The record of a task: what the order fixes, and what depends on the provider that is tried. */

import type { AttemptOpening } from '../../ledger/ledger.ts';
import { writePrice } from '../../prices/price-text.ts';
import { laneText } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { NewTask } from '../task-store.ts';
import type { OrderCall, OrderParts } from './order-call.ts';
import type { TaskShare } from './task-ledger.ts';
import { secondsOf } from './video-bounds.ts';
import type { VideoLane } from './video-lane.ts';

/** The provider that is tried now, and the order as it is written for it. */
export interface ChosenLane {
  readonly target: Target;
  readonly lane: VideoLane;
}

/** After this a request that was not answered is taken to have died with its process. */
export const orphanedAfterMs = 30_000;

export function newTaskOf(
  { wallMs, deadlineMs, clocks }: OrderParts,
  { taskId, caller, requestId, facts, order }: OrderCall,
): Omit<NewTask, keyof TaskShare> {
  const { metadata, callbackUrl, value } = order;
  const { width, height, seconds, fps, seed, count } = value;
  const nowMs = wallMs();
  const known = Object.entries({ seconds, width, height, fps, seed, metadata }).filter(
    ([, option]) => option !== undefined,
  );
  return {
    id: taskId,
    tokenId: caller.tokenId,
    requestId,
    model: facts.model,
    requested: { count, ...Object.fromEntries(known) },
    createdAtMs: nowMs,
    deadlineAtMs: nowMs + deadlineMs,
    callbackUrl,
    deletedAtMs: undefined,
    dueAtMs: nowMs + clocks.headTimeoutMs + orphanedAfterMs,
  };
}

export function taskShareOf(
  parts: OrderParts,
  { endpoint, bytesIn, facts, order, request, endUser, tags }: OrderCall,
  { attemptId, provider, model, keyId = 'none' }: AttemptOpening,
  chosen: ChosenLane | undefined,
): TaskShare {
  const price = chosen && parts.priceOf(chosen.target);
  const seconds = chosen && secondsOf(parts, order.value, chosen.target);
  return {
    attemptId,
    provider,
    keyId,
    upstreamModel: model,
    terms: {
      endpoint,
      bytesIn,
      attempts: Number(attemptId.slice(attemptId.lastIndexOf('.') + 1)),
      priceVersion: price?.version ?? '',
      ...(price !== undefined && { price: writePrice(price), priceName: parts.ledger.nameOf(price) }),
      most: facts.most ?? {},
      ...(endUser !== undefined && { endUser }),
      ...(tags !== undefined && { tags }),
      ...(seconds !== undefined && { seconds }),
      ...(chosen !== undefined && { way: laneText(chosen.lane, request.wire.name) }),
    },
  };
}
