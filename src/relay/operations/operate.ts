/** The life of a request that is no conversation: the same admission, candidates, attempts and money, another way through. */

import type { Caller } from '../../access/caller.ts';
import { type Admission, openAdmission } from '../../access/limits.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Format } from '../../formats/format.ts';
import type { EditImageRequest } from '../../operations/images.ts';
import { referencesIn } from '../../operations/references.ts';
import { splittings } from '../../operations/splittings.ts';
import type { ClientWireOf, ProviderWireOf } from '../../operations/types.ts';
import type { OperationFacts, OperationName, ServiceName } from '../../operations/wire.ts';
import { operationFor, operationPlace } from '../../providers/operation-places.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Call, RelayParts } from '../admission/call.ts';
import { refuse } from '../admission/refuse.ts';
import { findRoute, type RouteRequest, routeCall } from '../admission/route-call.ts';
import { operationTokensAsked } from '../admission/tokens-asked.ts';
import { attemptAll, emptyTrail, type Trail } from '../attempts/try-candidates.ts';
import type { OnCall } from '../contents/request-contents.ts';
import { asksToExplain, explain } from '../explain/explain.ts';
import { type Claim, claimKey } from '../idempotency/idempotency.ts';
import { checkNamed } from '../memory/made-ids.ts';
import { judgeOperation, judgeResult } from '../moderation-gate/gated-operations.ts';
import { answerOperation, type OperationReplyParts } from './answer.ts';
import { answerInBatches } from './batches.ts';
import { GivenMedia, type RequestMedia } from './fetch-media.ts';
import { measuredFacts } from './measured-facts.ts';
import { allBytesOf, fingerprintOf, type OperationBody, saidIn, textBytesOf, wireBodyOf } from './operation-body.ts';
import { type Asked, OperationLane } from './operation-lane.ts';
import { StandInMedia } from './stand-in-media.ts';

export interface OperateRequest<Name extends OperationName> {
  readonly requestId: string;
  readonly endpoint: string;
  readonly operation: Name;
  readonly wire: ClientWireOf<Name>;
  /** Whose envelope and events the client reads. */
  readonly format: Format;
  readonly caller: Caller;
  readonly body: OperationBody;
  /** The model, where the path names it. */
  readonly pathModel: string | undefined;
  readonly startedAtMs: number;
  hasLeft(): boolean;
  keepOpen(): void;
  readonly headers: Headers;
  /** Its request is counted and its slot taken; the slot is given back on every path. */
  readonly admission: Admission;
  /** It is a part of another request, which answers for its limits. */
  readonly isPart?: boolean;
  /** Told once it was admitted and is about to be answered. */
  readonly onCall?: OnCall;
}

export interface OperateParts extends RelayParts, OperationReplyParts {
  wireOf<Name extends OperationName>(operation: Name, name: string): ProviderWireOf<Name> | undefined;
  /** The model that serves an operation where the caller names none. */
  defaultModel(operation: OperationName): string | undefined;
}

export interface Operator {
  handle<Name extends OperationName>(request: OperateRequest<Name>): Promise<Response>;
}

/** Each try of these is dear, and a second one would be paid for twice. */
const dear: ReadonlySet<OperationName> = new Set(['make-image', 'edit-image', 'speak', 'transcribe', 'translate']);

export function createOperator(parts: OperateParts): Operator {
  async function handle<Name extends OperationName>(request: OperateRequest<Name>): Promise<Response> {
    const progress = { begun: false };
    try {
      return await operate(request, progress);
    } catch (error) {
      // Once the call has begun, whoever ends it gives the slot back.
      if (!progress.begun) request.admission.leave(0);
      throw error;
    }
  }

  async function operate<Name extends OperationName>(
    request: OperateRequest<Name>,
    progress: { begun: boolean },
  ): Promise<Response> {
    const { caller, wire, operation, body } = request;
    const checked = wire.check(wireBodyOf(body), textBytesOf(body), request.pathModel);
    const model = checked.model ?? parts.defaultModel(operation);
    if (model === undefined) throw noDefault(operation);
    if (!caller.mayUseModel(model)) {
      const message = `This token may not use the model ${model.slice(0, 200)}.`;
      throw new GatewayError('model_not_allowed', message, { param: 'model' });
    }
    const facts = wire.sound === undefined ? checked : await measuredFacts(wire.sound, checked, wireBodyOf(body));
    const routing = routingOf(request, model, facts);
    if (asksToExplain(request)) return explainOperation(request, facts, routing);
    const { targets } = routeCall(parts, routing);
    await request.admission.reserve(operationTokensAsked(facts.most, caller.terms.tpm));
    // The judge's own work is not judged.
    const gate = operation === 'moderate' ? undefined : parts.gateFor(caller, model);
    const judged = { ...request, stream: facts.stream };
    const admission = gate === undefined ? request.admission : gate.admission(request.admission);
    const references = referencesIn(wireBodyOf(body));
    if (references !== undefined) await checkNamed(parts, caller, references, admission);
    const claim = await claimOf(request, admission);
    if (claim instanceof Response) return gate === undefined ? claim : judgeResult(gate, judged, claim);
    const call = callOf(request, model, facts, admission, claim);
    progress.begun = true;
    request.onCall?.(call);
    const trail = emptyTrail();
    try {
      if (gate !== undefined) {
        await judgeOperation(gate, judged);
        const reply = await answer(asJudged(request), { model, facts, call, targets, trail });
        trail.settled = true;
        return await judgeResult(gate, judged, reply);
      }
      return await answer(request, { model, facts, call, targets, trail });
    } catch (error) {
      await refuse(parts, call, trail, error);
      throw error;
    }
  }

  async function answer<Name extends OperationName>(request: OperateRequest<Name>, way: Answering): Promise<Response> {
    const { operation } = request;
    const { model, facts, call, targets, trail } = way;
    const asked = askedOf(request, model, facts.model);
    const splitting = splittings[operation];
    const inputsMax = inputsMaxOfAll(operation, targets);
    const media = new GivenMedia(parts, call);
    const choose = (part: Asked<Name>, target: Target) => wayTo(operation, part, call, target, media);
    if (splitting !== undefined && splitting.inputsOf(asked.request) > inputsMax) {
      return await answerInBatches(parts, call, targets, trail, { asked, splitting, inputsMax, laneTo: choose });
    }
    return await attemptAll(
      parts,
      call,
      targets,
      trail,
      (target) => choose(asked, target),
      (attempt, upstream) => answerOperation(parts, attempt, upstream),
    );
  }

  async function explainOperation<Name extends OperationName>(
    request: OperateRequest<Name>,
    facts: OperationFacts,
    routing: RouteRequest,
  ): Promise<Response> {
    const { operation, requestId } = request;
    const { model } = routing;
    const route = findRoute(parts, routing);
    const call = callOf(request, model, facts, openAdmission, undefined);
    const asked = askedOf(request, model, facts.model);
    // Of what is sent in batches nobody gets the caller's own bytes.
    const inputs = splittings[operation]?.inputsOf(asked.request) ?? 0;
    const part = { ...asked, forwardable: inputs <= inputsMaxOfAll(operation, route.targets) };
    const media = new StandInMedia();
    const laneTo = (target: Target) => wayTo(operation, part, call, target, media);
    const reply = await explain(parts, { requestId, routing, route, facts: call.facts, laneTo });
    request.admission.leave(0);
    return reply;
  }

  function wireTo<Name extends OperationName>(
    operation: Name,
    { provider, model }: Target,
  ): ProviderWireOf<Name> | undefined {
    const place = operationFor(provider, operation, model);
    return place === undefined ? undefined : parts.wireOf(operation, place.wire);
  }

  function inputsMaxOf(operation: OperationName, target: Target): number {
    const own = operationFor(target.provider, operation, target.model)?.inputsMax ?? Infinity;
    return Math.min(own, wireTo(operation, target)?.inputsMax ?? Infinity);
  }

  function inputsMaxOfAll(operation: OperationName, targets: readonly Target[]): number {
    return Math.min(...targets.map((target) => inputsMaxOf(operation, target)));
  }

  /** Only a request that carries a key is read for it. */
  async function claimOf<Name extends OperationName>(
    request: OperateRequest<Name>,
    admission: Admission,
  ): Promise<Claim | Response | undefined> {
    if (!request.headers.has('idempotency-key')) return undefined;
    const fingerprint = await fingerprintOf(request.body);
    return claimKey(parts.idempotency, request, fingerprint, admission);
  }

  /** A promise where a caller's pictures must be fetched or read for this provider. */
  function wayTo<Name extends OperationName>(
    operation: Name,
    asked: Asked<Name>,
    call: Call,
    target: Target,
    media: RequestMedia,
  ): OperationLane<Name> | Promise<OperationLane<Name>> {
    const place = operationFor(target.provider, operation, target.model);
    const ready =
      operation === 'edit-image' && place !== undefined
        ? media.readyFor(asked.request as EditImageRequest, place.wire, place.fetchesNothing)
        : undefined;
    if (ready === undefined) return laneTo(operation, asked, call, target);
    return ready.then((request) => laneTo(operation, { ...asked, request, forwardable: false }, call, target));
  }

  function laneTo<Name extends OperationName>(operation: Name, asked: Asked<Name>, call: Call, target: Target) {
    const { provider, model } = target;
    const wire = wireTo(operation, target);
    if (wire === undefined) throw new Error(`${provider.name} declares no wire for ${operation}.`);
    const format = parts.formats[provider.formats[0] ?? 'openai-chat'];
    const lane = new OperationLane(asked, wire, target, operationPlace(provider, operation, model), format.readFault);
    const [loss] = lane.losses;
    if (loss !== undefined && call.isStrict()) {
      const message = `Strict mode: the provider ${provider.name} cannot be told ${loss.what} (${loss.why}).`;
      throw new GatewayError('loss_refused', message, { param: loss.what });
    }
    return lane;
  }

  const { contents } = parts;
  return {
    handle(request) {
      // What is a part of another request is no request of anybody.
      if (!contents.isOn || request.isPart === true) return handle(request);
      const asked = (bytesMax: number) => saidIn(request.body, bytesMax);
      return contents.keep(asked, (onCall) => handle({ ...request, onCall }));
    },
  };
}

interface Answering {
  readonly model: string;
  readonly facts: OperationFacts;
  readonly call: Call;
  readonly targets: readonly Target[];
  readonly trail: Trail;
}

/** Printed anew before it is sent: of a field that stands twice a provider must not read the one that was not judged. */
function asJudged<Name extends OperationName>(request: OperateRequest<Name>): OperateRequest<Name> {
  const { body } = request;
  return body.kind === 'form' ? request : { ...request, body: { ...body, json: { ...body.json, fields: undefined } } };
}

function routingOf<Name extends OperationName>(
  { caller, headers, operation, body }: OperateRequest<Name>,
  model: string,
  facts: OperationFacts,
): RouteRequest {
  return {
    model,
    operation,
    caller,
    headers,
    tree: body.kind === 'json' ? body.json.tree : undefined,
    inputTokensMax: inputMostOf(facts),
    unable: (target) => (canDo(target, operation) ? undefined : 'does not do it'),
  };
}

function callOf<Name extends OperationName>(
  request: OperateRequest<Name>,
  model: string,
  facts: OperationFacts,
  admission: Admission,
  claim: Claim | undefined,
): Call {
  const { caller, operation, body } = request;
  return {
    requestId: request.requestId,
    endpoint: request.endpoint,
    format: request.format,
    caller,
    bytesIn: allBytesOf(body),
    isStrict: () => caller.strict || request.headers.get('x-weir-strict') === 'true',
    facts: {
      model,
      stream: facts.stream,
      candidates: 1,
      inputTokensMax: inputMostOf(facts),
      outputTokensMax: facts.most.tokens?.output.total ?? 0,
      most: facts.most,
    },
    repeatable: !dear.has(operation),
    startedAtMs: request.startedAtMs,
    hasLeft: request.hasLeft,
    keepOpen: request.keepOpen,
    passHeaders: undefined,
    admission,
    claim,
    memory: undefined,
  };
}

function askedOf<Name extends OperationName>(
  { wire, body }: OperateRequest<Name>,
  model: string,
  named: string | undefined,
): Asked<Name> {
  const { value, losses } = wire.readRequest(wireBodyOf(body), model);
  return { client: wire, request: value, requestLosses: losses, body, named, forwardable: true };
}

/** A provider must have a place for it, and what is known of the model must not forbid it. */
export function canDo({ provider, model }: Target, operation: ServiceName): boolean {
  if (operationFor(provider, operation, model) === undefined) return false;
  return provider.notes.get(model)?.operations?.includes(operation) ?? true;
}

function inputMostOf({ most }: OperationFacts): number {
  return most.tokens?.input.total ?? 0;
}

function noDefault(operation: OperationName): GatewayError {
  return new GatewayError('field_missing', `Name the model: nothing here serves ${operation} by default.`, {
    param: 'model',
  });
}
