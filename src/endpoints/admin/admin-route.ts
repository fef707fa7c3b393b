/**
 * What every route of the admin API has in common: the signed-in account, the same-origin check, the role check,
 * a small JSON body, and replies that are not cached.
 */

import type { Actor, Client, OpenedSession } from '../../admin/accounts/sessions.ts';
import type { Admin } from '../../admin/build-admin.ts';
import type { ConfigurationAdmin } from '../../admin/configuration/build-configuration-admin.ts';
import type { GatewayState } from '../../admin/configuration/gateway-state.ts';
import { accountBounds, sessionBounds } from '../../admin/contracts/contract.ts';
import type { SignedOutView } from '../../admin/contracts/sign-in-contract.ts';
import { requireUnrestricted } from '../../admin/factors/restriction.ts';
import type { Site } from '../../admin/factors/webauthn.ts';
import { isOpenToKeys } from '../../admin/keys/key-routes.ts';
import { type AdminRouteName, admittedTo, type OpenRouteName, type SignedInRouteName } from '../../admin/role-table.ts';
import type { EndingModels } from '../../admin/usage/ending-models.ts';
import type { Alerts } from '../../alerts/build-alerts.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { CookieJar } from '../../http/cookies.ts';
import type { Deadlines } from '../../http/deadlines.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { KnowsHost } from '../../http/host-names.ts';
import { readJsonBody } from '../../http/json/json-body.ts';
import { readBody } from '../../http/read-body.ts';
import type { Reply } from '../../http/reply.ts';
import type { Method, Route } from '../../http/route-table.ts';
import { isSameOrigin } from '../../http/same-origin.ts';
import type { TaskService } from '../../tasks/delivery/task-service.ts';
import { errorReply, type Report } from '../error-reply.ts';
import { requireKnownHost } from '../require-host.ts';
import type { Explain } from './explain.ts';
import { keyActorOf, keyPathOf, writeOnce } from './keys/key-calls.ts';

export interface AdminParts {
  readonly admin: Admin;
  readonly state: GatewayState;
  readonly endings: EndingModels;
  readonly configuration: ConfigurationAdmin;
  readonly explain: Explain;
  readonly alerts: Pick<Alerts, 'channels' | 'rules'>;
  readonly videos: Pick<TaskService, 'find' | 'openContent'>;
  /** Secure or not, by the request's connection. */
  cookieOf(exchange: Exchange): CookieJar;
  readonly publicUrl: string | undefined;
  readonly knowsHost: KnowsHost;
  readonly report: Report;
  readonly deadlines: Deadlines;
  readonly bodyTimeoutMs: number;
}

interface OpenCall {
  readonly exchange: Exchange;
  readonly client: Client;
  /** Parsed; `{}` for an empty body. */
  readonly body: unknown;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

export interface SignedInCall extends OpenCall {
  readonly actor: Actor;
}

/** A handler's result becomes JSON; undefined becomes 204. */
type Answer = object | undefined | Reply;

export interface AdminEndpoint {
  /** Below `/console/api`. */
  forSessions(parts: AdminParts): Route;
  /** The same below `/admin/v1`, where an admin key may call it. */
  forKeys?(parts: AdminParts): Route;
}

/** For a client that has yet to sign in. */
export function open(
  name: OpenRouteName,
  handle: (call: OpenCall, parts: AdminParts) => Promise<Answer>,
): AdminEndpoint {
  return {
    forSessions: (parts) =>
      routeOf(name, parts, async (exchange, client) => {
        requireKnownHost(exchange, parts.knowsHost);
        if (isTokenCall(exchange)) throw adminOnly();
        requireOwnPage(name, exchange, parts);
        return replyOf(await handle(await callOf(name, exchange, client, parts), parts));
      }),
  };
}

/** For the roles that the role table admits. */
export function signedIn(
  name: SignedInRouteName,
  handle: (call: SignedInCall, parts: AdminParts) => Promise<Answer> | Answer,
): AdminEndpoint {
  const forSessions = (parts: AdminParts): Route =>
    routeOf(name, parts, async (exchange, client) => {
      requireKnownHost(exchange, parts.knowsHost);
      const actor = await actorOf(exchange, client, parts);
      requireOwnPage(name, exchange, parts);
      requireRole(name, actor);
      requireUnrestricted(name, parts.admin.restrictionOf(actor));
      return replyOf(await handle({ ...(await callOf(name, exchange, client, parts)), actor }, parts));
    });
  const forKeys = (parts: AdminParts): Route => {
    const route = routeOf(name, parts, async (exchange, client) => {
      const actor = await keyActorOf(name, exchange, client, parts.admin.keys);
      requireRole(name, actor);
      const call = { ...(await callOf(name, exchange, client, parts)), actor };
      const run = async (): Promise<Reply> => replyOf(await handle(call, parts));
      return writeOnce(call, parts.admin.keys, () => run().catch((error) => route.writeError(error, exchange)), run);
    });
    return { ...route, path: keyPathOf(route.path) };
  };
  return isOpenToKeys(name) ? { forSessions, forKeys } : { forSessions };
}

function routeOf(
  name: AdminRouteName,
  parts: AdminParts,
  answer: (exchange: Exchange, client: Client) => Promise<Reply>,
): Route {
  const [method, path] = name.split(' ') as [Method, string];
  return {
    method,
    path,
    ownPagesOnly: true,
    writeError: (error, exchange) => guarded(errorReply(error, openaiChat, exchange, parts.report)),
    async handle(exchange) {
      const agent = exchange.request.headers.get('user-agent') ?? '';
      return guarded(await answer(exchange, { address: exchange.address(), agent }));
    },
  };
}

function replyOf(given: Answer): Reply {
  if (given instanceof Response) return given;
  return given === undefined ? new Response(null, { status: 204 }) : Response.json(given);
}

const replyHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  // A browser may open the URL itself: nothing in the reply may be executed.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

function guarded(response: Reply): Reply {
  const { headers } = response;
  // A handler may set a stricter policy.
  const policy = headers.get('content-security-policy') ?? replyHeaders['content-security-policy'];
  for (const [name, value] of Object.entries(replyHeaders)) headers.set(name, value);
  headers.set('content-security-policy', policy);
  return response;
}

/** The account of the cookie, if there is one. */
export async function visitorOf(
  { exchange, client }: Pick<OpenCall, 'exchange' | 'client'>,
  { admin, cookieOf }: AdminParts,
): Promise<Actor | undefined> {
  const value = cookieOf(exchange).read(exchange.request.headers);
  return value === undefined ? undefined : await admin.sessions.find(value, client).catch(unreachable);
}

async function actorOf(exchange: Exchange, client: Client, parts: AdminParts): Promise<Actor> {
  const actor = await visitorOf({ exchange, client }, parts);
  if (actor !== undefined) return actor;
  if (isTokenCall(exchange)) throw adminOnly();
  throw new GatewayError('sign_in_required', 'You are not signed in, or your session has expired. Sign in.');
}

function unreachable(cause: unknown): never {
  throw new GatewayError('store_unavailable', 'The session could not be checked: the database is not responding.', {
    cause,
  });
}

const tokenHeaders = ['x-api-key', 'x-goog-api-key'] as const;

/** Whether the token is valid does not matter here, so the reply does not reveal it. */
function isTokenCall({ request: { headers } }: Exchange): boolean {
  return (
    /^\s*bearer\b/i.test(headers.get('authorization') ?? '') || tokenHeaders.some((name) => headers.get(name) !== null)
  );
}

function adminOnly(): GatewayError {
  return new GatewayError('admin_only', 'A model token can’t call the admin API. Sign in instead.');
}

function requireOwnPage(name: AdminRouteName, { request }: Exchange, { publicUrl }: AdminParts): void {
  if (name.startsWith('GET ') || isSameOrigin(request, publicUrl)) return;
  throw new GatewayError('origin_not_allowed', 'This call must come from the console’s own pages.');
}

function requireRole(name: AdminRouteName, { account }: Actor): void {
  const admitted = admittedTo(name);
  if (admitted !== 'public' && !admitted.includes(account.role)) {
    throw new GatewayError('role_not_allowed', `The role ${account.role} is not allowed to do this.`);
  }
}

/** Where the page of this call is: the public URL, or what the browser called. */
export function siteOf({ exchange }: Pick<OpenCall, 'exchange'>, { publicUrl }: AdminParts): Site {
  const { origin, hostname } = new URL(publicUrl ?? exchange.origin());
  return { origin, rpId: hostname };
}

async function callOf(name: AdminRouteName, exchange: Exchange, client: Client, parts: AdminParts): Promise<OpenCall> {
  const takesBody = /^(POST|PUT|PATCH) /.test(name);
  const body = takesBody ? await bodyOf(exchange, parts) : {};
  return { exchange, client, body, query: new URLSearchParams(exchange.query), params: exchange.params };
}

async function bodyOf({ request }: Exchange, { deadlines, bodyTimeoutMs }: AdminParts): Promise<unknown> {
  // A form of another site's page can send other types without a preflight, so only this one is accepted.
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    throw new GatewayError('content_type_unsupported', 'Send the body as application/json.');
  }
  const limits = { bytesMax: accountBounds.bodyBytesMax, timeoutMs: bodyTimeoutMs, deadlines };
  const bytes = await readBody(request, limits);
  return bytes.length === 0 ? {} : readJsonBody(bytes, accountBounds.bodyDepthMax).tree;
}

/** A reply that also sets the session cookie. */
export function withSession(
  opened: OpenedSession,
  body: object,
  { exchange }: Pick<OpenCall, 'exchange'>,
  { cookieOf }: AdminParts,
): Reply {
  // The longest that use can extend a session; the server decides when it ends.
  const setCookie = cookieOf(exchange).write(opened.cookieValue, sessionBounds.totalMs);
  return Response.json(body, { headers: { 'set-cookie': setCookie } });
}

export function withoutSession(
  { exchange }: Pick<OpenCall, 'exchange'>,
  { cookieOf }: AdminParts,
  body?: SignedOutView,
): Reply {
  const headers = { 'set-cookie': cookieOf(exchange).write('', 0) };
  return body === undefined ? new Response(null, { status: 204, headers }) : Response.json(body, { headers });
}
