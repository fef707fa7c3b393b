/** Video orders: a task that outlives its request is created with the first attempt. The steps before are those of every call. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { References } from '../../conversation/references/references.ts';
import { privateHeaders } from '../../http/private-headers.ts';
import type { Reply } from '../../http/reply.ts';
import { endUserIn } from '../../operations/end-user.ts';
import { referencesIn } from '../../operations/references.ts';
import type { VideoOrder } from '../../operations/video/video-order.ts';
import { admitting, type Entry, type NamedInBody, type Work } from '../../relay/admission/admit-call.ts';
import type { RouteRequest } from '../../relay/admission/route-call.ts';
import { asksStrict } from '../../relay/admission/strict-mode.ts';
import { operationTokensAsked } from '../../relay/admission/tokens-asked.ts';
import { attemptAll, type Trail } from '../../relay/attempts/try-candidates.ts';
import type { BoundedText } from '../../relay/contents/bounded-text.ts';
import type { Recall } from '../../relay/idempotency/idempotency.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { OpenGate } from '../../relay/moderation-gate/gate.ts';
import { checkOperation } from '../../relay/moderation-gate/gated-operations.ts';
import { canDo } from '../../relay/operations/can-do.ts';
import { GivenMedia } from '../../relay/operations/fetch-media.ts';
import {
  allBytesOf,
  fingerprintOf,
  modelInBody,
  textBytesOf,
  textIn,
  wireBodyOf,
} from '../../relay/operations/operation-body.ts';
import { StandInMedia } from '../../relay/operations/stand-in-media.ts';
import { vetExtras } from '../../relay/vetting/vetted-extras.ts';
import type { Target } from '../../routing/catalogue.ts';
import { acceptOrder } from './accept-order.ts';
import type { OrderCall, OrderParts } from './order-call.ts';
import type { OrderRequest } from './order-request.ts';
import { TaskLedger } from './task-ledger.ts';
import { type ChosenLane, newTaskOf, taskShareOf } from './task-record.ts';
import { mostOf } from './video-bounds.ts';
import { videoLaneFor } from './video-lane.ts';

const operation = 'make-video';
const bytesPerToken = 4;

export function createOrders(parts: OrderParts): (request: OrderRequest) => Promise<Reply> {
  return admitting(parts, new VideoOrders(parts));
}

interface OrderFacts {
  readonly model: string;
  readonly order: VideoOrder;
}

class VideoOrders implements Work<OrderRequest, OrderFacts, OrderCall> {
  readonly #parts: OrderParts;

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  check({ wire, body }: OrderRequest): OrderFacts {
    const wireBody = wireBodyOf(body);
    const model = wire.check(wireBody).model ?? this.#parts.defaultModel();
    if (model === undefined) {
      throw new GatewayError('field_missing', 'Set `model`: there is no default for videos.', {
        param: 'model',
      });
    }
    return { model, order: wire.read(wireBody, model) };
  }

  modelIn({ body }: OrderRequest): string | undefined {
    return modelInBody(body);
  }

  routing({ caller, headers, body }: OrderRequest, { model }: OrderFacts): RouteRequest {
    return {
      model,
      operation,
      caller,
      headers,
      tree: undefined,
      inputTokensMax: textBytesOf(body),
      unable: (target) =>
        canDo(target, operation) && this.#parts.hostOf(target) !== undefined ? undefined : 'makes no videos',
    };
  }

  namedIn({ body }: OrderRequest): NamedInBody {
    return { endUser: endUserIn(wireBodyOf(body)) };
  }

  /** The prompt alone: what the video itself comes to is known when it is made. */
  tokensAsked({ order }: OrderFacts, tokensPerMinute: number | undefined): number {
    const tokens = { input: { total: promptBytes(order) }, output: { total: 0 } };
    return operationTokensAsked({ tokens }, tokensPerMinute);
  }

  /** Written for each provider from what was read, never forwarded. */
  asSent(request: OrderRequest): OrderRequest {
    return request;
  }

  references({ body }: OrderRequest): References | undefined {
    return referencesIn(wireBodyOf(body));
  }

  fingerprint({ body }: OrderRequest): Promise<Uint8Array> {
    return fingerprintOf(body);
  }

  /** Undefined while the first request with the key still runs, and where it died. */
  recallReply({ caller, wire }: OrderRequest): Recall {
    return async (requestId) => {
      const known = await this.#parts.store.byRequest(caller.tokenId, requestId);
      if (known === undefined) return undefined;
      return new Response(wire.write(known), { headers: { 'content-type': 'application/json', ...privateHeaders } });
    };
  }

  callOf(request: OrderRequest, entry: Entry<OrderFacts>): OrderCall {
    const { facts, targets, admission, claim, references, endUser, tags } = entry;
    const { caller, body } = request;
    const { model } = facts;
    const { order, ordered } = this.#vetted(caller, facts, targets);
    const most = mostOf(this.#parts, order.value, targets);
    return {
      requestId: request.requestId,
      endpoint: request.endpoint,
      format: this.#parts.formats['openai-chat'],
      caller,
      bytesIn: allBytesOf(body),
      isStrict: () => asksStrict(request),
      facts: {
        model,
        stream: false,
        candidates: 1,
        inputTokensMax: textBytesOf(body),
        outputTokensMax: 0,
        most,
        ...ordered,
      },
      repeatable: false,
      freeIfUnknown: this.#parts.unknownOutcome === 'free',
      startedAtMs: request.startedAtMs,
      // Once ordered it is made and paid for, even if the client disconnects.
      runsToEnd: true,
      hasLeft: () => false,
      passHeaders: undefined,
      admission,
      claim,
      memory: undefined,
      references,
      endUser,
      tags,
      taskId: this.#parts.newId('video_'),
      request,
      order,
      promptTokens: Math.ceil(promptBytes(order) / bytesPerToken),
    };
  }

  #vetted(caller: Caller, { model, order }: OrderFacts, targets: readonly Target[]) {
    const vetted = vetExtras(this.#parts, caller, { model, extras: order.value.extras }, targets);
    if (vetted === undefined) return { order, ordered: {} };
    const { extras, ordered, losses } = vetted;
    return { order: { ...order, value: { ...order.value, extras }, losses: [...order.losses, ...losses] }, ordered };
  }

  explainedLanes(call: OrderCall): (target: Target) => Lane | Promise<Lane> {
    const media = new StandInMedia();
    return (target) => videoLaneFor(this.#parts, call, target, media);
  }

  async answer(call: OrderCall, targets: readonly Target[], trail: Trail, gate: OpenGate | undefined): Promise<Reply> {
    const { format, hasLeft } = call;
    if (gate !== undefined) await checkOperation(gate, { ...call.request, format, hasLeft, operation, stream: false });
    const parts = this.#parts;
    const media = new GivenMedia(parts, call);
    let chosen: ChosenLane | undefined;
    const choose = async (target: Target) => {
      const lane = await videoLaneFor(parts, call, target, media);
      chosen = { target, lane };
      return lane;
    };
    const ledger = new TaskLedger(parts, newTaskOf(parts, call), (opening) =>
      taskShareOf(parts, call, opening, chosen),
    );
    try {
      return await attemptAll({ ...parts, ledger }, call, targets, trail, choose, (attempt, upstream) =>
        acceptOrder(parts, call, attempt, upstream),
      );
    } catch (error) {
      await ledger.abandon().catch((cause: unknown) => {
        parts.warn('A task that no provider accepted could not be discarded.', { task: call.taskId, cause });
      });
      throw error;
    }
  }

  textOf({ body }: OrderRequest, bytesMax: number): BoundedText {
    return textIn(body, bytesMax);
  }
}

function promptBytes({ value }: VideoOrder): number {
  return Buffer.byteLength(value.prompt);
}
