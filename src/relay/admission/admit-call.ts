/**
 * The one path of every request from its endpoint to its attempts: check, model, explain, route, limits, references,
 * idempotency, call, answer; then settled by its attempts, or refused here. A kind of work gives data and functions and
 * cannot leave a step out.
 */

import type { Caller, EndUserRule } from '../../access/caller.ts';
import { tightestTpm } from '../../access/levels/levels.ts';
import { type Admission, openAdmission } from '../../access/limits.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { References } from '../../conversation/references/references.ts';
import { isReply, type Reply } from '../../http/reply.ts';
import type { Target } from '../../routing/catalogue.ts';
import { emptyTrail, type Trail } from '../attempts/try-candidates.ts';
import type { BoundedText } from '../contents/bounded-text.ts';
import { asksToExplain, explain } from '../explain/explain.ts';
import type { Claim, Recall } from '../idempotency/idempotency.ts';
import type { Lane } from '../lanes/lane.ts';
import type { OpenGate } from '../moderation-gate/gate.ts';
import type { RefusedRequest } from '../refusals/refusals.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Call, CallMemory } from './call.ts';
import type { CallRequest } from './call-request.ts';
import { endUserIn, tagsIn } from './named-in-request.ts';
import { refuse } from './refuse.ts';
import { requireModel } from './require-model.ts';
import { findRoute, type RouteRequest, routeCall } from './route-call.ts';
import { withUser } from './user-admission.ts';

/** What admission found out about a request before it becomes a call. */
export interface Entry<Facts> {
  readonly facts: Facts;
  readonly targets: readonly Target[];
  readonly admission: Call['admission'];
  readonly claim: Claim | undefined;
  readonly memory: CallMemory | undefined;
  readonly affinityKey: string | undefined;
  readonly references: References | undefined;
  readonly endUser: string | undefined;
  readonly tags: readonly string[] | undefined;
}

/** The least that is known of a request once its body was checked. */
interface ModelFacts {
  readonly model: string;
}

/** What a body says of whom a request is for. */
export interface NamedInBody {
  readonly endUser?: string | undefined;
  readonly metadata?: Tree | undefined;
}

/** The request with the conversation that it continues. */
export interface Recalled<Facts, Memory extends CallMemory = CallMemory> {
  readonly memory: Memory;
  readonly facts: Facts;
  /** Those that can continue it. */
  readonly targets: readonly Target[];
}

/** One kind of work. Functions that return a value or a promise do not wait where nothing has to be waited for. */
export interface Work<Request extends CallRequest, Facts extends ModelFacts, Made extends Call> {
  /** Throws where the body is not valid. */
  check(request: Request): Facts;
  /** The model that a body names, also where the body is not valid. */
  modelIn(request: Request): string | undefined;
  /** Facts that only an upload itself tells. Undefined where there is nothing to read. */
  measure?(request: Request, facts: Facts): Promise<Facts> | undefined;
  routing(request: Request, facts: Facts): RouteRequest;
  /** Whom and what the body names to be counted by. */
  namedIn(request: Request): NamedInBody;
  /** What is counted against the token's tokens per minute until the real usage is known. */
  tokensAsked(facts: Facts, tokensPerMinute: number | undefined): number;
  /** The request as it is sent: without routing options, and printed again where moderation reads it. */
  asSent(request: Request, hasOptions: boolean, isModerated: boolean): Request;
  /** The request with what it names of Weir's own in the place of the names. Undefined where it names nothing of it. */
  completed?(request: Request): Promise<Request> | undefined;
  /** Ids and servers that the request refers to. */
  references(request: Request): References | undefined;
  /** What the request continues from. Undefined where its kind has no such thing. */
  recall?(
    request: Request,
    facts: Facts,
    targets: readonly Target[],
  ): Recalled<Facts> | Promise<Recalled<Facts>> | undefined;
  /** A reply that needs no call. */
  answerEarly?(
    request: Request,
    memory: CallMemory | undefined,
    gate: OpenGate | undefined,
  ): Promise<Reply> | undefined;
  /** What tells two requests with one idempotency key apart. */
  fingerprint(request: Request): Uint8Array | Promise<Uint8Array>;
  /** The reply to an earlier request with the same key, where something durable has it. */
  recallReply?(request: Request): Recall;
  /** A kept reply that must pass moderation again. */
  moderateReplay?(gate: OpenGate, request: Request, facts: Facts, reply: Reply): Promise<Reply>;
  /** Must not throw: the idempotency key is claimed. */
  callOf(request: Request, entry: Entry<Facts>): Made;
  /** Finds a lane to each target without calling any provider. */
  explainedLanes(call: Made, targets: readonly Target[]): (target: Target) => Lane | Promise<Lane>;
  /** Throws where this request cannot be explained. */
  requireExplainable?(request: Request): void;
  /** Attempts the targets and answers; with a gate, what it demands is moderated on the way. */
  answer(call: Made, targets: readonly Target[], trail: Trail, gate: OpenGate | undefined): Promise<Reply>;
  /** What the caller sent, for an operator who stores contents. */
  textOf(request: Request, bytesMax: number): BoundedText;
}

/** The operation that the gate itself calls: it is not moderated. */
const moderation = 'moderate';

/** One function, because every further one that waits costs a request about a microsecond. */
async function admitCall<Request extends CallRequest, Facts extends ModelFacts, Made extends Call>(
  parts: RelayParts,
  work: Work<Request, Facts, Made>,
  given: Request,
  isPart = false,
): Promise<Reply> {
  const { caller } = given;
  let { admission } = given;
  let call: Made | undefined;
  const trail = emptyTrail();
  let facts: Facts | undefined;
  try {
    facts = work.check(given);
    requireModel(caller, facts.model);
    const measuring = work.measure?.(given, facts);
    if (measuring !== undefined) facts = await measuring;
    const routing = work.routing(given, facts);
    if (asksToExplain(given)) return await explainCall(parts, work, given, facts, routing);
    const route = routeCall(parts, routing);
    let { targets } = route;
    const gate = routing.operation === moderation ? undefined : parts.gateFor(caller, facts.model);
    let request = work.asSent(given, route.options !== undefined, gate !== undefined);
    const completing = work.completed?.(request);
    if (completing !== undefined) {
      request = await completing;
      facts = work.check(request);
    }
    const named = work.namedIn(given);
    const endUser = endUserIn(given.headers, parts.naming, named.endUser, parts.wallMs());
    const tags = tagsIn(given.headers, parts.naming, named.metadata);
    if (caller.endUsers !== undefined && endUser !== undefined) {
      const entered = await enterUser(parts, given, caller.endUsers, endUser);
      admission = entered.admission;
      requireModel(entered.caller, facts.model);
      request = { ...request, caller: entered.caller };
    }
    const reserving = admission.reserve(work.tokensAsked(facts, tightestTpm(caller.limits)));
    if (reserving !== undefined) await reserving;
    if (gate !== undefined) admission = gate.admission(admission);
    const references = work.references(request);
    if (references !== undefined) await parts.ownedIds.check(caller.tokenId, references);
    let memory: CallMemory | undefined;
    const recalling = work.recall?.(request, facts, targets);
    if (recalling !== undefined) {
      ({ memory, facts, targets } = recalling instanceof Promise ? await recalling : recalling);
    }
    const early = work.answerEarly?.(request, memory, gate);
    if (early !== undefined) return await early;
    const key = given.headers.get('idempotency-key');
    const claim = key === null ? undefined : await claimKey(parts, work, request, key);
    if (claim !== undefined && isReply(claim)) {
      if (gate === undefined || work.moderateReplay === undefined) return claim;
      return await work.moderateReplay(gate, request, facts, claim);
    }
    const { affinityKey } = route;
    call = work.callOf(request, { facts, targets, admission, claim, memory, affinityKey, references, endUser, tags });
    if (parts.tracing !== undefined) call.trace = parts.tracing.begin(call, given.headers, targets, route.excluded);
    given.onCall?.(call);
    return await work.answer(call, targets, trail, gate);
  } catch (error) {
    if (call !== undefined) await refuse(parts, call, trail, error);
    else if (!isPart) parts.refusals.record(refusedOf(work, given, facts), error);
    throw error;
  } finally {
    // A call that began releases its slot when it is settled or refused. Everything else ends here.
    if (call === undefined) admission.leave(0);
  }
}

/** The end user is a level of the request from here on, and its rate limit is counted now. */
async function enterUser(
  { endUsers, limiter }: RelayParts,
  { caller, admission, requestId }: CallRequest,
  rule: EndUserRule,
  endUser: string,
): Promise<{ readonly caller: Caller; readonly admission: Admission }> {
  // A request that another one sends has its end user already.
  if (caller.levels.at(-1)?.kind === 'user') return { caller, admission };
  const found = endUsers.callerFor(caller, rule, endUser);
  const user = found instanceof Promise ? await found : found;
  if (user.userLimits.length === 0) return { caller: user, admission };
  const entered = await limiter.enter({ tokenId: user.tokenId, limits: user.userLimits }, 0, requestId);
  return { caller: user, admission: withUser(admission, entered) };
}

function refusedOf<Request extends CallRequest, Facts extends ModelFacts, Made extends Call>(
  work: Work<Request, Facts, Made>,
  given: Request,
  facts: Facts | undefined,
): RefusedRequest {
  const { requestId, endpoint, caller, startedAtMs } = given;
  const model = facts?.model ?? work.modelIn(given);
  return { requestId, endpoint, tokenId: caller.tokenId, model, startedAtMs, request: given };
}

async function claimKey<Request extends CallRequest, Facts extends ModelFacts, Made extends Call>(
  { idempotency }: RelayParts,
  work: Work<Request, Facts, Made>,
  request: Request,
  key: string,
): Promise<Claim | Reply> {
  const { requestId, endpoint, caller } = request;
  const body = await work.fingerprint(request);
  const recall = work.recallReply?.(request);
  return idempotency.begin({ key, tokenId: caller.tokenId, requestId, endpoint, body, recall });
}

/** Where the request would go and why, by the same steps; nothing is reserved, claimed or sent. */
async function explainCall<Request extends CallRequest, Facts extends ModelFacts, Made extends Call>(
  parts: RelayParts,
  work: Work<Request, Facts, Made>,
  given: Request,
  asked: Facts,
  routing: RouteRequest,
): Promise<Reply> {
  work.requireExplainable?.(given);
  const route = findRoute(parts, routing);
  const request = work.asSent(given, route.options !== undefined, false);
  const recalled = await work.recall?.(request, asked, route.targets);
  const { facts, targets, memory } = recalled ?? { facts: asked, targets: route.targets, memory: undefined };
  const { affinityKey } = route;
  const admission = openAdmission;
  const unnamed = { claim: undefined, references: undefined, endUser: undefined, tags: undefined };
  const entry = { facts, targets, admission, memory, affinityKey, ...unnamed };
  const call = work.callOf(request, entry);
  const unable = route.targets
    .filter((target) => !targets.includes(target))
    .map((target) => ({ target, why: 'does not have the reply that the request continues from' }));
  return explain(parts, {
    requestId: request.requestId,
    routing,
    route: { ...route, targets, excluded: [...route.excluded, ...unable] },
    factsAt: (target) => (call.at?.(target) ?? call).facts,
    laneFor: work.explainedLanes(call, targets),
  });
}

/** Answers requests of one kind, and stores their contents where the operator wants that. */
export function admitting<Request extends CallRequest, Facts extends ModelFacts, Made extends Call>(
  parts: RelayParts,
  work: Work<Request, Facts, Made>,
): (request: Request, isPart?: boolean) => Promise<Reply> {
  const { contents } = parts;
  return (request, isPart) => {
    // A part of another request is stored with that one.
    if (!contents.isOn || isPart === true) return admitCall(parts, work, request, isPart);
    const asked = (bytesMax: number) => work.textOf(request, bytesMax);
    return contents.keep(asked, (onCall) => admitCall(parts, work, { ...request, onCall }));
  };
}
