/** Asks a model's candidates one after the other while nothing has reached the client, and learns from those that fail. */

import type { ProviderKey } from '../config/config.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Target } from '../routing/catalogue.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, type Verdict } from '../upstream/verdict.ts';
import { Attempt, type Before } from './attempt.ts';
import type { Call, RelayParts } from './call.ts';
import type { Lane } from './lanes/lane.ts';
import { failureOf, send } from './send.ts';

/** What a request went through so far. */
export interface Trail {
  attempts: number;
  target: Target | undefined;
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

/** How long a target is left alone that asks to wait without saying how long, or that cannot be reached. */
const coolMs = 5_000;
const deadKeyMs = 60_000;
const nothingTried: ReadonlySet<string> = new Set();

export async function attemptAll<Result, Kind extends Lane>(
  parts: RelayParts,
  call: Call,
  targets: readonly Target[],
  trail: Trail,
  choose: Choose<Kind>,
  carry: Carry<Result, Kind>,
): Promise<Result> {
  let uncertain = 0;
  for (const target of targets) {
    let tried = nothingTried;
    for (;;) {
      if (trail.attempts >= parts.limits.attemptsMax) throw finalError(trail);
      const key = parts.keys.pick(target.provider, tried, parts.nowMs, call.memory?.keyIdFor(target));
      if (key === undefined) break;
      trail.attempts++;
      trail.target = target;
      const ordinal = (trail.attemptsBefore ?? 0) + trail.attempts;
      const result = await attemptOne(parts, call, target, key, ordinal, choose, carry);
      if (!(result instanceof AttemptFailure)) return result;
      const { verdict } = result;
      trail.verdicts.push(verdict);
      if (verdict.kind === 'request-fault' || verdict.kind === 'over') throw verdict.error;
      if (verdict.kind === 'unable') break;
      tried = new Set([...tried, `${target.provider.name} ${key.id}`]);
      learn(parts, target, key, verdict);
      // It may have been billed already: one more try elsewhere, not a series of them.
      if (verdict.kind === 'uncertain' && (++uncertain > 1 || !call.repeatable)) throw finalError(trail);
      if (verdict.kind !== 'key-dead' && verdict.kind !== 'cooling') break;
    }
  }
  throw finalError(trail);
}

async function attemptOne<Result, Kind extends Lane>(
  parts: RelayParts,
  call: Call,
  target: Target,
  key: ProviderKey,
  ordinal: number,
  choose: Choose<Kind>,
  carry: Carry<Result, Kind>,
): Promise<Result | AttemptFailure> {
  const way = wayTo(choose, target);
  const lane = way instanceof Promise ? await way : way;
  if (lane instanceof AttemptFailure) return lane;
  const loading = parts.pricesReady();
  if (loading !== undefined) await loading;
  const attempt = new Attempt(parts, call, target, key, lane, ordinal);
  // Written before anything is sent; a refusal of the budget or a database that is away ends the request here.
  const opening = attempt.open();
  const verdict = opening instanceof Promise ? await opening.catch(storeAway) : opening;
  if (!verdict.admitted) throw budgetSpent();
  attempt.begin();
  try {
    const upstream = await send(parts, attempt);
    attempt.headArrived();
    if (upstream.status < 200 || upstream.status > 299) throw await failureOf(attempt, upstream, parts.wallMs());
    return await carry(attempt, upstream);
  } catch (thrown) {
    const verdict = attempt.verdictOf(thrown);
    attempt.abandon(verdict);
    await attempt.release();
    if (!(thrown instanceof AttemptFailure)) {
      parts.warn('An attempt failed.', { requestId: call.requestId, provider: target.provider.name, cause: thrown });
    }
    return new AttemptFailure(verdict);
  }
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

function passedOver(error: unknown): AttemptFailure {
  if (!(error instanceof GatewayError) || error.code !== 'operation_unsupported') throw error;
  return new AttemptFailure({ kind: 'unable', error, retryAfterMs: undefined });
}

export function storeAway(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'Weir cannot reach its database, so nothing was sent.';
  throw new GatewayError('store_unavailable', message, { cause, retryAfterMs: 1000 });
}

export function budgetSpent(): GatewayError {
  return new GatewayError('budget_spent', "This request could cost more than is left of the token's budget.");
}

/** What a failure says about the provider's health, or its key's. */
export function learn(
  parts: Pick<RelayParts, 'keys' | 'nowMs'>,
  target: Target,
  key: ProviderKey,
  verdict: Verdict,
): void {
  const nowMs = parts.nowMs();
  if (verdict.kind === 'key-dead') parts.keys.setAside(target.provider, key, nowMs + deadKeyMs);
  else if (verdict.kind === 'cooling') {
    const untilMs = nowMs + (verdict.retryAfterMs ?? coolMs);
    if (target.provider.keys.length > 1) parts.keys.setAside(target.provider, key, untilMs);
    target.health.coolUntil(untilMs);
  } else target.health.coolUntil(nowMs + coolMs);
}

/** The error a client gets when nobody could answer: the most telling of what the candidates said. */
export function finalError({ verdicts, target }: Pick<Trail, 'verdicts' | 'target'>): GatewayError {
  const uncertain = verdicts.findLast(({ kind }) => kind === 'uncertain');
  if (uncertain !== undefined) return uncertain.error;
  const cooling = verdicts.filter(({ kind }) => kind === 'cooling');
  if (cooling.length > 0) {
    const waits = cooling.map(({ retryAfterMs }) => retryAfterMs ?? coolMs);
    const last = cooling.at(-1)?.error;
    if (last !== undefined && last.code === 'upstream_rate_limited') {
      return new GatewayError('upstream_rate_limited', last.message, {
        retryAfterMs: Math.min(...waits),
        providerType: last.providerType,
        providerCode: last.providerCode,
      });
    }
    return last ?? unavailable(target);
  }
  return verdicts.at(-1)?.error ?? unavailable(target);
}

function unavailable(target: Target | undefined): GatewayError {
  const name = target?.provider.name ?? 'any provider';
  return new GatewayError(
    'provider_unavailable',
    `No key of ${name} can be used now; the operator sees why in the log.`,
  );
}
