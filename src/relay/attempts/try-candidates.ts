/** Asks a model's candidates one after the other while nothing has reached the client, and learns from those that fail. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { profileOf } from '../../providers/profile-of.ts';
import type { Target } from '../../routing/catalogue.ts';
import { LearnedRefusals } from '../../routing/learned-refusals.ts';
import { AttemptFailure, type Verdict } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { Attempt } from './attempt.ts';
import type { Before } from './attempt-outcome.ts';
import { type Candidate, CandidateWalk } from './candidate-walk.ts';
import { failureOf, send } from './send.ts';

/** What a request went through so far. */
export interface Trail {
  attempts: number;
  target: Target | undefined;
  /** How the target was asked; absent where it was not. */
  lane?: Lane | undefined;
  readonly verdicts: Verdict[];
  /** Attempts that the request made for its earlier parts: no two of its attempts have the same number. */
  readonly attemptsBefore?: number;
  /** What earlier parts of the request used, whatever becomes of the rest. */
  before?: Before | undefined;
  /** The money is settled and the row written, though the client gets an error. */
  settled?: boolean;
}

export function emptyTrail(): Trail {
  return { attempts: 0, target: undefined, verdicts: [] };
}

/** Takes a reply whose head arrived as far as nothing can go wrong unnoticed any more. Throws where another candidate may be asked. */
export type Carry<Result, Kind extends Lane> = (
  attempt: Attempt<Kind>,
  upstream: UpstreamReply,
) => Result | Promise<Result>;

/** The way to one target; a promise where something must be made ready first. Throws where there is none. */
export type Choose<Kind extends Lane> = (target: Target) => Kind | Promise<Kind>;

export async function attemptAll<Result, Kind extends Lane>(
  parts: RelayParts,
  call: Call,
  targets: readonly Target[],
  trail: Trail,
  choose: Choose<Kind>,
  carry: Carry<Result, Kind>,
): Promise<Result> {
  const walk = new CandidateWalk(parts, targets, call, trail.verdicts);
  for (;;) {
    const next = walk.next();
    const candidate = next instanceof Promise ? await next : next;
    trail.attempts++;
    trail.target = candidate.target;
    trail.lane = undefined;
    let result: Result | AttemptFailure;
    try {
      result = await attemptOne(parts, call, candidate, trail, choose, carry);
    } catch (error) {
      walk.unused(candidate);
      throw error;
    }
    if (!(result instanceof AttemptFailure)) {
      // Its prompt is cached there now.
      if (call.affinityKey !== undefined && candidate.target !== targets[0]) {
        parts.moved.note(call.affinityKey, candidate.target, parts.nowMs());
      }
      return result;
    }
    // It was not asked at all.
    if (result.verdict.kind === 'unable') trail.attempts--;
    walk.failed(candidate, result.verdict);
    // Nobody else is asked for a client that has left meanwhile.
    if (call.hasLeft()) throw new GatewayError('client_left', 'The client left.');
  }
}

async function attemptOne<Result, Kind extends Lane>(
  parts: RelayParts,
  call: Call,
  candidate: Candidate,
  trail: Trail,
  choose: Choose<Kind>,
  carry: Carry<Result, Kind>,
): Promise<Result | AttemptFailure> {
  const { target } = candidate;
  const way = wayTo(choose, target);
  const lane = way instanceof Promise ? await way : way;
  if (lane instanceof AttemptFailure) return lane;
  const { refused } = candidate;
  // It cannot be said otherwise in this format: the provider's answer would be the same.
  if (refused?.lesson !== undefined && lane.sent !== undefined && refused.lesson.holds(lane.sent)) {
    trail.attempts--;
    throw refused.error;
  }
  const loading = parts.pricesReady();
  if (loading !== undefined) await loading;
  const confirming = parts.tokens.confirm(call.caller.tokenId, call.startedAtMs);
  if (confirming !== undefined) await confirming;
  call.claim?.confirm();
  const ordinal = (trail.attemptsBefore ?? 0) + trail.attempts;
  const attempt = new Attempt(parts, call, candidate, lane, ordinal);
  // Written before anything is sent; a refusal of the budget or a database that is away ends the request here.
  const opening = attempt.open();
  const verdict = opening instanceof Promise ? await opening.catch(storeAway) : opening;
  if (!verdict.admitted) throw budgetSpent();
  attempt.begin();
  trail.lane = lane;
  try {
    const upstream = await send(parts, attempt);
    attempt.headArrived(upstream);
    if (upstream.status < 200 || upstream.status > 299) throw await failureOf(attempt, upstream, parts.wallMs());
    return await carry(attempt, upstream);
  } catch (thrown) {
    const verdict = taught(parts, attempt, attempt.finalVerdictOf(thrown));
    attempt.abandon(verdict);
    if (trail.settled !== true && attempt.endedByClient(verdict)) {
      await attempt.settleLeft(verdict.error, { before: trail.before, firstEventMs: undefined, bytesOut: 0 });
      trail.settled = true;
      // The money is settled: a key that could not be marked must not make anybody try again.
      await call.claim?.spend().catch(() => undefined);
      return new AttemptFailure(verdict);
    }
    await attempt.release(verdict.kind);
    if (!(thrown instanceof AttemptFailure)) {
      parts.warn('An attempt failed.', { requestId: call.requestId, provider: target.provider.name, cause: thrown });
    }
    return new AttemptFailure(verdict);
  }
}

/** Remembers what a refusal teaches; where that is new, the same target may be asked once more. */
function taught(parts: RelayParts, { call, target, lane }: Attempt, verdict: Verdict): Verdict {
  const { lesson } = verdict;
  if (lesson === undefined) return verdict;
  const headers = lane.passesHeaders ? call.passHeaders : undefined;
  const { health, provider, model } = target;
  health.learned ??= new LearnedRefusals(parts);
  const known = target.profile ?? profileOf(provider, model);
  if (!health.learned.learn(lesson, known, headers)) return verdict;
  const details = { requestId: call.requestId, provider: provider.name, model, refused: lesson.what };
  parts.warn('A provider refused a parameter; it is left out from now on, or said otherwise.', details);
  return { ...verdict, kind: 'parameter-refused' };
}

/** A target that cannot be told what the request says is passed over; any other refusal is the request's own. */
function wayTo<Kind extends Lane>(
  choose: Choose<Kind>,
  target: Target,
): Kind | AttemptFailure | Promise<Kind | AttemptFailure> {
  try {
    const way = choose(target);
    return way instanceof Promise ? way.catch(passedOver) : way;
  } catch (error) {
    return passedOver(error);
  }
}

/** In strict mode a target that would lose something is passed over for one that does not. */
const othersMayDo: ReadonlySet<string> = new Set(['operation_unsupported', 'loss_refused']);

function passedOver(error: unknown): AttemptFailure {
  if (!(error instanceof GatewayError) || !othersMayDo.has(error.code)) throw error;
  return new AttemptFailure({ kind: 'unable', error, retryAfterMs: undefined });
}

export function storeAway(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'Weir cannot reach its database, so nothing was sent.';
  throw new GatewayError('store_unavailable', message, { cause, retryAfterMs: 1000 });
}

export function budgetSpent(): GatewayError {
  return new GatewayError(
    'budget_spent',
    "This request could cost more than is left of the token's budget. A lower output limit makes it cost less.",
  );
}

/** What a failure says about the provider's health, or its key's. */
