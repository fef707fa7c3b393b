/** The life of a request between the edge and the provider: admit, attempt, fail over while nothing was sent, settle. */

import type { Caller } from '../access/caller.ts';
import type { Admission } from '../access/limits.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { unknownUsage } from '../conversation/usage.ts';
import type { Format, RequestFacts } from '../formats/format.ts';
import type { JsonBody } from '../http/json-body.ts';
import type { OpeningVerdict } from '../ledger/ledger.ts';
import type { Target } from '../routing/catalogue.ts';
import { orderTargets } from '../routing/choose.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, type Verdict } from '../upstream/verdict.ts';
import { Attempt } from './attempt.ts';
import type { Call, RelayParts } from './call.ts';
import type { Claim } from './idempotency.ts';
import { send } from './send.ts';
import { StreamReply } from './stream-reply.ts';
import { answerWhole } from './whole-reply.ts';

export interface RelayRequest {
  readonly requestId: string;
  readonly endpoint: string;
  readonly format: Format;
  readonly caller: Caller;
  readonly body: JsonBody;
  readonly startedAtMs: number;
  /** Has the client's socket closed? Asked by the ticker: a listener on every request would cost more than the question. */
  hasLeft(): boolean;
  readonly headers: Headers;
}

export interface Relay {
  handle(request: RelayRequest): Promise<Response>;
  /** Replies that still stream. */
  readonly running: number;
  /** Waits for running streams; those that are left at the deadline end with an error in their format. */
  drain(deadlineMs: number): Promise<void>;
}

/** What a request went through so far. */
interface Trail {
  attempts: number;
  target: Target | undefined;
  readonly verdicts: Verdict[];
}

/** How long a target is left alone that asks to wait without saying how long, or that cannot be reached. */
const coolMs = 5_000;
const deadKeyMs = 60_000;

export function createRelay(parts: RelayParts): Relay {
  const streams = new Set<StreamReply>();

  async function handle(request: RelayRequest): Promise<Response> {
    const { caller, format, body } = request;
    const facts = format.check(body.tree, body.bytes.length);
    if (!caller.mayUseModel(facts.model)) {
      throw new GatewayError('model_not_allowed', `This token may not use the model ${facts.model.slice(0, 200)}.`, {
        param: 'model',
      });
    }
    const targets = targetsOf(facts, format);
    const entering = parts.limiter.enter(caller, tokensAsked(facts), request.requestId);
    const admission = entering instanceof Promise ? await entering : entering;
    const claim = await claimOf(request, admission);
    if (claim instanceof Response) return claim;
    const call: Call = { ...request, facts, admission, claim, passHeaders: passedHeaders(request) };
    const trail: Trail = { attempts: 0, target: undefined, verdicts: [] };
    try {
      return await attemptAll(call, targets, trail);
    } catch (error) {
      admission.leave(0);
      recordRefusal(call, trail, error);
      await claim?.forget();
      throw error;
    }
  }

  async function claimOf(request: RelayRequest, admission: Admission): Promise<Claim | Response | undefined> {
    const key = request.headers.get('idempotency-key');
    if (key === null) return undefined;
    const { caller, requestId, endpoint, body } = request;
    try {
      const claim = await parts.idempotency.begin({
        key,
        tokenId: caller.tokenId,
        requestId,
        endpoint,
        body: body.bytes,
      });
      if (claim instanceof Response) admission.leave(0);
      return claim;
    } catch (error) {
      admission.leave(0);
      throw error;
    }
  }

  function targetsOf(facts: RequestFacts, format: Format): readonly Target[] {
    const targets = parts.catalogue.resolve(facts.model);
    if (targets === undefined) {
      const shown = facts.model.slice(0, 200);
      throw new GatewayError(
        'model_not_found',
        `No provider serves the model ${shown}. GET /v1/models lists those that are served.`,
        { param: 'model' },
      );
    }
    const able = targets.filter((target) => target.provider.urls[format.name] !== undefined);
    if (able.length === 0) {
      throw new GatewayError(
        'operation_unsupported',
        `The model ${facts.model.slice(0, 200)} cannot do this operation here.`,
        { param: 'model' },
      );
    }
    return orderTargets(able, parts.nowMs(), parts.random);
  }

  async function attemptAll(call: Call, targets: readonly Target[], trail: Trail): Promise<Response> {
    const tried = new Set<string>();
    let uncertain = 0;
    for (const target of targets) {
      for (;;) {
        if (trail.attempts >= parts.limits.attemptsMax) throw finalError(trail);
        const key = parts.keys.pick(target.provider, tried, parts.nowMs());
        if (key === undefined) break;
        trail.attempts++;
        trail.target = target;
        const result = await attemptOne(call, target, key, trail.attempts);
        if (result instanceof Response) return result;
        trail.verdicts.push(result);
        if (result.kind === 'request-fault' || result.kind === 'over') throw result.error;
        tried.add(`${target.provider.name} ${key.id}`);
        learn(target, key, result);
        // It may have been billed already: one more try elsewhere, not a series of them.
        if (result.kind === 'uncertain' && ++uncertain > 1) throw finalError(trail);
        if (result.kind !== 'key-dead' && result.kind !== 'cooling') break;
      }
    }
    throw finalError(trail);
  }

  async function attemptOne(
    call: Call,
    target: Target,
    key: { id: string; value: string },
    ordinal: number,
  ): Promise<Response | Verdict> {
    const url = target.provider.urls[call.format.name] ?? '';
    const patch = call.format.patch(call.body.tree, {
      upstreamModel: target.model === call.facts.model ? undefined : target.model,
      mayAskUsage: target.provider.quirks.rejectsStreamOptions !== true,
    });
    const loading = parts.pricesReady();
    if (loading !== undefined) await loading;
    const attempt = new Attempt(parts, call, target, key, patch, ordinal);
    await openOrRefuse(attempt);
    attempt.begin();
    try {
      const upstream = await send(attempt, url, parts.wallMs);
      return call.facts.stream ? await beginStream(attempt, upstream) : await answerWhole(parts, attempt, upstream);
    } catch (thrown) {
      const verdict = attempt.verdictOf(thrown);
      attempt.abandon(verdict);
      await attempt.release();
      if (!(thrown instanceof AttemptFailure)) {
        parts.warn('An attempt failed.', { requestId: call.requestId, provider: target.provider.name, cause: thrown });
      }
      return verdict;
    }
  }

  async function openOrRefuse(attempt: Attempt): Promise<void> {
    const opening = attempt.open();
    let verdict: OpeningVerdict;
    try {
      verdict = await opening;
    } catch (cause) {
      throw new GatewayError('store_unavailable', 'Weir cannot reach its database, so nothing was sent.', {
        cause,
        retryAfterMs: 1000,
      });
    }
    if (verdict.admitted) return;
    throw new GatewayError('budget_spent', "This request could cost more than is left of the token's budget.");
  }

  async function beginStream(attempt: Attempt, upstream: UpstreamReply): Promise<Response> {
    const reply = new StreamReply(parts, attempt, upstream);
    const response = await reply.begin();
    streams.add(reply);
    void reply.done.then(() => streams.delete(reply));
    return response;
  }

  function learn(target: Target, key: { id: string; value: string }, verdict: Verdict): void {
    const nowMs = parts.nowMs();
    if (verdict.kind === 'key-dead') parts.keys.setAside(target.provider, key, nowMs + deadKeyMs);
    else if (verdict.kind === 'cooling') {
      const until = nowMs + (verdict.retryAfterMs ?? coolMs);
      if (target.provider.keys.length > 1) parts.keys.setAside(target.provider, key, until);
      target.health.coolUntil(until);
    } else target.health.coolUntil(nowMs + coolMs);
  }

  /** Requests that were refused after admission appear in the usage list too, at no cost. */
  function recordRefusal(call: Call, trail: Trail, error: unknown): void {
    const refused = error instanceof GatewayError ? error : undefined;
    const totalMs = Math.round(parts.nowMs() - call.startedAtMs);
    const row = {
      requestId: call.requestId,
      atMs: parts.wallMs() - totalMs,
      tokenId: call.caller.tokenId,
      endpoint: call.endpoint,
      model: call.facts.model,
      provider: trail.target?.provider.name ?? '',
      upstreamModel: trail.target?.model ?? '',
      stream: call.facts.stream,
      attempts: trail.attempts,
      status: refused?.status ?? 500,
      code: refused?.code ?? 'internal_error',
      usage: unknownUsage,
      costNano: 0n,
      estimated: false,
      priceVersion: '',
      totalMs,
      bytesIn: call.body.bytes.length,
      bytesOut: 0,
    };
    parts.ledger.record(row);
    parts.observe({ ...row, firstEventMs: undefined, inputTokens: 0, outputTokens: 0 });
  }

  return {
    handle,
    get running() {
      return streams.size;
    },
    async drain(deadlineMs) {
      const ended = Promise.allSettled([...streams].map((stream) => stream.done));
      const timer = Promise.withResolvers<void>();
      const handle = setTimeout(timer.resolve, deadlineMs);
      await Promise.race([ended, timer.promise]);
      clearTimeout(handle);
      const error = new GatewayError('shutting_down', 'This Weir is shutting down.');
      for (const stream of streams) stream.interrupt({ kind: 'over', error, retryAfterMs: undefined });
      await Promise.allSettled([...streams].map((stream) => stream.done));
    },
  };
}

function tokensAsked(facts: RequestFacts): number {
  return Math.ceil(facts.inputTokensMax / 4);
}

function passedHeaders(request: RelayRequest): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of request.format.passHeaders) {
    const value = request.headers.get(name);
    if (value !== null) passed[name] = value;
  }
  return passed;
}

/** The error a client gets when nobody could answer: the most telling of what the candidates said. */
function finalError({ verdicts, target }: Trail): GatewayError {
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
