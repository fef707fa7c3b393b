/** Composes video tasks: orders, the worker that follows them, callbacks, and the service for callers. */

import type { FormatName, Tree } from '../formats/format.ts';
import type { Reply } from '../http/reply.ts';
import { callbackEvent } from '../operations/video/callback-event.ts';
import { videoWire } from '../operations/video/provider-wires.ts';
import type { ShownTask } from '../operations/video/task-object.ts';
import type { Provider } from '../providers/assemble.ts';
import { operationFor, operationPlace } from '../providers/operation-places.ts';
import type { Call } from '../relay/admission/call.ts';
import { observationOf } from '../relay/admission/observation.ts';
import type { FollowedReply } from '../relay/attempts/followed-reply.ts';
import { defaultModelOf } from '../relay/operations/default-model.ts';
import type { RelayParts } from '../relay/relay-parts.ts';
import type { Target } from '../routing/catalogue.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { createSigning } from '../secrets/signing.ts';
import type { TasksConfig } from '../settings/config.ts';
import type { Egress } from '../upstream/egress/fetch-from-caller.ts';
import { Callbacks, callbackSecret } from './delivery/callbacks.ts';
import { SignedAddresses } from './delivery/signed-urls.ts';
import { type KeptResults, TaskService } from './delivery/task-service.ts';
import type { ResultKeeper } from './following/keep-videos.ts';
import { TaskWorker, type WorkerParts } from './following/worker.ts';
import { createOrders } from './ordering/create-task.ts';
import { followedReply } from './ordering/follow-reply-order.ts';
import type { OrderParts } from './ordering/order-call.ts';
import type { OrderRequest } from './ordering/order-request.ts';
import type { VideoHost } from './provider/ask-provider.ts';
import type { Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

interface TaskParts {
  readonly relay: RelayParts;
  readonly config: TasksConfig;
  readonly store: TaskStore;
  readonly results: ResultKeeper & KeptResults & { expire(): Promise<void> };
  readonly egress: Egress;
  readonly addressKeys: PurposeKeys;
  readonly callbackKeys: PurposeKeys;
  /** Where people reach Weir, without `/v1`; known once it listens. */
  baseUrl(): string;
  /** Can providers reach it there? */
  readonly isPublic: boolean;
}

interface Tasks {
  readonly taskService: TaskService;
  order(request: OrderRequest): Promise<Reply>;
  follow(call: Call): FollowedReply;
  contentUrl(task: ShownTask, index: number): string;
  admitsContent(taskId: string, query: URLSearchParams): Promise<boolean>;
  admitsHook(taskId: string, signature: string): Promise<boolean>;
  callbackSecretOf(tokenId: string): string;
  /** Tasks that this process follows right now. */
  following(): number;
  start(): void;
  stop(): Promise<void>;
  /** Removes results and rows whose time is over. */
  tidy(): Promise<void>;
}

const tickMsMax = 500;
const tickMsMin = 20;
const callbackTickMs = 500;
/** How long the row of an ended task can still be asked for. */
const rowLifetimeMs = 30 * 24 * 60 * 60_000;
const tidyPage = 200;

export function buildTasks(parts: TaskParts): Tasks {
  const { relay, config, store, results, egress } = parts;
  const { wallMs, random, warn, authorizer, newId } = relay;
  const addresses = new SignedAddresses(createSigning(parts.addressKeys), parts.baseUrl);
  const contentUrl = (task: ShownTask, index: number): string =>
    addresses.contentUrl(task.id, index, task.expiresAtMs ?? wallMs() + config.resultLifetimeMs);
  const hostOf = ({ provider, upstreamModel }: Pick<Task, 'provider' | 'upstreamModel'>): VideoHost | undefined => {
    // Looked up each time: a task outlives changes of the configuration.
    const known = relay.catalogue.providers.find(({ name }) => name === provider);
    return known && hostAt(known, upstreamModel);
  };
  const asking = { authorizer, wallMs, egress, hostOf, store };

  const following = {
    ...asking,
    policy: config,
    correctionMs: config.correctionMs,
    askEveryMs: config.askEveryMs,
    random,
    providerOf: ({ provider }: Task) => relay.catalogue.providers.find(({ name }) => name === provider),
    stateOf(format: FormatName, reply: Tree) {
      const state = relay.formats[format].backgroundState?.(reply);
      if (state === undefined) throw new SyntaxError('no reply of this format runs in the background');
      return state;
    },
    ended: (task: Task, ending: Parameters<WorkerParts['ended']>[1]) => observeEnd(relay, task, ending),
  };
  const worker = new TaskWorker({
    ...following,
    keeper: results,
    resultBytesMax: config.resultBytesMax,
    leaseMs: config.leaseMs,
    asksMax: config.asksMax,
    tickMs: Math.max(tickMsMin, Math.min(tickMsMax, (config.askEveryMs ?? tickMsMax) / 2)),
    warn,
    callbackFor(task) {
      if (task.callbackUrl === undefined || task.deletedAtMs !== undefined) return undefined;
      const event = callbackEvent(task, { urlOf: contentUrl, nowMs: wallMs(), newId });
      return { url: task.callbackUrl, body: JSON.stringify(event) };
    },
  });
  const callbacks = new Callbacks({ store, egress, keys: parts.callbackKeys, wallMs, random, warn });
  const ordering: OrderParts = {
    ...relay,
    egress,
    store,
    // Read for every order: both may change while Weir runs.
    get deadlineMs() {
      return config.deadlineMs;
    },
    get openPerTokenMax() {
      return config.openPerTokenMax;
    },
    unknownOutcome: config.unknownOutcome,
    askEveryMs: config.askEveryMs,
    hostOf: ({ provider, model }: Target) => hostAt(provider, model),
    defaultModel: () => defaultModelOf(relay.catalogue, 'make-video'),
    hookUrlFor: (taskId) => (parts.isPublic ? addresses.hookUrl(taskId) : undefined),
  };

  return {
    taskService: new TaskService({ ...asking, results }),
    order: createOrders(ordering),
    follow: (call) => followedReply({ relay, store, following, config }, call),
    contentUrl,
    admitsContent: (taskId, query) => addresses.admitsContent(taskId, query, wallMs()),
    admitsHook: (taskId, signature) => addresses.admitsHook(taskId, signature),
    callbackSecretOf: (tokenId) => callbackSecret(parts.callbackKeys.current()[0].bytes, tokenId),
    following: () => worker.following,
    start() {
      worker.start();
      callbacks.start(callbackTickMs);
    },
    async stop() {
      await Promise.all([worker.stop(), callbacks.stop()]);
    },
    tidy: () => tidy(parts, wallMs()),
  };
}

/** Undefined where the provider makes no videos of this model, or by no wire that Weir has. */
function hostAt(provider: Provider, model: string): VideoHost | undefined {
  const place = operationFor(provider, 'make-video', model);
  const wire = place && videoWire(place.wire);
  if (wire === undefined) return undefined;
  const places = { create: operationPlace(provider, 'make-video', model), base: provider.baseUrl };
  return { provider, wire, places, fetchesNothing: place?.fetchesNothing ?? false };
}

function observeEnd(relay: RelayParts, task: Task, ending: Parameters<WorkerParts['ended']>[1]): void {
  const { observe, attempted } = relay;
  const { closing, verdict, end } = ending;
  const { row, atMs } = closing;
  const { provider, keyId, upstreamModel: model, requestId } = task;
  // How long a video takes is no measure of how quickly its provider answers.
  const error = end.error && { requestId, code: row?.code ?? '', message: end.error.message };
  attempted({ provider, keyId, model, verdict, atMs, error });
  if (row === undefined) return;
  observe({ ...observationOf(row), model: row.model || task.model });
}

async function tidy({ store, results }: TaskParts, nowMs: number): Promise<void> {
  for (;;) {
    const expired = await store.expire(nowMs, tidyPage);
    for (const task of expired) {
      for (const result of task.results) if (result.kind === 'kept') await results.remove(result.name);
    }
    if (expired.length < tidyPage) break;
  }
  while ((await store.forget(nowMs - rowLifetimeMs, tidyPage)) === tidyPage);
  // Files without a row: of replicas that died between writing the file and the row.
  await results.expire();
}
