/** `/scim/v2`: users and groups of a directory (RFC 7644). It describes itself, so `/openapi.json` leaves it out. */

import type { Client } from '../../admin/accounts/sessions.ts';
import { pageItemsMax, resourceTypes, schemaList, serviceProviderConfig } from '../../admin/scim/descriptions.ts';
import { type Filter, type Listed, type Resource, readFilter, type Wanted } from '../../admin/scim/filter.ts';
import { narrowed, type Shown, schemas, versionOf } from '../../admin/scim/resources.ts';
import { ScimError, scimErrorBody } from '../../admin/scim/scim-error.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readJsonBody } from '../../http/json/json-body.ts';
import { readBody } from '../../http/read-body.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { Method, Route } from '../../http/route-table.ts';
import type { AdminParts } from '../admin/admin-route.ts';
import { requireKnownHost } from '../require-host.ts';

const prefix = '/scim/v2';
const bodyBytesMax = 4_194_304;
const bodyDepthMax = 16;
const pageItemsDefault = 100;
const mediaType = 'application/scim+json';
const replyHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

interface Call extends Shown {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly client: Client;
  readonly headers: RequestHeaders;
  body(): Promise<unknown>;
}

type Answer = (call: Call, parts: AdminParts) => Promise<Response>;

function reply(body: object, status = 200, headers: Record<string, string> = {}): Response {
  const all = { ...replyHeaders, 'content-type': `${mediaType}; charset=utf-8`, ...headers };
  return new Response(JSON.stringify(body), { status, headers: all });
}

export function scimRoutes(parts: AdminParts): readonly Route[] {
  return [
    ...Object.entries(answers).map(([name, answer]) => routeOf(name, answer, parts)),
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      routeOf(`${method} /{path...}`, notFound, parts),
    ),
  ];
}

function routeOf(name: string, answer: Answer, parts: AdminParts): Route {
  const [method, path] = name.split(' ') as [Method, string];
  return {
    method,
    path: prefix + path,
    // No page calls it, so none of another site may.
    ownPagesOnly: true,
    unrecorded: true,
    writeError: (error, exchange) => errorReply(error, exchange, parts),
    async handle(exchange) {
      requireKnownHost(exchange, parts.knowsHost);
      const { headers } = exchange.request;
      const client = { address: exchange.address(), agent: headers.get('user-agent') ?? '' };
      await parts.admin.scim.admit(headers.get('authorization'), client);
      const base = `${(parts.publicUrl ?? exchange.origin()).replace(/\/+$/, '')}${prefix}`;
      const query = new URLSearchParams(exchange.query);
      const id = exchange.params['id'] ?? '';
      return answer({ base, id, query, client, headers, body: () => bodyOf(exchange, parts) }, parts);
    },
  };
}

async function bodyOf({ request }: Exchange, { deadlines, bodyTimeoutMs }: AdminParts): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== mediaType && type !== 'application/json') {
    throw new ScimError(415, `Send the body as ${mediaType} or application/json.`);
  }
  const bytes = await readBody(request, { bytesMax: bodyBytesMax, timeoutMs: bodyTimeoutMs, deadlines });
  return readJsonBody(bytes, bodyDepthMax).tree;
}

function errorReply(error: unknown, exchange: Exchange, { report }: AdminParts): Response {
  if (error instanceof ScimError) {
    const challenge = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    return reply(scimErrorBody(error.status, error.message, error.scimType), error.status, challenge);
  }
  if (error instanceof GatewayError && error.status < 500) {
    const isSyntax = error.code === 'json_malformed';
    return reply(
      scimErrorBody(error.status, error.message, isSyntax ? 'invalidSyntax' : undefined),
      error.status,
      error.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)) },
    );
  }
  report('A request of the directory failed inside Weir.', { requestId: exchange.requestId, cause: error });
  return reply(scimErrorBody(503, 'The request could not be served. Retry later.'), 503);
}

const notFound: Answer = async () => {
  throw new ScimError(404, 'There is no such endpoint of SCIM.');
};

/** A number of the query; anything that is none counts as absent. */
function numberIn(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : fallback;
}

function wantedOf(query: URLSearchParams): Wanted {
  const from = Math.max(1, numberIn(query, 'startIndex', 1)) - 1;
  const count = Math.min(Math.max(0, numberIn(query, 'count', pageItemsDefault)), pageItemsMax);
  return { filter: filterIn(query), from, count };
}

function page({ total, items }: Listed, query: URLSearchParams): Response {
  return reply({
    schemas: [schemas.list],
    totalResults: total,
    startIndex: Math.max(1, numberIn(query, 'startIndex', 1)),
    itemsPerPage: items.length,
    Resources: items.map((resource) => narrowed(resource, query)),
  });
}

const whole = (items: readonly Resource[], query: URLSearchParams): Response =>
  page({ total: items.length, items }, query);

function filterIn(query: URLSearchParams): Filter | undefined {
  const text = query.get('filter')?.trim() ?? '';
  return text === '' ? undefined : readFilter(text);
}

function one(resource: Resource, { query, headers }: Call, status = 200): Response {
  const etag = versionOf(resource);
  if (status === 200 && headers.get('if-none-match') === etag) {
    return new Response(null, { status: 304, headers: { ...replyHeaders, etag } });
  }
  const { location } = resource['meta'] as { readonly location: string };
  return reply(narrowed(resource, query), status, { etag, ...(status === 201 && { location }) });
}

/** Throws where the caller means an older version. */
const checkOf =
  ({ headers }: Call) =>
  (before: Resource): void => {
    const wanted = headers.get('if-match');
    if (wanted === null || wanted === '*' || wanted === versionOf(before)) return;
    throw new ScimError(412, 'The resource was changed since it was read. Read it again.');
  };

/** Groups may have many, and directories leave them out. */
function wantsMembers(query: URLSearchParams): boolean {
  const names = (query.get('excludedAttributes') ?? '').toLowerCase().split(/[\s,]+/);
  return !names.includes('members');
}

const answers: Readonly<Record<string, Answer>> = {
  'GET /ServiceProviderConfig': async ({ base }) => reply(serviceProviderConfig(base)),
  'GET /ResourceTypes': async ({ base, query }) => whole(resourceTypes(base), query),
  'GET /ResourceTypes/{id}': async ({ base, id }) => described(resourceTypes(base), id),
  'GET /Schemas': async ({ base, query }) => whole(schemaList(base), query),
  'GET /Schemas/{id}': async ({ base, id }) => described(schemaList(base), id),
  'GET /Users': async (call, { admin }) => page(await admin.scim.users.list(wantedOf(call.query), call), call.query),
  'POST /Users': async (call, { admin }) =>
    one(await admin.scim.users.create(await call.body(), call, call.client), call, 201),
  'GET /Users/{id}': async (call, { admin }) => one(await admin.scim.users.get(call.id, call), call),
  'PUT /Users/{id}': async (call, { admin }) =>
    one(await admin.scim.users.replace(call.id, await call.body(), call, call.client, checkOf(call)), call),
  'PATCH /Users/{id}': async (call, { admin }) =>
    one(await admin.scim.users.patch(call.id, await call.body(), call, call.client, checkOf(call)), call),
  'DELETE /Users/{id}': async (call, { admin }) => {
    await admin.scim.users.remove(call.id, call, call.client, checkOf(call));
    return new Response(null, { status: 204, headers: replyHeaders });
  },
  'GET /Groups': async (call, { admin }) =>
    page(await admin.scim.groups.list(wantedOf(call.query), call, wantsMembers(call.query)), call.query),
  'POST /Groups': async (call, { admin }) =>
    one(await admin.scim.groups.create(await call.body(), call, call.client), call, 201),
  'GET /Groups/{id}': async (call, { admin }) => one(await admin.scim.groups.get(call.id, call), call),
  'PUT /Groups/{id}': async (call, { admin }) =>
    one(await admin.scim.groups.replace(call.id, await call.body(), call, call.client, checkOf(call)), call),
  'PATCH /Groups/{id}': async (call, { admin }) =>
    one(await admin.scim.groups.patch(call.id, await call.body(), call, call.client, checkOf(call)), call),
  'DELETE /Groups/{id}': async (call, { admin }) => {
    await admin.scim.groups.remove(call.id, call, call.client, checkOf(call));
    return new Response(null, { status: 204, headers: replyHeaders });
  },
};

function described(list: readonly Resource[], wanted: string): Response {
  const found = list.find(({ id }) => id === wanted);
  if (found === undefined) throw new ScimError(404, `${wanted.slice(0, 200)} not found.`);
  return reply(found);
}
