/** The fallback order of a request: candidates of one tier before the next, each once, bounded in number, time and share of retries; waits out short cooldowns. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { strayTurn, type Turn } from '../../routing/breaker.ts';
import type { Target } from '../../routing/catalogue.ts';
import { isTried, type KeyRing, keyName, pairName } from '../../routing/keys.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';
import { ruleOf } from '../../upstream/faults/verdict-rules.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface WalkParts {
  readonly keys: KeyRing;
  readonly retries: RetryBudget;
  readonly limits: { readonly attemptsMax: number };
  readonly clocks: { readonly patienceMs: number; readonly attemptsTimeoutMs: number };
  nowMs(): number;
  random(): number;
}

interface Walker {
  /** May a request of unknown outcome be retried at another target? */
  readonly repeatable: boolean;
  /** May it be retried at the same target as well? */
  readonly converses?: boolean;
  readonly startedAtMs: number;
  hasLeft(): boolean;
  /** The key that must be used there, where the conversation that is continued belongs to one. */
  readonly memory?: { keyIdFor(target: Target): string | undefined } | undefined;
  readonly caller?: { readonly tokenId: string } | undefined;
  /** `inputUnbounded` names a field that refers to something elsewhere: a file, a cache, another reply. */
  readonly facts?: { readonly model: string; readonly inputUnbounded?: string | undefined } | undefined;
}

export interface Candidate {
  readonly target: Target;
  readonly key: ProviderKey;
  /** The turns of the target's and the key's health, once it was taken. */
  targetTurn: Turn;
  keyTurn: Turn;
  /** Why it is retried with another body. */
  readonly refused?: Verdict;
}

/** Cooldown of a target or key that was rate limited without `retry-after`: at first, and at most. */
const coolMsMin = 1_000;
const coolMsMax = 30_000;
/** How often a waiting request looks again: the one probe may have ended. */
const lookMs = 50;
const jitterMs = 10;
/** How long a request without patience waits to learn whether it may probe. */
const answerMsMax = 3_000;
/** Backoff before a target is retried by the same request: doubled each time, with jitter. */
const restMsMin = 100;
const restShare = 0.25;

export class CandidateWalk {
  readonly #parts: WalkParts;
  readonly #targets: readonly Target[];
  readonly #walker: Walker;
  #spent: ReadonlySet<Target> = noTargets;
  /** Targets that may be retried once no other is left, each not before its time. */
  #resting: ReadonlyMap<Target, Rest> = noRests;
  /** A target where one key is not allowed to serve the request: one more key is tried, not all. */
  #forbidding: Target | undefined;
  #tried: ReadonlySet<string> = noKeys;
  /** Retried with another body, which happens once. */
  #refitted: Candidate | undefined;
  #hasRefitted = false;
  #attempts = 0;
  /** A target was left for last when the next one was looked for. */
  #passedOver = false;
  #uncertain = 0;
  #waitedMs = 0;
  readonly #verdicts: Verdict[];

  /** `verdicts` has the failures so far; the walk adds to it. */
  constructor(parts: WalkParts, targets: readonly Target[], walker: Walker, verdicts: Verdict[]) {
    this.#parts = parts;
    this.#targets = targets;
    this.#walker = walker;
    this.#verdicts = verdicts;
    parts.retries.earn();
  }

  /** The next candidate; a promise where it must be waited for. Throws the client's error where there is none. */
  next(): Candidate | Promise<Candidate> {
    const found = this.#refitted ?? this.#find();
    this.#refitted = undefined;
    if (found !== undefined) return this.#take(found);
    return this.#wait();
  }

  /** Records a candidate's failure; throws where no other may be tried. */
  failed(candidate: Candidate, verdict: Verdict): void {
    const { target, key } = candidate;
    this.#verdicts.push(verdict);
    const rule = ruleOf(verdict.kind);
    learn(this.#parts, candidate, verdict, this.#walker);
    if (rule.next === 'none' || (rule.next === 'same' && this.#hasRefitted)) throw verdict.error;
    if (rule.next === 'same') {
      this.#hasRefitted = true;
      this.#refitted = { target, key, targetTurn: strayTurn, keyTurn: strayTurn, refused: verdict };
      return;
    }
    if (rule.next === 'key') {
      const name = rule.cools === 'key' ? pairName(target, key) : keyName(target.provider, key);
      this.#tried = new Set([...this.#tried, name]);
      return;
    }
    if (rule.next === 'other' && this.#forbidding !== target) {
      this.#forbidding = target;
      this.#tried = new Set([...this.#tried, pairName(target, key)]);
      return;
    }
    if (this.#mayRest(target, verdict)) this.#rest(target);
    else this.#spent = new Set([...this.#spent, target]);
    if (verdict.kind === 'unable') this.#attempts--;
    // It may have been billed already: one retry elsewhere, not a series.
    if (rule.next === 'once' && (++this.#uncertain > 1 || !this.#walker.repeatable)) throw this.#finalError();
  }

  /** A candidate was not tried after all, and no other will be: if it was the probe, another request may probe. */
  unused({ target, key, targetTurn, keyTurn }: Candidate): void {
    target.health.abandoned(targetTurn);
    this.#parts.keys.abandoned(target.provider, key, keyTurn);
  }

  /** An overloaded target billed nothing. After a failure only a conversation is retried there, and only if no other target is left. */
  #mayRest(target: Target, { kind, again }: Verdict): boolean {
    if (ruleOf(kind).cools === 'target') return true;
    if (again !== true || this.#walker.converses !== true || this.#resting.has(target)) return false;
    return this.#targets.every((other) => other === target || this.#spent.has(other));
  }

  #rest(target: Target): void {
    const { nowMs, random } = this.#parts;
    const now = nowMs();
    const times = (this.#resting.get(target)?.times ?? 0) + 1;
    const restMs = Math.max(restMsMin * 2 ** (times - 1), target.health.coolsUntilMs - now);
    const readyAtMs = now + restMs * (1 + random() * restShare);
    this.#resting = new Map([...this.#resting, [target, { readyAtMs, times }]]);
  }

  #find(): Candidate | undefined {
    this.#passedOver = false;
    const found = this.#findAmong(false) ?? (this.#resting.size === 0 ? undefined : this.#findAmong(true));
    return found === undefined && this.#passedOver ? this.#findAmong(false, true) : found;
  }

  /** `absent`: also those that said recently that they do not have the model. */
  #findAmong(rested: boolean, absent = false): Candidate | undefined {
    const { keys, nowMs } = this.#parts;
    const now = nowMs();
    for (const target of this.#targets) {
      if (this.#spent.has(target) || !target.health.admits(now)) continue;
      if (!absent && target.health.absence?.holds(this.#walker.caller?.tokenId ?? '', now) === true) {
        this.#passedOver = true;
        continue;
      }
      const rest = this.#resting.get(target);
      if (rest === undefined ? rested : !rested || now < rest.readyAtMs) continue;
      const key = keys.pick(target, this.#tried, nowMs, this.#walker.memory?.keyIdFor(target));
      if (key !== undefined) return { target, key, targetTurn: strayTurn, keyTurn: strayTurn };
    }
    return undefined;
  }

  #take(found: Candidate): Candidate {
    const { limits, clocks, keys, retries } = this.#parts;
    const now = this.#parts.nowMs();
    if (this.#attempts > 0) {
      const isLate = now - this.#walker.startedAtMs > clocks.attemptsTimeoutMs;
      if (this.#attempts >= limits.attemptsMax || isLate || !retries.spend()) throw this.#finalError();
    }
    this.#attempts++;
    // Nothing was awaited since both were found to admit it.
    found.targetTurn = found.target.health.enter(now);
    found.keyTurn = keys.enter(found.target.provider, found.key, now);
    return found;
  }

  /** All remaining targets are cooling down or have an open circuit: the first that is back soon enough is waited for. */
  async #wait(): Promise<Candidate> {
    for (;;) {
      const { nowMs, clocks, random } = this.#parts;
      const waitMs = this.#readyAtMs() - nowMs();
      const leftMs = clocks.patienceMs - this.#waitedMs;
      // Ready but not found: this replica has asked for the probe.
      const isAnswered = waitMs > 0 || this.#waitedMs >= answerMsMax;
      if (isAnswered && (waitMs > leftMs || leftMs <= 0)) throw this.#finalError(waitMs);
      // In short steps with jitter: a probe may end at any time.
      const pauseMs = Math.min(Math.max(waitMs, 1), lookMs) + random() * jitterMs;
      await Bun.sleep(pauseMs);
      this.#waitedMs += pauseMs;
      if (this.#walker.hasLeft()) throw new GatewayError('client_left', 'The client left.');
      const found = this.#find();
      if (found !== undefined) return this.#take(found);
    }
  }

  /** The earliest time at which a remaining target may be tried. A running probe may end at any time. */
  #readyAtMs(): number {
    const { keys, nowMs } = this.#parts;
    const now = nowMs();
    let earliest = Number.POSITIVE_INFINITY;
    for (const target of this.#targets) {
      if (this.#spent.has(target)) continue;
      const keyAtMs = keys.readyAtMs(target, this.#tried, now);
      if (keyAtMs === Number.POSITIVE_INFINITY && !this.#hasUntriedKey(target)) continue;
      const restedAtMs = this.#resting.get(target)?.readyAtMs ?? 0;
      const atMs = Math.max(target.health.readyAtMs(now), keyAtMs, restedAtMs);
      earliest = Math.min(earliest, Number.isFinite(atMs) ? atMs : now + lookMs);
    }
    return earliest;
  }

  #hasUntriedKey(target: Target): boolean {
    return target.provider.keys.some((key) => !isTried(target, key, this.#tried));
  }

  #finalError(waitMs?: number): GatewayError {
    return finalError(this.#verdicts, waitMs) ?? unavailable(this.#parts, this.#targets, waitMs);
  }
}

const noKeys: ReadonlySet<string> = new Set();
const noTargets: ReadonlySet<Target> = new Set();
const noRests: ReadonlyMap<Target, Rest> = new Map();

interface Rest {
  readonly readyAtMs: number;
  readonly times: number;
}

/** Updates the health of target and key by a verdict. */
function learn(
  parts: Pick<WalkParts, 'keys' | 'nowMs'>,
  candidate: Candidate,
  verdict: Verdict,
  { caller, facts }: Pick<Walker, 'caller' | 'facts'> = {},
): void {
  const { target, key, targetTurn, keyTurn } = candidate;
  const { cools, counts } = ruleOf(verdict.kind);
  const nowMs = parts.nowMs();
  if (cools !== 'none') {
    const health = cools === 'key' ? parts.keys.healthFor(target, key) : target.health;
    if (verdict.retryAfterMs === undefined) health.coolFor(nowMs, coolMsMin, coolMsMax);
    else health.coolUntil(nowMs + verdict.retryAfterMs);
  }
  if (counts === 'target') target.health.failed(targetTurn, nowMs);
  else target.health.abandoned(targetTurn);
  if (counts === 'key') parts.keys.healthOf(target.provider, key).trip(keyTurn, nowMs);
  // The key may have been refused because of what the request refers to: that says nothing about the key.
  else if (counts === 'probe' && facts?.inputUnbounded === undefined) {
    const refusal = { turn: keyTurn, tokenId: caller?.tokenId, clear: verdict.namesKey === true };
    parts.keys.refused(target, key, refusal, parts.nowMs);
  } else parts.keys.abandoned(target.provider, key, keyTurn);
  if (counts === 'absence') target.health.cannotServe(caller?.tokenId ?? '', nowMs);
  if (verdict.lacks !== undefined) target.health.learnLack(verdict.lacks, nowMs);
}

/** The most telling error of candidates that could not answer; undefined where none was tried. */
function finalError(verdicts: readonly Verdict[], waitMs?: number): GatewayError | undefined {
  const uncertain = verdicts.findLast(({ kind }) => kind === 'uncertain');
  if (uncertain !== undefined) return uncertain.error;
  const waiting = verdicts.filter(({ kind }) => ruleOf(kind).cools !== 'none');
  const last = waiting.at(-1)?.error;
  if (last !== undefined) {
    const waits = waiting.map(({ retryAfterMs }) => retryAfterMs ?? coolMsMin);
    const isLimited = last.code === 'upstream_rate_limited';
    return again(last, isLimited || !isSoon(waitMs) ? Math.min(...waits) : Math.max(1, waitMs));
  }
  const end = verdicts.at(-1);
  // The target did not receive the request: a retry cannot be billed twice.
  const isUnsent = end?.kind === 'target-down' && end.error.row.cost === 'never';
  return isUnsent ? again(end.error, coolMsMin) : end?.error;
}

function isSoon(waitMs: number | undefined): waitMs is number {
  return waitMs !== undefined && Number.isFinite(waitMs);
}

/** The same error, with the time after which the official libraries retry by themselves. */
function again(error: GatewayError, retryAfterMs: number): GatewayError {
  const { code, message, providerType, providerCode, providerSpeaks, cause } = error;
  return new GatewayError(code, message, { retryAfterMs, providerType, providerCode, providerSpeaks, cause });
}

/** No candidate may be tried now: each with its reason, for the client and for the request's record. */
function unavailable(
  parts: Pick<WalkParts, 'keys' | 'nowMs'>,
  targets: readonly Target[],
  waitMs: number | undefined,
): GatewayError {
  const now = parts.nowMs();
  const reasons = [...new Set(targets.map((target) => whyNot(parts.keys, target, now)))].slice(0, reasonsMax);
  const soon = isSoon(waitMs);
  const message = `No provider of this model can be used now: ${reasons.join('; ')}.${soon ? ' Retry later.' : ''}`;
  return new GatewayError('provider_unavailable', message, soon ? { retryAfterMs: Math.max(1, waitMs) } : {});
}

const reasonsMax = 5;

function whyNot(keys: KeyRing, target: Target, now: number): string {
  const { name } = target.provider;
  const until = (atMs: number): string =>
    Number.isFinite(atMs) && atMs > now ? ` for ${Math.ceil((atMs - now) / 1_000)} s` : '';
  const state = target.health.state(now);
  if (state === 'open') return `${name} has an open circuit${until(target.health.readyAtMs(now))}`;
  if (state === 'cooling') return `${name} is cooling down${until(target.health.readyAtMs(now))}`;
  if (state === 'half-open') return `${name} is being probed by another request`;
  const keyAtMs = keys.readyAtMs(target, noKeys, now);
  return `${name} has no usable key${until(keyAtMs)}`;
}
