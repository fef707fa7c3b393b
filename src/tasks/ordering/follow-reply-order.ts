/** Replies in the background: the attempt's reservation belongs to a task, which a worker of any replica follows to its usage. */

import type { AttemptOpening } from '../../ledger/ledger.ts';
import { writePrice } from '../../prices/price-text.ts';
import type { Call } from '../../relay/admission/call.ts';
import type { FollowedReply } from '../../relay/attempts/followed-reply.ts';
import { boundsAt } from '../../relay/cost-bounds/price-bounds.ts';
import { type Lane, laneText } from '../../relay/lanes/lane.ts';
import type { RelayParts } from '../../relay/relay-parts.ts';
import type { Target } from '../../routing/catalogue.ts';
import { endReported, type ReplyParts } from '../following/follow-reply.ts';
import type { TaskStore } from '../task-store.ts';
import { storeStep } from './accept-order.ts';
import { TaskLedger, type TaskShare } from './task-ledger.ts';
import { orphanedAfterMs } from './task-record.ts';

interface FollowParts {
  readonly relay: RelayParts;
  readonly store: TaskStore;
  readonly following: ReplyParts;
  readonly config: { readonly deadlineMs: number; readonly openPerTokenMax: number };
}

/** When a reply that was accepted is asked for first. */
const firstAskMs = 1_000;
const reportTriesMax = 3;

export function followedReply(parts: FollowParts, call: Call): FollowedReply {
  const { relay, store, following, config } = parts;
  const { wallMs, warn, clocks } = relay;
  const id = relay.newId('reply_');
  const nowMs = wallMs();
  let chosen: { readonly target: Target; readonly lane: Lane } | undefined;
  const task = {
    id,
    tokenId: call.caller.tokenId,
    requestId: call.requestId,
    model: call.facts.model,
    requested: { count: 1 },
    createdAtMs: nowMs,
    deadlineAtMs: nowMs + config.deadlineMs,
    callbackUrl: undefined,
    // It is no video: no caller lists it, and nothing is fetched for it.
    deletedAtMs: nowMs,
    dueAtMs: nowMs + clocks.headTimeoutMs + clocks.idleTimeoutMs + orphanedAfterMs,
  };
  const ledger = new TaskLedger({ ...relay, store, openPerTokenMax: config.openPerTokenMax }, task, (opening) =>
    shareOf(relay, call, opening, chosen),
  );
  return {
    ledger,
    chose(target, lane) {
      chosen = { target, lane };
    },
    async accepted(replyId) {
      const dueAtMs = wallMs() + (following.askEveryMs ?? firstAskMs);
      await storeStep(store, id, { state: 'queued', percent: 0, ticket: { id: replyId }, faults: 0, dueAtMs });
    },
    async reported(usage) {
      try {
        for (let tries = 0; tries < reportTriesMax; tries++) if (await endReported(following, id, usage)) return;
      } catch (cause) {
        warn('The usage of a reply could not be written; a worker asks for it.', { task: id, cause });
      }
    },
    abandon: () =>
      ledger.abandon().catch((cause: unknown) => {
        warn('A reply that no provider accepted could not be discarded.', { task: id, cause });
      }),
  };
}

function shareOf(
  parts: RelayParts,
  { endpoint, bytesIn, facts, format, endUser, tags }: Call,
  { attemptId, provider, model, keyId = 'none' }: AttemptOpening,
  chosen: { readonly target: Target; readonly lane: Lane } | undefined,
): TaskShare {
  const price = chosen && parts.priceOf(chosen.target);
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
      most: chosen === undefined ? {} : { tokens: boundsAt(parts, chosen.target, price, facts).mostUsage },
      reply: format.name,
      ...(endUser !== undefined && { endUser }),
      ...(tags !== undefined && { tags }),
      ...(chosen !== undefined && { way: laneText(chosen.lane, format.name) }),
    },
  };
}
