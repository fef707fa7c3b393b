/** Orders a video: the same admission, candidates and verdicts as every request, with a task that outlives it. */

import { type Admission, openAdmission } from '../../access/limits.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { privateHeaders } from '../../http/private-headers.ts';
import type { AttemptOpening } from '../../ledger/ledger.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { referencesIn } from '../../operations/references.ts';
import { kindAsked } from '../../operations/video/video-kind.ts';
import { type VideoOrder, videoMost } from '../../operations/video/video-order.ts';
import type { MakeVideoRequest, VideoTicket } from '../../operations/video.ts';
import type { WireReply } from '../../operations/wire.ts';
import { writePrice } from '../../prices/price-text.ts';
import type { Call, RelayParts } from '../../relay/admission/call.ts';
import { refuse } from '../../relay/admission/refuse.ts';
import { findRoute, type RouteRequest, routeCall } from '../../relay/admission/route-call.ts';
import type { Attempt } from '../../relay/attempts/attempt.ts';
import { attemptAll, emptyTrail } from '../../relay/attempts/try-candidates.ts';
import { noReply } from '../../relay/attempts/unreadable-reply.ts';
import { asksToExplain, explain } from '../../relay/explain/explain.ts';
import { type Claim, claimKey } from '../../relay/idempotency/idempotency.ts';
import { wayOf } from '../../relay/lanes/lane.ts';
import { checkNamed } from '../../relay/memory/made-ids.ts';
import type { OpenGate } from '../../relay/moderation-gate/gate.ts';
import { judgeOperation } from '../../relay/moderation-gate/gated-operations.ts';
import { readWire } from '../../relay/operations/answer.ts';
import { GivenMedia, type MediaParts, mediaTypes, type RequestMedia } from '../../relay/operations/fetch-media.ts';
import { canDo } from '../../relay/operations/operate.ts';
import {
  allBytesOf,
  fingerprintOf,
  type OperationBody,
  textBytesOf,
  wireBodyOf,
} from '../../relay/operations/operation-body.ts';
import { StandInMedia } from '../../relay/operations/stand-in-media.ts';
import { replyHeaders } from '../../relay/replies/reply-headers.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Home } from '../provider/ask-provider.ts';
import { isOpen, type Task } from '../task.ts';
import type { NewTask, TaskStep, TaskStore } from '../task-store.ts';
import type { OrderRequest, OrderWire } from './order-request.ts';
import { TaskLedger, type TaskShare } from './task-ledger.ts';
import { checkTaking, unreadyMedia, VideoLane, withMedia } from './video-lane.ts';

export interface CreateParts extends RelayParts {
  readonly egress: MediaParts['egress'];
  readonly store: TaskStore;
  readonly deadlineMs: number;
  readonly openPerTokenMax: number;
  readonly askEveryMs: number | undefined;
  homeOf(target: Target): Home | undefined;
  defaultModel(): string | undefined;
  /** Where the provider may knock; nothing where Weir cannot be reached from outside. */
  hookUrlFor(taskId: string): string | undefined;
}

/** After this a request that was not answered is taken to have died with its process. */
const orphanedAfterMs = 30_000;
const rememberTriesMax = 40;
const rememberAgainMs = 500;
/** Tokens that a video is sold by, where it is: its pixels through this. */
const pixelsPerToken = 1_024;
const largest = { width: 1_920, height: 1_080, fps: 30 };
const videoTypes = ['video/mp4', 'video/webm', 'video/quicktime'];
const json = 'application/json';

export async function createTask(parts: CreateParts, request: OrderRequest): Promise<Response> {
  const progress = { begun: false };
  try {
    return await orderTask(parts, request, progress);
  } catch (error) {
    // Once the call has begun, whoever ends it gives the slot back.
    if (!progress.begun) request.admission.leave(0);
    throw error;
  }
}

async function orderTask(parts: CreateParts, request: OrderRequest, progress: { begun: boolean }): Promise<Response> {
  const { caller, wire, body } = request;
  const wireBody = wireBodyOf(body);
  const model = wire.check(wireBody).model ?? parts.defaultModel();
  if (model === undefined) {
    throw new GatewayError('field_missing', 'Name the model: nothing here makes videos by default.', {
      param: 'model',
    });
  }
  if (!caller.mayUseModel(model)) {
    const message = `This token may not use the model ${model.slice(0, 200)}.`;
    throw new GatewayError('model_not_allowed', message, { param: 'model' });
  }
  const routing = routingOf(parts, request, model);
  if (asksToExplain(request)) return explainOrder(parts, request, routing);
  const { targets } = routeCall(parts, routing);
  const order = wire.read(wireBody, model);
  const gate = parts.gateFor(caller, model);
  const admission = gate === undefined ? request.admission : gate.admission(request.admission);
  const references = referencesIn(wireBody);
  if (references !== undefined) await checkNamed(parts, caller, references, admission);
  const fingerprint = request.headers.has('idempotency-key') ? await fingerprintOf(body) : new Uint8Array(0);
  const recall = async (requestId: string): Promise<Response | undefined> => {
    const known = await parts.store.byRequest(caller.tokenId, requestId);
    // Taken by nobody yet: the first request with this key still runs, or died.
    if (known === undefined) return undefined;
    return new Response(wire.write(known), { headers: { 'content-type': json, ...privateHeaders } });
  };
  const claim = await claimKey(parts.idempotency, request, fingerprint, admission, recall);
  if (claim instanceof Response) return claim;
  const facts = factsOf(model, body, mostOf(parts, order.value, targets));
  const call = callOf(parts, request, facts, admission, claim);
  progress.begun = true;
  request.onCall?.(call);
  if (gate !== undefined) await judgeOrder(parts, gate, request, call);
  return new Ordering(parts, call, order, wire, new GivenMedia(parts, call)).run(targets);
}

async function judgeOrder(parts: CreateParts, gate: OpenGate, request: OrderRequest, call: Call): Promise<void> {
  const { format, hasLeft } = call;
  try {
    await judgeOperation(gate, { ...request, format, hasLeft, operation: 'make-video', stream: false });
  } catch (error) {
    await refuse(parts, call, emptyTrail(), error);
    throw error;
  }
}

async function explainOrder(parts: CreateParts, request: OrderRequest, routing: RouteRequest): Promise<Response> {
  const { wire, body, requestId } = request;
  const { model } = routing;
  const route = findRoute(parts, routing);
  const order = wire.read(wireBodyOf(body), model);
  const facts = factsOf(model, body, mostOf(parts, order.value, route.targets));
  const call = callOf(parts, request, facts, openAdmission, undefined);
  const ordering = new Ordering(parts, call, order, wire, new StandInMedia());
  const reply = await explain(parts, { requestId, routing, route, facts, laneTo: (target) => ordering.wayTo(target) });
  request.admission.leave(0);
  return reply;
}

function factsOf(model: string, body: OperationBody, most: Consumption): Call['facts'] {
  return { model, stream: false, candidates: 1, inputTokensMax: textBytesOf(body), outputTokensMax: 0, most };
}

function callOf(
  parts: CreateParts,
  request: OrderRequest,
  facts: Call['facts'],
  admission: Admission,
  claim: Claim | undefined,
): Call {
  const { caller, body } = request;
  return {
    requestId: request.requestId,
    endpoint: request.endpoint,
    format: parts.formats['openai-chat'],
    caller,
    bytesIn: allBytesOf(body),
    isStrict: () => caller.strict || request.headers.get('x-weir-strict') === 'true',
    facts,
    repeatable: false,
    startedAtMs: request.startedAtMs,
    // Once ordered it is made and paid for, whoever leaves.
    seenThrough: true,
    hasLeft: () => false,
    keepOpen: request.keepOpen,
    passHeaders: undefined,
    admission,
    claim,
    memory: undefined,
  };
}

class Ordering {
  readonly #parts: CreateParts;
  readonly #call: Call;
  readonly #order: VideoOrder;
  readonly #wire: OrderWire;
  /** The way to whoever is asked now: one is asked after the other. */
  #lane: VideoLane | undefined;
  readonly #taskId: string;
  readonly #media: RequestMedia;
  readonly #ledger: TaskLedger;

  constructor(parts: CreateParts, call: Call, order: VideoOrder, wire: OrderWire, media: RequestMedia) {
    this.#parts = parts;
    this.#call = call;
    this.#order = order;
    this.#wire = wire;
    this.#taskId = parts.newId('video_');
    this.#media = media;
    this.#ledger = new TaskLedger(parts, this.#newTask(), (opening) => this.#share(opening));
  }

  async run(targets: readonly Target[]): Promise<Response> {
    const trail = emptyTrail();
    const parts = { ...this.#parts, ledger: this.#ledger };
    try {
      return await attemptAll(
        parts,
        this.#call,
        targets,
        trail,
        (target) => this.wayTo(target),
        (attempt, upstream) => this.#accept(attempt, upstream),
      );
    } catch (error) {
      await this.#ledger.abandon().catch((cause: unknown) => {
        parts.warn('A task that nobody took could not be discarded.', { task: this.#taskId, cause });
      });
      await refuse(this.#parts, this.#call, trail, error);
      throw error;
    }
  }

  #newTask(): Omit<NewTask, keyof TaskShare> {
    const { value, metadata, callbackUrl } = this.#order;
    const { width, height, seconds, fps, seed, count } = value;
    const nowMs = this.#parts.wallMs();
    const known = Object.entries({ seconds, width, height, fps, seed, metadata }).filter(
      ([, wish]) => wish !== undefined,
    );
    return {
      id: this.#taskId,
      tokenId: this.#call.caller.tokenId,
      requestId: this.#call.requestId,
      model: this.#call.facts.model,
      wishes: { count, ...Object.fromEntries(known) },
      createdAtMs: nowMs,
      deadlineAtMs: nowMs + this.#parts.deadlineMs,
      callbackUrl,
      dueAtMs: nowMs + this.#parts.clocks.headTimeoutMs + orphanedAfterMs,
    };
  }

  #share({ attemptId, provider, model, keyId = 'none' }: AttemptOpening): TaskShare {
    const { facts, bytesIn } = this.#call;
    const target = this.#parts.catalogue
      .resolve(facts.model)
      ?.find((one) => one.provider.name === provider && one.model === model);
    const price = target && this.#parts.priceOf(target);
    const seconds = target && secondsOf(this.#parts, this.#order.value, target);
    return {
      attemptId,
      provider,
      keyId,
      upstreamModel: model,
      terms: {
        endpoint: this.#call.endpoint,
        bytesIn,
        attempts: Number(attemptId.slice(attemptId.lastIndexOf('.') + 1)),
        priceVersion: price?.version ?? '',
        ...(price !== undefined && { price: writePrice(price), priceName: this.#ledger.nameOf(price) }),
        most: facts.most ?? {},
        ...(seconds !== undefined && { seconds }),
        ...(this.#lane !== undefined && { way: wayOf(this.#lane, this.#wire.name) }),
      },
    };
  }

  wayTo(target: Target): VideoLane | Promise<VideoLane> {
    const home = this.#parts.homeOf(target);
    if (home === undefined) throw new Error(`${target.provider.name} declares no wire for videos.`);
    const { value } = this.#order;
    checkTaking(home, value);
    const unready = unreadyMedia(home, value);
    if (unready.length === 0) return this.#laneTo(target, home, value);
    const types =
      value.video !== undefined && unready.includes(value.video) ? [...mediaTypes, ...videoTypes] : mediaTypes;
    return this.#media.take(unready, types).then((became) => this.#laneTo(target, home, withMedia(value, became)));
  }

  #laneTo({ provider, model }: Target, home: Home, request: MakeVideoRequest): VideoLane {
    const { formats, hookUrlFor } = this.#parts;
    const hookUrl = hookUrlFor(this.#taskId);
    const extras = request.extras[provider.name] ?? request.extras[home.wire.name] ?? {};
    const writing = { model, extras, ...(hookUrl !== undefined && { hookUrl }) };
    const foreign = Object.keys(request.extras)
      .filter((name) => name !== provider.name && name !== home.wire.name)
      .map((name) => ({ what: name, why: `is not meant for ${provider.name}` }));
    const format = formats[provider.formats[0] ?? 'openai-chat'];
    const lane = new VideoLane(
      this.#wire.name,
      home,
      request,
      writing,
      [...this.#order.losses, ...foreign],
      format.readFault,
    );
    this.#lane = lane;
    const [loss] = lane.losses;
    if (loss === undefined || !this.#call.isStrict()) return lane;
    const message = `Strict mode: the provider ${provider.name} cannot be told ${loss.what} (${loss.why}).`;
    throw new GatewayError('loss_refused', message, { param: loss.what });
  }

  async #accept(attempt: Attempt<VideoLane>, upstream: UpstreamReply): Promise<Response> {
    const { askEveryMs, wallMs } = this.#parts;
    const { wire } = attempt.lane.home;
    const reply = await readWire(this.#parts, upstream, upstream.header('content-type') ?? json, attempt.lane.url);
    const ticket = readTicket(this.#parts, attempt, upstream, reply);
    // From here on the provider has the work: the task is never discarded, whatever happens to this request.
    attempt.handOver();
    const dueAtMs = wallMs() + (askEveryMs ?? wire.askEveryMs);
    const task = await this.#remember({ state: 'queued', percent: 0, ticket, faults: 0, dueAtMs });
    this.#call.admission.leave(0);
    const body = this.#wire.write(task);
    const headers = replyHeaders(attempt, json);
    const { claim } = this.#call;
    claim?.add(new TextEncoder().encode(body));
    // The video is ordered: that its key could not be marked is no reason to say otherwise.
    await claim?.finish(headers).catch(() => undefined);
    return new Response(body, { headers });
  }

  /** Without its ticket the task can never be asked for again: a database that is away for a moment is waited for. */
  async #remember(step: TaskStep): Promise<Task> {
    for (let tries = 0; ; tries++) {
      try {
        const task = await this.#write(step);
        if (task !== undefined) return task;
      } catch (cause) {
        if (tries >= rememberTriesMax) throw cause;
        await Bun.sleep(rememberAgainMs);
      }
    }
  }

  /** Nothing where a worker looked at the task in the same moment: then its version is another one. */
  async #write(step: TaskStep): Promise<Task | undefined> {
    const { store } = this.#parts;
    const task = await store.find(this.#taskId);
    if (task === undefined) throw new GatewayError('internal_error', 'The task was lost on its way.');
    if (!isOpen(task)) return task;
    return (await store.step(task.id, task.version, step)) ? { ...task, ticket: step.ticket } : undefined;
  }
}

function readTicket(
  parts: CreateParts,
  attempt: Attempt<VideoLane>,
  upstream: UpstreamReply,
  reply: WireReply,
): VideoTicket {
  try {
    return attempt.lane.home.wire.readTicket(reply);
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : noReply(parts, attempt, upstream, { bytes: reply.bytes, cause });
  }
}

/** The dearest that any candidate can make of it. */
function mostOf(parts: CreateParts, request: MakeVideoRequest, targets: readonly Target[]): Consumption {
  const lengths = targets.map((target) => {
    const usual = parts.homeOf(target)?.wire.secondsByDefault ?? 0;
    return secondsOf(parts, request, target) ?? usual;
  });
  const most = videoMost({ count: request.count, seconds: Math.max(0, ...lengths) }, 0);
  const { width = largest.width, height = largest.height, fps = largest.fps } = request;
  const total = Math.ceil((width * height * fps * most.videoSeconds) / pixelsPerToken);
  return { ...most, ...kindAsked(request), tokens: { input: { total: 0 }, output: { total } } };
}

/** The length that this target is asked for; nothing where the choice is left to it. */
function secondsOf(parts: CreateParts, request: MakeVideoRequest, target: Target): number | undefined {
  return parts.homeOf(target)?.wire.secondsFor?.(request, target.model) ?? request.seconds;
}

function routingOf(parts: CreateParts, { caller, headers, body }: OrderRequest, model: string): RouteRequest {
  return {
    model,
    operation: 'make-video',
    caller,
    headers,
    tree: undefined,
    inputTokensMax: textBytesOf(body),
    unable: (target) =>
      canDo(target, 'make-video') && parts.homeOf(target) !== undefined ? undefined : 'makes no videos',
  };
}
