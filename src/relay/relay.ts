/** Conversations: answered whole or as a stream, moderated where a gate demands it. The steps before are those of every call. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { References } from '../conversation/references/references.ts';
import type { RequestFacts } from '../formats/format.ts';
import type { Reply } from '../http/reply.ts';
import type { Target } from '../routing/catalogue.ts';
import { admitting, type Entry, type NamedInBody, type Recalled, type Work } from './admission/admit-call.ts';
import type { CallMemory, ConversationCall } from './admission/call.ts';
import type { ConversationRequest } from './admission/conversation-request.ts';
import { modelNamed } from './admission/model-named.ts';
import { refuse } from './admission/refuse.ts';
import type { RouteRequest } from './admission/route-call.ts';
import { withoutRoutingFields } from './admission/routing-fields.ts';
import { asksForLosses, asksStrict } from './admission/strict-mode.ts';
import { tokensAsked } from './admission/tokens-asked.ts';
import { attemptAll, type Carry, type Choose, type Trail } from './attempts/try-candidates.ts';
import { type BoundedText, boundedText } from './contents/bounded-text.ts';
import { explainHeader } from './explain/explain.ts';
import { chooseLane } from './lanes/choose-lane.ts';
import { formatFor } from './lanes/format-for.ts';
import type { ConversationLane, Lane } from './lanes/lane.ts';
import { Continuation, openContinuation } from './memory/continuation.ts';
import { withItems } from './memory/named-items.ts';
import type { OpenGate } from './moderation-gate/gate.ts';
import { GatedStream } from './moderation-gate/gated-stream.ts';
import { answerGated } from './moderation-gate/gated-whole-reply.ts';
import type { RelayParts } from './relay-parts.ts';
import { holdHead, type OpenedStream } from './replies/hold-head.ts';
import { eventStreamHeaders } from './replies/reply-headers.ts';
import { passageOf, StreamReply } from './replies/stream-reply.ts';
import { warmUpEvents } from './replies/warm-up.ts';
import { answerWhole } from './replies/whole-reply.ts';
import { callsByTarget } from './vetting/vetted-call.ts';

export interface Relay {
  handle(request: ConversationRequest): Promise<Reply>;
}

export function createRelay(parts: RelayParts): Relay {
  return { handle: admitting(parts, new Conversations(parts)) };
}

class Conversations implements Work<ConversationRequest, RequestFacts, ConversationCall> {
  readonly #parts: RelayParts;
  readonly #carryWhole: Carry<Reply, ConversationLane>;
  readonly #carryStream: Carry<OpenedStream, ConversationLane>;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#carryWhole = (attempt, upstream) => answerWhole(parts, attempt, upstream);
    this.#carryStream = async (attempt, upstream) => {
      const reply = new StreamReply(parts, attempt, upstream, passageOf(attempt, parts.limits.streamEventBytesMax));
      await reply.begin();
      return reply;
    };
  }

  check({ format, body, named }: ConversationRequest): RequestFacts {
    return format.check(body.tree, body.bytes.length, named);
  }

  modelIn({ body, named }: ConversationRequest): string | undefined {
    return named?.model ?? modelNamed(body.tree);
  }

  routing({ caller, headers, body, format }: ConversationRequest, facts: RequestFacts): RouteRequest {
    const { model, inputTokensMax } = facts;
    const unable = (target: Target): string | undefined =>
      formatFor(format.name, target) === undefined ? 'holds no conversations' : otherUse(target);
    return { model, operation: 'converse', caller, headers, tree: body.tree, format, inputTokensMax, unable };
  }

  namedIn({ format, body: { tree } }: ConversationRequest): NamedInBody {
    return { endUser: format.endUserOf?.(tree), metadata: format.metadataOf?.(tree) };
  }

  tokensAsked(facts: RequestFacts, tokensPerMinute: number | undefined): number {
    return tokensAsked(facts, tokensPerMinute);
  }

  asSent(request: ConversationRequest, hasOptions: boolean, isModerated: boolean): ConversationRequest {
    if (!hasOptions && !isModerated) return request;
    const body = hasOptions ? withoutRoutingFields(request.body) : request.body;
    // Printed again: of a field that occurs twice, a provider must not read the occurrence that was not moderated.
    return { ...request, body: isModerated ? { ...body, fields: undefined } : body };
  }

  /** Only where the body names items by ids that Weir wrote itself. */
  completed(request: ConversationRequest): Promise<ConversationRequest> | undefined {
    const { format, body, caller } = request;
    const ids = format.memory?.namedItems(body.tree);
    if (format.memory === undefined || ids === undefined || ids.length === 0) return undefined;
    return withItems(this.#parts.itemMemo, caller.tokenId, format.memory, ids, body).then((whole) =>
      whole === body ? request : { ...request, body: whole },
    );
  }

  references({ format, body }: ConversationRequest): References | undefined {
    return format.references?.(body.tree);
  }

  recall(
    { format, caller, body, named, connection }: ConversationRequest,
    facts: RequestFacts,
    targets: readonly Target[],
  ): Recalled<RequestFacts> | Promise<Recalled<RequestFacts>> | undefined {
    if (format.memory === undefined) return undefined;
    const source = { format, tokenId: caller.tokenId, body, named, connection, items: this.#parts.itemMemo };
    const opening = openContinuation(this.#parts.keptReplies, format.memory, source);
    if (opening instanceof Promise) return opening.then((late) => recalledBy(late, facts, targets));
    return recalledBy(opening, facts, targets);
  }

  /** A warm-up costs nothing and calls no model. A later request continues from what it says, so it must pass the gate now. */
  answerEarly(
    request: ConversationRequest,
    memory: CallMemory | undefined,
    gate: OpenGate | undefined,
  ): Promise<Reply> | undefined {
    if (request.warmUp !== true || !(memory instanceof Continuation)) return undefined;
    return this.#warmUp(request, memory, gate);
  }

  async #warmUp(request: ConversationRequest, memory: Continuation, gate: OpenGate | undefined): Promise<Reply> {
    const { format, body, requestId } = request;
    const { wallMs, newId } = this.#parts;
    if (gate !== undefined) await gate.checkRequest({ ...request, memory });
    const { id, events } = warmUpEvents(format, body.tree, { nowMs: wallMs(), newId });
    memory.prepare(id);
    return new Response(events, { headers: eventStreamHeaders(requestId, format) });
  }

  fingerprint({ body }: ConversationRequest): Uint8Array {
    return body.bytes;
  }

  callOf(request: ConversationRequest, entry: Entry<RequestFacts>): ConversationCall {
    return conversationCallOf(request, entry, callsByTarget(this.#parts, request.caller));
  }

  explainedLanes(call: ConversationCall): (target: Target) => Lane | Promise<Lane> {
    return this.#lanes(call);
  }

  /** The events of a socket have no place for an explanation, and its head counts for every request that comes over it. */
  requireExplainable({ connection }: ConversationRequest): void {
    if (connection === undefined) return;
    const message = `Nothing is explained over a WebSocket: send a POST with \`${explainHeader}\`.`;
    throw new GatewayError('header_invalid', message, { param: explainHeader });
  }

  answer(call: ConversationCall, targets: readonly Target[], trail: Trail, gate: OpenGate | undefined): Promise<Reply> {
    if (call.facts.runsOn === true && gate !== undefined) {
      return gate.checkBackground(call).then(() => this.answer(call, targets, trail, undefined));
    }
    if (call.facts.runsOn === true && call.followed === undefined && this.#parts.follow) {
      const followed = this.#parts.follow(call);
      const own = new Conversations({ ...this.#parts, ledger: followed.ledger });
      return own.answer({ ...call, followed }, targets, trail, gate);
    }
    if (call.facts.stream) return this.#answerStream(call, targets, trail, gate);
    if (gate !== undefined) return this.#answerGated(call, targets, trail, gate);
    return this.#attempt(call, targets, trail, this.#carryWhole);
  }

  textOf({ body }: ConversationRequest, bytesMax: number): BoundedText {
    return boundedText(body.bytes, bytesMax);
  }

  #attempt<Result>(
    call: ConversationCall,
    targets: readonly Target[],
    trail: Trail,
    carry: Carry<Result, ConversationLane>,
  ): Promise<Result> {
    const attempting = attemptAll(this.#parts, call, targets, trail, this.#lanes(call), carry);
    const { followed } = call;
    if (followed === undefined) return attempting;
    return attempting.catch((error: unknown) => followed.abandon().then(() => Promise.reject(error)));
  }

  async #answerGated(call: ConversationCall, targets: readonly Target[], trail: Trail, gate: OpenGate) {
    const parts = this.#parts;
    await gate.checkRequest(call);
    const carry: Carry<Reply, ConversationLane> = gate.checksReplies
      ? (attempt, upstream) => answerGated(parts, attempt, upstream, { gate, call, trail })
      : this.#carryWhole;
    return attemptAll(parts, call, targets, trail, this.#lanes(call), carry);
  }

  #answerStream(
    call: ConversationCall,
    targets: readonly Target[],
    trail: Trail,
    gate: OpenGate | undefined,
  ): Promise<Reply> {
    const parts = this.#parts;
    const opening =
      gate === undefined
        ? this.#attempt(call, targets, trail, this.#carryStream)
        : this.#openGated(call, targets, trail, gate);
    return holdHead(opening, {
      holdMs: parts.clocks.headHoldMs,
      keepAliveMs: parts.clocks.keepAliveMs,
      deadlines: parts.deadlines,
      format: call.format,
      requestId: call.requestId,
      onFailure: (error) => void refuse(parts, call, trail, error),
    });
  }

  async #openGated(call: ConversationCall, targets: readonly Target[], trail: Trail, gate: OpenGate) {
    const parts = this.#parts;
    await gate.checkRequest(call);
    const carry: Carry<OpenedStream, ConversationLane> = gate.checksReplies
      ? (attempt, upstream) => new GatedStream(parts, attempt, upstream).open({ gate, call, trail })
      : this.#carryStream;
    return attemptAll(parts, call, targets, trail, this.#lanes(call), carry);
  }

  #lanes(call: ConversationCall): Choose<ConversationLane> {
    const parts = this.#parts;
    const at = (target: Target): ConversationCall => call.at?.(target) ?? call;
    const choose: Choose<ConversationLane> = (target) =>
      chooseLane(parts, at(target), target, call.memory?.turnsFor(target));
    const { followed } = call;
    if (followed === undefined) return choose;
    return async (target) => {
      const lane = await choose(target);
      followed.chose(target, lane);
      return lane;
    };
  }
}

/** An explained request may have no target; one that is answered has. */
function recalledBy(
  memory: Continuation,
  facts: RequestFacts,
  targets: readonly Target[],
): Recalled<RequestFacts, Continuation> {
  const able = targets.length === 0 ? targets : memory.ableOf(targets);
  memory.requireWhole();
  return { memory, facts: memory.factsOf(facts), targets: able };
}

/** What the model is for, where that is known and is no conversation. */
function otherUse({ provider, model }: Target): string | undefined {
  const operations = provider.notes.get(model)?.operations;
  if (operations === undefined || operations.includes('converse')) return undefined;
  return `has this model for ${operations.join(', ')} only`;
}

/** Every call has the same members in the same order: a copy with one more would slow down all that reads it. */
function conversationCallOf(
  request: ConversationRequest,
  entry: Entry<RequestFacts>,
  at: ConversationCall['at'],
): ConversationCall {
  const { caller, body } = request;
  return {
    requestId: request.requestId,
    endpoint: request.endpoint,
    format: request.format,
    caller,
    body,
    bytesIn: body.bytes.length,
    repeatable: true,
    converses: true,
    named: request.named,
    isStrict: () => asksStrict(request),
    tellsLosses: () => asksForLosses(request),
    facts: entry.facts,
    startedAtMs: request.startedAtMs,
    hasLeft: request.hasLeft,
    passHeaders: passedHeaders(request),
    admission: entry.admission,
    claim: entry.claim,
    memory: entry.memory,
    affinityKey: entry.affinityKey,
    references: entry.references,
    endUser: entry.endUser,
    tags: entry.tags,
    at,
  };
}

function passedHeaders(request: ConversationRequest): Record<string, string> | undefined {
  let passed: Record<string, string> | undefined;
  for (const name of request.format.passHeaders) {
    const value = request.headers.get(name);
    if (value !== null) passed = { ...passed, [name]: value };
  }
  return passed;
}
