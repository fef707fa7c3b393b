/** Tries a model's candidates in order while nothing has reached the client, and learns from failures. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { smallBytesMax } from '../../http/json/read-in-slices.ts';
import { profileOf } from '../../providers/profile-of.ts';
import type { Target } from '../../routing/catalogue.ts';
import { LearnedRefusals } from '../../routing/learned-refusals.ts';
import { AttemptFailure, type Verdict } from '../../upstream/faults/verdict.ts';
import { ruleOf } from '../../upstream/faults/verdict-rules.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import { nothingSent } from '../admission/ledger-errors.ts';
import { requireRoom } from '../cost-bounds/require-room.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { Attempt } from './attempt.ts';
import type { EarlierUse } from './attempt-outcome.ts';
import { type Candidate, CandidateWalk } from './candidate-walk.ts';
import { failureOf, send } from './send.ts';

/** The attempts of a request so far. */
export interface Trail {
  attempts: number;
  target: Target | undefined;
  /** The lane of the last attempt; absent where nothing was sent. */
  lane?: Lane | undefined;
  readonly verdicts: Verdict[];
  /** Attempts for earlier parts of the request: no two of its attempts have the same number. */
  readonly attemptsBefore?: number;
  /** It has only this target. */
  alone?: boolean;
  /** What earlier parts of the request used and were charged for. */
  before?: EarlierUse | undefined;
  /** Why an attempt ended that may be billed. The client gets it where no budget has room for another one beside it. */
  owing?: GatewayError;
  /** The money is settled and the row written, though the client gets an error. */
  settled?: boolean;
}

export function emptyTrail(): Trail {
  return { attempts: 0, target: undefined, verdicts: [] };
}

/** Brings a reply whose head arrived to the client. Throws where another candidate may be tried. */
export type Carry<Result, Kind extends Lane> = (
  attempt: Attempt<Kind>,
  upstream: UpstreamReply,
) => Result | Promise<Result>;

/** Chooses the lane to a target; a promise where something must be prepared first. Throws where there is none. */
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
  trail.alone = targets.length === 1;
  for (;;) {
    const next = walk.next();
    const candidate = next instanceof Promise ? await next : next;
    call.trace?.chose(candidate.target);
    trail.attempts++;
    trail.target = candidate.target;
    trail.lane = undefined;
    let result: Result | AttemptFailure;
    try {
      result = await attemptOne(parts, call, candidate, trail, choose, carry);
    } catch (error) {
      walk.unused(candidate);
      throw trail.owing !== undefined && isBudgetError(error) ? trail.owing : error;
    }
    if (!(result instanceof AttemptFailure)) {
      // Its prompt is cached there now.
      if (call.affinityKey !== undefined && candidate.target !== targets[0]) {
        parts.moved.note(call.affinityKey, candidate.target, parts.nowMs());
      }
      return result;
    }
    // Nothing was sent to it.
    if (result.verdict.kind === 'unable') {
      trail.attempts--;
      call.trace?.skipped(candidate.target, result.verdict.error.message);
    }
    walk.failed(candidate, result.verdict);
    // Nothing was awaited, and the next lane may take as long to make as this one.
    if (result.verdict.kind === 'unable') await parts.slices.turn();
    // No fallback for a client that disconnected.
    if (call.hasLeft()) throw new GatewayError('client_left', 'The client left.');
  }
}

/** Refusals of a further attempt that say nothing about the one before it. */
const budgetErrors: ReadonlySet<string> = new Set(['budget_spent', 'price_unknown', 'context_unknown']);

function isBudgetError(error: unknown): boolean {
  return error instanceof GatewayError && budgetErrors.has(error.code);
}

async function attemptOne<Result, Kind extends Lane>(
  parts: RelayParts,
  asked: Call,
  candidate: Candidate,
  trail: Trail,
  choose: Choose<Kind>,
  carry: Carry<Result, Kind>,
): Promise<Result | AttemptFailure> {
  const { target } = candidate;
  const call = callAt(asked, target, trail);
  if (costsToPrepare(call) && trail.before === undefined) {
    const loading = parts.pricesReady();
    if (loading !== undefined) await loading;
    await requireRoom(parts, call, target).catch((error: unknown) => {
      trail.attempts--;
      throw error;
    });
  }
  const choosing = laneOrFailure(choose, target);
  const lane = choosing instanceof Promise ? await choosing : choosing;
  if (lane instanceof AttemptFailure) return lane;
  const { refused } = candidate;
  // The body still holds what was refused: the provider would refuse it again.
  if (refused?.lesson !== undefined && lane.sent !== undefined && refused.lesson.holds(lane.sent)) {
    trail.attempts--;
    throw refused.error;
  }
  const loading = parts.pricesReady();
  if (loading !== undefined) await loading;
  const confirming = parts.tokens.confirm(call.caller, call.startedAtMs);
  if (confirming !== undefined) await confirming;
  call.claim?.confirm();
  const ordinal = (trail.attemptsBefore ?? 0) + trail.attempts;
  const attempt = new Attempt(parts, call, candidate, lane, { ordinal, before: trail.before });
  // Written before anything is sent; a spent budget or an unreachable database ends the request here.
  const opening = attempt.open();
  const verdict = opening instanceof Promise ? await opening.catch(nothingSent) : opening;
  if (!verdict.admitted) {
    // Nothing was sent: the provider has no part in it.
    trail.attempts--;
    throw await attempt.budgetRefusal(verdict.scope);
  }
  attempt.begin();
  trail.lane = lane;
  try {
    const upstream = await send(parts, attempt);
    attempt.headArrived(upstream);
    if (upstream.status < 200 || upstream.status > 299) throw await failureOf(attempt, upstream, parts.wallMs());
    const carried = carry(attempt, upstream);
    return carried instanceof Promise ? await carried : carried;
  } catch (thrown) {
    const found = learnFrom(parts, attempt, finalVerdictOf(attempt, thrown), thrown);
    const verdict = isOwnFault(parts, attempt, trail, found) ? { ...found, kind: 'request-fault' as const } : found;
    attempt.abandon(verdict);
    const status = thrown instanceof AttemptFailure ? thrown.status : undefined;
    if (trail.settled !== true && attempt.isOwed(verdict)) await settleEnded(attempt, trail, verdict, status);
    else await attempt.release(verdict, status);
    if (!(thrown instanceof AttemptFailure)) {
      parts.warn('An attempt failed.', { requestId: call.requestId, provider: target.provider.name, cause: thrown });
    }
    return new AttemptFailure(verdict);
  }
}

/** A head without a body is no answer, so another candidate may be tried where the request is repeatable. */
function finalVerdictOf(attempt: Attempt, thrown: unknown): Verdict {
  const verdict = attempt.verdictOf(thrown);
  if (verdict.kind !== 'uncertain' || !attempt.hasHead || !attempt.call.repeatable) return verdict;
  return thrown instanceof AttemptFailure && thrown.status !== undefined
    ? verdict
    : { ...verdict, kind: 'target-down' };
}

/** What was not found is what the request names: something that the provider keeps, or a model that is in no list. */
function isOwnFault(
  { catalogue }: RelayParts,
  { call, target }: Attempt,
  { alone }: Trail,
  { kind }: Verdict,
): boolean {
  if (kind !== 'cannot-serve') return false;
  const { references, memory, facts } = call;
  if (references !== undefined && references.ids.length > 0) return true;
  if (memory?.keyIdFor(target) !== undefined) return true;
  return alone === true && !catalogue.isListed(facts.model, target);
}

/** It may be billed: where another attempt may follow, it is a part of what the request costs. */
async function settleEnded(attempt: Attempt, trail: Trail, verdict: Verdict, status: number | undefined) {
  if (ruleOf(verdict.kind).next !== 'none') {
    trail.before = await attempt.settleEndedPart(verdict, status);
    trail.owing = verdict.error;
    return;
  }
  const { status: replied, code } = verdict.error;
  await attempt.settleEnded({ status: replied, code, firstEventMs: undefined, bytesOut: 0 });
  trail.settled = true;
  // The cost is settled: a failure to mark the key must not cause a retry.
  await attempt.call.claim?.spend().catch(() => undefined);
}

/** A large body may have to be translated, and images be fetched for what makes or edits them. */
function costsToPrepare({ bytesIn, converses, repeatable }: Call): boolean {
  return bytesIn > smallBytesMax || (converses !== true && !repeatable);
}

/** What the body names may not be allowed there: nothing was sent then. */
function callAt(asked: Call, target: Target, trail: Trail): Call {
  try {
    return asked.at?.(target) ?? asked;
  } catch (error) {
    trail.attempts--;
    throw error;
  }
}

/** Records what a refusal says about the model; where that is new, the same target may be retried. */
function learnFrom(parts: RelayParts, attempt: Attempt, verdict: Verdict, thrown: unknown): Verdict {
  const { call, target, lane } = attempt;
  if (lacksPath(attempt, thrown)) {
    target.health.lacksFurtherPath(parts.nowMs());
    const details = { requestId: call.requestId, provider: target.provider.name, model: target.model };
    parts.warn('A provider does not have the path of a further endpoint; Weir does its work for an hour.', details);
    return { ...verdict, kind: 'parameter-refused' };
  }
  const { lesson } = verdict;
  if (lesson === undefined) return verdict;
  const headers = lane.passesHeaders ? call.passHeaders : undefined;
  const { health, provider, model } = target;
  health.learned ??= new LearnedRefusals(parts);
  const known = target.profile ?? profileOf(provider, model);
  if (!health.learned.learn(lesson, known, headers)) return verdict;
  const details = { requestId: call.requestId, provider: provider.name, model, refused: lesson.what };
  parts.warn('A provider refused a parameter; it is omitted or written differently from now on.', details);
  return { ...verdict, kind: 'parameter-refused' };
}

/** No such path, or none for this method: other formats do the work of such an endpoint themselves. */
const pathStatuses: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

function lacksPath({ call, lane }: Attempt, thrown: unknown): boolean {
  if (call.format.furtherAddress === undefined || lane.kind === 'translate') return false;
  return thrown instanceof AttemptFailure && pathStatuses.has(thrown.status);
}

/** A target that does not support the request is skipped; any other error is the request's own. */
function laneOrFailure<Kind extends Lane>(
  choose: Choose<Kind>,
  target: Target,
): Kind | AttemptFailure | Promise<Kind | AttemptFailure> {
  try {
    const lane = choose(target);
    return lane instanceof Promise ? lane.catch(passedOver) : lane;
  } catch (error) {
    return passedOver(error);
  }
}

/** In strict mode a target that would lose something is skipped for one that does not. */
const otherTargetMayServe: ReadonlySet<string> = new Set(['operation_unsupported', 'loss_refused']);

function passedOver(error: unknown): AttemptFailure {
  if (!(error instanceof GatewayError) || !otherTargetMayServe.has(error.code)) throw error;
  return new AttemptFailure({ kind: 'unable', error, retryAfterMs: undefined });
}
