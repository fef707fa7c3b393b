/** The life of a request between the edge and the provider: admit, attempt, fail over while nothing was sent, settle. */

import type { Caller } from '../access/caller.ts';
import type { Admission } from '../access/limits.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { NamedRequest } from '../formats/codec.ts';
import type { Format, ReplyMemory, RequestFacts } from '../formats/format.ts';
import type { JsonBody } from '../http/json/json-body.ts';
import type { Target } from '../routing/catalogue.ts';
import type { ConversationCall, RelayParts } from './admission/call.ts';
import { conversationCallOf, withoutWishes } from './admission/conversation-call.ts';
import { refuse } from './admission/refuse.ts';
import { type RouteRequest, routeCall } from './admission/route-call.ts';
import { tokensAsked } from './admission/tokens-asked.ts';
import { attemptAll, type Carry, emptyTrail, type Trail } from './attempts/try-candidates.ts';
import { saidOf } from './contents/bounded-text.ts';
import type { OnCall } from './contents/request-contents.ts';
import { asksToExplain } from './explain/explain.ts';
import { explainConversation } from './explain/explain-conversation.ts';
import { claimKey } from './idempotency/idempotency.ts';
import { chooseLane, formatFor } from './lanes/choose-lane.ts';
import type { ConversationLane } from './lanes/lane.ts';
import { type CallMemory, type ConnectionMemory, openMemory } from './memory/continuation.ts';
import { checkNamed } from './memory/made-ids.ts';
import type { OpenGate } from './moderation-gate/gate.ts';
import { HeldStream } from './moderation-gate/gated-stream.ts';
import { answerJudged } from './moderation-gate/gated-whole-reply.ts';
import { holdHead, type OpenedStream } from './replies/hold-head.ts';
import { eventStreamHeaders } from './replies/reply-headers.ts';
import { passageOf, StreamReply } from './replies/stream-reply.ts';
import { warmUpEvents } from './replies/warm-up.ts';
import { answerWhole } from './replies/whole-reply.ts';

export interface RelayRequest {
  readonly requestId: string;
  readonly endpoint: string;
  readonly format: Format;
  readonly caller: Caller;
  /** Its request is counted and its slot taken; the relay gives the slot back on every path. */
  readonly admission: Admission;
  readonly body: JsonBody;
  /** What the path said, in formats whose body names neither the model nor whether to stream. */
  readonly named?: NamedRequest | undefined;
  readonly startedAtMs: number;
  /** Has the client's socket closed? Asked by the ticker: a listener on every request would cost more than the question. */
  hasLeft(): boolean;
  /** The reply will take its time: the silence of the connection is no reason to close it. */
  keepOpen(): void;
  readonly headers: Headers;
  /** What the connection that the request came by remembers of its own replies. */
  readonly connection?: ConnectionMemory | undefined;
  /** Nothing is to be generated yet: the request is only made ready to be gone on from. */
  readonly warmUp?: boolean;
  /** Told once it was admitted and is about to be answered. */
  readonly onCall?: OnCall;
}

export interface Relay {
  handle(request: RelayRequest): Promise<Response>;
}

export function createRelay(parts: RelayParts): Relay {
  /** One function, because every further one that waits costs a request about a microsecond. */
  async function handle(given: RelayRequest): Promise<Response> {
    const { caller, format } = given;
    let begun: ConversationCall | undefined;
    const trail = emptyTrail();
    try {
      let facts = format.check(given.body.tree, given.body.bytes.length, given.named);
      requireModel(caller, facts.model);
      const routing = routingOf(given, facts);
      if (asksToExplain(given)) return await explained(given, facts, routing);
      const route = routeCall(parts, routing);
      const wished = route.wishes === undefined ? given : withoutWishes(given);
      const gate = parts.gateFor(caller, facts.model);
      const request = gate === undefined ? wished : asJudged(wished);
      const { body } = request;
      let { targets } = route;
      const reserving = given.admission.reserve(tokensAsked(facts, caller.terms.tpm));
      if (reserving !== undefined) await reserving;
      const admission = gate === undefined ? given.admission : gate.admission(given.admission);
      const references = format.references?.(body.tree);
      if (references !== undefined) await checkNamed(parts, caller, references, admission);
      let memory: CallMemory | undefined;
      if (format.memory !== undefined) {
        ({ memory, facts, targets } = await recall(format.memory, request, { facts, targets }));
        if (request.warmUp === true) return await warmUp(request, memory, admission, gate);
      }
      const claiming = claimKey(parts.idempotency, request, body.bytes, admission);
      const claim = claiming instanceof Promise ? await claiming : claiming;
      if (claim instanceof Response) return claim;
      const { affinityKey } = route;
      begun = conversationCallOf(request, { facts, admission, claim, memory, affinityKey, references });
      given.onCall?.(begun);
      if (facts.stream) return await answerStream(begun, targets, gate, trail);
      if (gate !== undefined) return await answerGated(begun, targets, trail, gate);
      return await attemptAll(parts, begun, targets, trail, laneOf(begun), carryWhole);
    } catch (error) {
      if (begun === undefined) given.admission.leave(0);
      else await refuse(parts, begun, trail, error);
      throw error;
    }
  }

  async function answerGated(call: ConversationCall, targets: readonly Target[], trail: Trail, gate: OpenGate) {
    await gate.judgeRequest(call);
    const carry: typeof carryWhole = gate.judgesReplies
      ? (attempt, upstream) => answerJudged(parts, attempt, upstream, { gate, call, trail })
      : carryWhole;
    return attemptAll(parts, call, targets, trail, laneOf(call), carry);
  }

  async function openGated(call: ConversationCall, targets: readonly Target[], trail: Trail, gate: OpenGate) {
    await gate.judgeRequest(call);
    const carry: Carry<OpenedStream, ConversationLane> = gate.judgesReplies
      ? (attempt, upstream) => new HeldStream(parts, attempt, upstream).open({ gate, call, trail })
      : carryStream;
    return attemptAll(parts, call, targets, trail, laneOf(call), carry);
  }

  function answerStream(
    call: ConversationCall,
    targets: readonly Target[],
    gate: OpenGate | undefined,
    trail: Trail,
  ): Promise<Response> {
    const opening =
      gate === undefined
        ? attemptAll(parts, call, targets, trail, laneOf(call), carryStream)
        : openGated(call, targets, trail, gate);
    return holdHead(opening, {
      holdMs: parts.clocks.headHoldMs,
      keepAliveMs: parts.clocks.keepAliveMs,
      deadlines: parts.deadlines,
      format: call.format,
      requestId: call.requestId,
      onFailure: (error) => void refuse(parts, call, trail, error),
    });
  }

  const laneOf = (call: ConversationCall) => (target: Target) =>
    chooseLane(parts, call, target, call.memory?.turnsFor(target));

  const carryWhole: Carry<Response, ConversationLane> = (attempt, upstream) => answerWhole(parts, attempt, upstream);

  const carryStream: Carry<StreamReply, ConversationLane> = async (attempt, upstream) => {
    const reply = new StreamReply(parts, attempt, upstream, passageOf(attempt, parts.limits.streamEventBytesMax));
    await reply.begin();
    return reply;
  };

  async function explained(given: RelayRequest, facts: RequestFacts, routing: RouteRequest): Promise<Response> {
    const reply = await explainConversation(parts, given, facts, routing);
    given.admission.leave(0);
    return reply;
  }

  async function recall(
    remembering: ReplyMemory,
    { format, caller, body, named, connection }: RelayRequest,
    { facts, targets }: { facts: RequestFacts; targets: readonly Target[] },
  ) {
    const source = { format, tokenId: caller.tokenId, body, named, connection };
    const memory = await openMemory(parts.keptReplies, remembering, source);
    return { memory, facts: memory.factsOf(facts), targets: memory.ableOf(targets) };
  }

  /** Costs nothing and asks no model; but what it says is gone on from later, so that it must pass the gate now. */
  async function warmUp(request: RelayRequest, memory: CallMemory, admission: Admission, gate: OpenGate | undefined) {
    const { format, body, requestId } = request;
    try {
      if (gate !== undefined) await gate.judgeRequest({ ...request, memory });
    } finally {
      admission.leave(0);
    }
    const { id, events } = warmUpEvents(format, body.tree, { nowMs: parts.wallMs(), newId: parts.newId });
    memory.prepare(id);
    return new Response(events, { headers: eventStreamHeaders(requestId, format) });
  }

  const { contents } = parts;
  return {
    handle(request) {
      if (!contents.isOn) return handle(request);
      const { bytes } = request.body;
      const asked = (bytesMax: number) => saidOf(bytes, bytesMax);
      return contents.keep(asked, (onCall) => handle({ ...request, onCall }));
    },
  };
}

function routingOf(
  { caller, headers, body, format }: RelayRequest,
  { model, inputTokensMax }: RequestFacts,
): RouteRequest {
  const unable = (target: Target): string | undefined =>
    formatFor(format.name, target) === undefined ? 'holds no conversations' : otherUse(target);
  return { model, operation: 'converse', caller, headers, tree: body.tree, format, inputTokensMax, unable };
}

function requireModel(caller: Caller, model: string): void {
  if (caller.mayUseModel(model)) return;
  throw new GatewayError('model_not_allowed', `This token may not use the model ${model.slice(0, 200)}.`, {
    param: 'model',
  });
}

/** What the model is for, where that is known and is no conversation. */
function otherUse({ provider, model }: Target): string | undefined {
  const operations = provider.notes.get(model)?.operations;
  if (operations === undefined || operations.includes('converse')) return undefined;
  return `has this model for ${operations.join(', ')} only`;
}

/** Printed anew before it is sent: of a field that stands twice a provider must not read the one that was not judged. */
function asJudged(request: RelayRequest): RelayRequest {
  return { ...request, body: { ...request.body, fields: undefined } };
}
