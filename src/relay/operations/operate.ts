/** Operations (embeddings, images, audio …): answered by one request to a provider, or in batches. The steps before are those of every call. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { References } from '../../conversation/references/references.ts';
import type { Reply } from '../../http/reply.ts';
import { endUserIn } from '../../operations/end-user.ts';
import { referencesIn } from '../../operations/references.ts';
import { splittings } from '../../operations/splittings.ts';
import type { OperationFacts, OperationName } from '../../operations/wire.ts';
import type { Target } from '../../routing/catalogue.ts';
import { admitting, type Entry, type NamedInBody, type Work } from '../admission/admit-call.ts';
import type { Call } from '../admission/call.ts';
import type { RouteRequest } from '../admission/route-call.ts';
import { withoutRoutingFields } from '../admission/routing-fields.ts';
import { asksStrict } from '../admission/strict-mode.ts';
import { operationTokensAsked } from '../admission/tokens-asked.ts';
import { attemptAll, type Trail } from '../attempts/try-candidates.ts';
import type { BoundedText } from '../contents/bounded-text.ts';
import { type Lane, noLosses } from '../lanes/lane.ts';
import type { OpenGate } from '../moderation-gate/gate.ts';
import { checkOperation, checkResult, type ModeratedOperation } from '../moderation-gate/gated-operations.ts';
import type { RelayParts } from '../relay-parts.ts';
import { vetOperation } from '../vetting/vetted-operation.ts';
import { answerOperation, type OperationReplyParts } from './answer.ts';
import { answerInBatches } from './batches.ts';
import { canDo } from './can-do.ts';
import { GivenMedia } from './fetch-media.ts';
import { measuredFacts } from './measured-facts.ts';
import {
  allBytesOf,
  fingerprintOf,
  modelInBody,
  type OperationBody,
  textBytesOf,
  textIn,
  wireBodyOf,
} from './operation-body.ts';
import type { Asked } from './operation-lane.ts';
import { inputsMaxOf, mostAt, type OperationLaneParts, operationLaneFor } from './operation-lanes.ts';
import type { OperateRequest, Operator } from './operation-request.ts';
import { StandInMedia } from './stand-in-media.ts';

interface OperateParts extends RelayParts, OperationReplyParts, OperationLaneParts {
  /** The model that serves an operation where the caller names none. */
  defaultModel(operation: OperationName): string | undefined;
}

/** Each attempt of these is expensive, and a retry would be paid for twice. */
const expensive: ReadonlySet<OperationName> = new Set(['make-image', 'edit-image', 'speak', 'transcribe', 'translate']);

export function createOperator(parts: OperateParts): Operator {
  const admit = admitting(parts, new Operations<OperationName>(parts));
  return {
    // What an operation is called changes the types of its wires and nothing else: one object serves all of them.
    handle: (request) => admit(request as unknown as OperateRequest<OperationName>, request.isPart),
  };
}

interface ModelFacts extends OperationFacts {
  /** The caller's, or the default. */
  readonly model: string;
  /** As the caller named it; absent where it is the default. */
  readonly named: string | undefined;
}

interface OperationCall<Name extends OperationName> extends Call {
  readonly request: OperateRequest<Name>;
  readonly named: string | undefined;
  /** What was left out of the body, and whether the rest can be sent as it is. */
  readonly leftOut?: readonly Loss[];
  readonly forwardable?: boolean;
}

class Operations<Name extends OperationName> implements Work<OperateRequest<Name>, ModelFacts, OperationCall<Name>> {
  readonly #parts: OperateParts;

  constructor(parts: OperateParts) {
    this.#parts = parts;
  }

  check({ wire, operation, body, pathModel }: OperateRequest<Name>): ModelFacts {
    const checked = wire.check(wireBodyOf(body), textBytesOf(body), pathModel);
    const model = checked.model ?? this.#parts.defaultModel(operation);
    if (model === undefined) throw noDefault(operation);
    return { ...checked, model, named: checked.model };
  }

  modelIn({ body, pathModel }: OperateRequest<Name>): string | undefined {
    return pathModel ?? modelInBody(body);
  }

  measure({ wire: { audio }, body }: OperateRequest<Name>, facts: ModelFacts): Promise<ModelFacts> | undefined {
    if (audio === undefined) return undefined;
    const { model, named } = facts;
    return measuredFacts(audio, facts, wireBodyOf(body), this.#parts.slices).then((measured) => ({
      ...measured,
      model,
      named,
    }));
  }

  routing({ caller, headers, operation, body }: OperateRequest<Name>, facts: ModelFacts): RouteRequest {
    return {
      model: facts.model,
      operation,
      caller,
      headers,
      tree: body.kind === 'json' ? body.json.tree : undefined,
      inputTokensMax: inputMostOf(facts),
      unable: (target) => (canDo(target, operation) ? undefined : 'does not do it'),
    };
  }

  namedIn({ body }: OperateRequest<Name>): NamedInBody {
    return { endUser: endUserIn(wireBodyOf(body)) };
  }

  tokensAsked({ most }: ModelFacts, tokensPerMinute: number | undefined): number {
    return operationTokensAsked(most, tokensPerMinute);
  }

  asSent(request: OperateRequest<Name>, hasOptions: boolean, isModerated: boolean): OperateRequest<Name> {
    if (!hasOptions && !isModerated) return request;
    return { ...request, body: bodyAsSent(request.body, hasOptions, isModerated) };
  }

  references({ body }: OperateRequest<Name>): References | undefined {
    return referencesIn(wireBodyOf(body));
  }

  fingerprint({ body }: OperateRequest<Name>): Promise<Uint8Array> {
    return fingerprintOf(body);
  }

  moderateReplay(gate: OpenGate, request: OperateRequest<Name>, { stream }: ModelFacts, reply: Reply): Promise<Reply> {
    return checkResult(gate, moderated(request, stream), reply);
  }

  callOf(request: OperateRequest<Name>, entry: Entry<ModelFacts>): OperationCall<Name> {
    const { facts, admission, claim, references } = entry;
    return {
      requestId: request.requestId,
      endpoint: request.endpoint,
      format: request.format,
      caller: request.caller,
      bytesIn: allBytesOf(request.body),
      isStrict: () => asksStrict(request),
      facts: {
        model: facts.model,
        stream: facts.stream,
        candidates: 1,
        inputTokensMax: inputMostOf(facts),
        outputTokensMax: facts.most.tokens?.output.total ?? 0,
        most: facts.most,
      },
      repeatable: !expensive.has(request.operation),
      startedAtMs: request.startedAtMs,
      hasLeft: request.hasLeft,
      passHeaders: undefined,
      admission,
      claim,
      memory: undefined,
      references,
      endUser: entry.endUser,
      tags: entry.tags,
      request,
      named: facts.named,
    };
  }

  explainedLanes(call: OperationCall<Name>, targets: readonly Target[]): (target: Target) => Lane | Promise<Lane> {
    const { operation } = call.request;
    const asked = askedOf(this.#vetted(call, targets));
    // No provider gets the caller's own bytes of a request that is sent in batches.
    const inputs = splittings[operation]?.inputsOf(asked.request) ?? 0;
    const isWhole = inputs <= inputsMaxOf(this.#parts, operation, targets);
    const part = { ...asked, forwardable: asked.forwardable && isWhole };
    const media = new StandInMedia();
    return (target) => operationLaneFor(this.#parts, operation, part, call, target, media);
  }

  async answer(
    call: OperationCall<Name>,
    targets: readonly Target[],
    trail: Trail,
    gate: OpenGate | undefined,
  ): Promise<Reply> {
    if (gate === undefined) return this.#attempt(call, targets, trail);
    const given = moderated(call.request, call.facts.stream);
    await checkOperation(gate, given);
    const reply = await this.#attempt(call, targets, trail);
    trail.settled = true;
    return checkResult(gate, given, reply);
  }

  textOf({ body }: OperateRequest<Name>, bytesMax: number): BoundedText {
    return textIn(body, bytesMax);
  }

  #vetted(call: OperationCall<Name>, targets: readonly Target[]): OperationCall<Name> {
    const { request } = call;
    const bounded = this.#bounded(call, targets);
    const vetted = vetOperation(this.#parts, call, request.body, targets);
    if (vetted === undefined) return bounded;
    const { body, ordered, losses: leftOut, forwardable } = vetted;
    return {
      ...bounded,
      request: { ...request, body },
      facts: { ...bounded.facts, ...ordered },
      leftOut,
      forwardable,
    };
  }

  #bounded(call: OperationCall<Name>, targets: readonly Target[]): OperationCall<Name> {
    const { most } = call.facts;
    if (most === undefined) return call;
    const widest = mostAt(this.#parts, call.request.operation, most, targets);
    if (widest === most) return call;
    const facts = { ...call.facts, most: widest, outputTokensMax: widest.tokens?.output.total ?? 0 };
    return { ...call, facts };
  }

  async #attempt(given: OperationCall<Name>, targets: readonly Target[], trail: Trail): Promise<Reply> {
    const parts = this.#parts;
    const call = this.#vetted(given, targets);
    const { operation } = call.request;
    const asked = askedOf(call);
    const splitting = splittings[operation];
    const inputsMax = inputsMaxOf(parts, operation, targets);
    const media = new GivenMedia(parts, call);
    const laneFor = (part: Asked<Name>, target: Target) =>
      operationLaneFor(parts, operation, part, call, target, media);
    if (splitting !== undefined && splitting.inputsOf(asked.request) > inputsMax) {
      return answerInBatches(parts, call, targets, trail, { asked, splitting, inputsMax, laneFor });
    }
    return attemptAll(
      parts,
      call,
      targets,
      trail,
      (target) => laneFor(asked, target),
      (attempt, upstream) => answerOperation(parts, attempt, upstream),
    );
  }
}

function moderated<Name extends OperationName>(request: OperateRequest<Name>, stream: boolean): ModeratedOperation {
  return { ...request, stream };
}

/** A form has no routing options, and no field of it can occur twice unnoticed. */
function bodyAsSent(body: OperationBody, hasOptions: boolean, isModerated: boolean): OperationBody {
  if (body.kind === 'form') return body;
  const json = hasOptions ? withoutRoutingFields(body.json) : body.json;
  // Printed again: of a field that occurs twice, a provider must not read the occurrence that was not moderated.
  return { kind: 'json', json: isModerated ? { ...json, fields: undefined } : json };
}

function askedOf<Name extends OperationName>(call: OperationCall<Name>): Asked<Name> {
  const { request, facts, named, forwardable = true, leftOut = noLosses } = call;
  const { wire, body } = request;
  const { value, losses } = wire.readRequest(wireBodyOf(body), facts.model);
  return { client: wire, request: value, requestLosses: losses, body, named, forwardable, leftOut };
}

function inputMostOf({ most }: OperationFacts): number {
  return most.tokens?.input.total ?? 0;
}

function noDefault(operation: OperationName): GatewayError {
  return new GatewayError('field_missing', `Set \`model\`: there is no default for ${operation}.`, {
    param: 'model',
  });
}
