/** Video tasks: `/v1/video/generations` as the specification has it, and the same tasks as `/v1/videos` in the official library's shape. */

import type { Carrier } from '../access/credential.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import type { JsonBody } from '../http/json/json-body.ts';
import type { Reply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Route } from '../http/route-table.ts';
import { checkVideo, readVideo } from '../operations/video/generations-client.ts';
import { type ShownTask, taskObject } from '../operations/video/task-object.ts';
import { deletedVideo, videoList, videoObject } from '../operations/video/video-object.ts';
import { checkOfficialVideo, readOfficialVideo } from '../operations/video/videos-client.ts';
import type { ListRequest, TaskService } from '../tasks/delivery/task-service.ts';
import type { OrderRequest, OrderWire } from '../tasks/ordering/order-request.ts';
import type { Task } from '../tasks/task.ts';
import { type Entry, type EntryRule, withEntry } from './admit.ts';
import { errorReply } from './error-reply.ts';
import { letGo, type OperationParts, takeOperationBody } from './operation-endpoint.ts';
import { requireStanding, type StandingOf } from './signed-address.ts';
import { contentReply } from './video-content.ts';

export interface VideoParts extends OperationParts {
  readonly taskService: TaskService;
  readonly standingOf: StandingOf;
  order(request: OrderRequest): Promise<Reply>;
  /** The signed URL of the video. */
  contentUrl(task: ShownTask, index: number): string;
  admitsContent(taskId: string, query: URLSearchParams): Promise<boolean>;
  admitsHook(taskId: string, signature: string): Promise<boolean>;
  callbackSecretOf(tokenId: string): string;
}

export const videosEndpoint = 'videos';
const carriers: readonly Carrier[] = ['bearer', 'api-key'];
const orderRule: EntryRule = { endpoint: videosEndpoint, carriers, counted: 'requests' };
const readRule: EntryRule = { endpoint: videosEndpoint, carriers, counted: 'reads' };
const pageSizeMax = 100;
const pageSizeByDefault = 20;

/** One client format: its paths and its bodies. */
interface Family {
  readonly path: string;
  readonly wire: OrderWire;
  list(tasks: readonly Task[], hasMore: boolean): object;
  deleted(id: string): object;
}

export function videoRoutes(parts: VideoParts): readonly Route[] {
  const showing = { urlOf: parts.contentUrl };
  const generations: Family = {
    path: '/v1/video/generations',
    wire: {
      name: 'video-generations',
      check: checkVideo,
      read: readVideo,
      write: (task) => JSON.stringify(taskObject(task, showing)),
    },
    list: (tasks, hasMore) => ({
      object: 'list',
      data: tasks.map((task) => taskObject(task, showing)),
      first_id: tasks[0]?.id ?? null,
      last_id: tasks.at(-1)?.id ?? null,
      has_more: hasMore,
    }),
    deleted: (id) => ({ task_id: id, deleted: true }),
  };
  const videos: Family = {
    path: '/v1/videos',
    wire: {
      name: 'videos',
      check: checkOfficialVideo,
      read: readOfficialVideo,
      write: (task) => JSON.stringify(videoObject(task)),
    },
    list: videoList,
    deleted: deletedVideo,
  };
  return [...familyRoutes(generations, parts), ...familyRoutes(videos, parts), hookRoute(parts), secretRoute(parts)];
}

type Handler = (exchange: Exchange, tokenId: string) => Reply | Promise<Reply>;

/** Creating a video counts as a request, everything else as a read. */
function routeOf(parts: VideoParts, method: Route['method'], path: string, handle: Handler): Route {
  return {
    method,
    path,
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
    handle: (exchange) =>
      withEntry(parts.admit(exchange, readRule, exchange.requestId), ({ tokenId }) => handle(exchange, tokenId)),
  };
}

function familyRoutes(family: Family, parts: VideoParts): readonly Route[] {
  const { path, wire } = family;
  const { taskService } = parts;
  const json = (body: string): Response => new Response(body, { headers: { 'content-type': 'application/json' } });
  return [
    {
      method: 'POST',
      path,
      writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
      handle: async (exchange) =>
        order(exchange, await parts.admit(exchange, orderRule, exchange.requestId), wire, parts),
    },
    routeOf(parts, 'GET', path, async ({ query }, tokenId) => {
      const { items, hasMore } = await taskService.list(tokenId, listRequest(new URLSearchParams(query)));
      return Response.json(family.list(items, hasMore));
    }),
    routeOf(parts, 'GET', `${path}/{id}`, async ({ params }, tokenId) =>
      json(wire.write(await taskService.get(tokenId, idOf(params)))),
    ),
    routeOf(parts, 'DELETE', `${path}/{id}`, async ({ params }, tokenId) => {
      await taskService.remove(tokenId, idOf(params));
      return Response.json(family.deleted(idOf(params)));
    }),
    contentRoute(`${path}/{id}/content`, parts),
  ];
}

async function order(exchange: Exchange, entry: Entry, wire: OrderWire, parts: VideoParts): Promise<Reply> {
  const { body, admission } = await takeOperationBody(exchange, ['json', 'form'], parts, entry);
  exchange.stamped = true;
  exchange.recorded = true;
  return letGo(body, () =>
    parts.order({
      requestId: exchange.requestId,
      endpoint: videosEndpoint,
      wire,
      caller: entry.caller,
      admission,
      body,
      headers: exchange.request.headers,
      startedAtMs: exchange.startedAtMs,
    }),
  );
}

/** With a token, or with the signature of a signed URL: players cannot send a header. */
function contentRoute(path: string, parts: VideoParts): Route {
  const findTask = async (exchange: Exchange, query: URLSearchParams): Promise<Task> => {
    const id = idOf(exchange.params);
    if (!query.has('signature')) {
      const entering = parts.admit(exchange, readRule, exchange.requestId);
      return withEntry(entering, ({ tokenId }) => parts.taskService.get(tokenId, id));
    }
    if (await parts.admitsContent(id, query)) {
      const task = await parts.taskService.find(id);
      await requireStanding(parts.standingOf, task.tokenId);
      return task;
    }
    throw new GatewayError('not_found', 'This URL is invalid or has expired. Fetch the task to get another.');
  };
  return {
    method: 'GET',
    path,
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
    async handle(exchange) {
      const query = new URLSearchParams(exchange.query);
      const task = await findTask(exchange, query);
      const { headers, signal } = exchange.request;
      // Weir sends no ETag or date, so a conditional range is ignored.
      const range = headers.has('if-range') ? null : headers.get('range');
      const content = await parts.taskService.openContent(task, indexOf(query), range, signal);
      return contentReply(content, headers);
    },
  };
}

/** A callback to a task's own URL only makes Weir poll the task. */
function hookRoute(parts: VideoParts): Route {
  return {
    method: 'POST',
    path: '/v1/video/hooks/{id}/{signature}',
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
    async handle({ params, request }) {
      const id = idOf(params);
      const isRight = await parts.admitsHook(id, params['signature'] ?? '');
      if (!isRight) throw new GatewayError('not_found', 'Callback URL not found.');
      const challenge = await challengeIn(request, id, parts);
      if (challenge !== undefined) return Response.json({ challenge });
      await parts.taskService.hasten(id);
      return Response.json({ received: true });
    },
  };
}

/** Providers put the whole result of a task into their callback. */
const callbackBytesMax = 1_048_576;

/** Some providers first send a challenge and expect it back. The rest of a callback is not read. */
function challengeIn(request: HttpRequest, taskId: string, { bodies }: VideoParts): Promise<string | undefined> {
  const word = async (body: JsonBody | undefined): Promise<string | undefined> => {
    const challenge = body?.tree['challenge'];
    return typeof challenge === 'string' && challenge.length <= 200 ? challenge : undefined;
  };
  return bodies.within(request, taskId, word, callbackBytesMax).catch((error: unknown) => {
    // A body that is not JSON has no challenge.
    if (error instanceof GatewayError && error.code === 'json_malformed') return undefined;
    throw error;
  });
}

function secretRoute(parts: VideoParts): Route {
  return routeOf(parts, 'GET', '/v1/video/callback_secret', (_exchange, tokenId) =>
    Response.json({ secret: parts.callbackSecretOf(tokenId) }, { headers: { 'cache-control': 'no-store' } }),
  );
}

function idOf(params: Readonly<Record<string, string>>): string {
  return params['id'] ?? '';
}

function listRequest(query: URLSearchParams): ListRequest {
  const limit = Number(query.get('limit') ?? pageSizeByDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageSizeMax) {
    throw new GatewayError('field_invalid', `\`limit\` must be from 1 to ${pageSizeMax}.`, { param: 'limit' });
  }
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw new GatewayError('field_invalid', '`order` must be asc or desc.', { param: 'order' });
  }
  return { limit, after: query.get('after') ?? undefined, order };
}

function indexOf(query: URLSearchParams): number {
  const variant = query.get('variant') ?? 'video';
  if (variant !== 'video') {
    throw new GatewayError('field_invalid', 'Weir stores only the video: `variant` must be video.', {
      param: 'variant',
    });
  }
  const index = Number(query.get('index') ?? '0');
  if (Number.isInteger(index) && index >= 0) return index;
  throw new GatewayError('field_invalid', '`index` must be a whole number from 0.', { param: 'index' });
}
