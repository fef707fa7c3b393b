/**
 * `/console/sign-in/{issuer}`: the browser leaves for an issuer and comes back, and the issuer's own call that ends
 * sessions. Every refusal leads to the sign-in page, which explains it.
 */

import type { Client } from '../../admin/accounts/sessions.ts';
import { sessionBounds } from '../../admin/contracts/contract.ts';
import type { SignInRefusalCode } from '../../admin/contracts/sign-in-contract.ts';
import { flowLifetimeMs } from '../../admin/sign-in/flow.ts';
import { refusalOf } from '../../admin/sign-in/refusal.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { type CookieJar, sessionCookie } from '../../http/cookies.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route-table.ts';
import type { AdminParts } from '../admin/admin-route.ts';
import { errorReply } from '../error-reply.ts';
import { requireKnownHost } from '../require-host.ts';

const replyHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
const logoutBodyBytesMax = 65_536;
const returnPathLengthMax = 1_000;

export function issuerRoutes(parts: AdminParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const page = { method: 'GET', ownPagesOnly: true, writeError } as const;
  return [
    { ...page, path: '/console/sign-in/{issuer}', handle: (exchange) => start(exchange, parts) },
    { ...page, path: '/console/sign-in/{issuer}/callback', handle: (exchange) => finish(exchange, parts) },
    {
      method: 'POST',
      path: '/console/sign-in/{issuer}/back-channel-logout',
      ownPagesOnly: true,
      writeError,
      handle: (exchange) => endSessions(exchange, parts),
    },
  ];
}

const clientOf = (exchange: Exchange): Client => ({
  address: exchange.address(),
  agent: exchange.request.headers.get('user-agent') ?? '',
});

/** Only pages of the console: an address that a link names must not lead away. */
function returnPath(wanted: string | null): string {
  const isOwn = wanted !== null && /^\/console(?:[/?]|$)/.test(wanted) && !wanted.startsWith('/console/sign-in');
  return isOwn && wanted.length <= returnPathLengthMax && !/[\p{Cc}\\]/u.test(wanted) ? wanted : '/console';
}

/**
 * A cookie for each sign-in, so that two tabs do not disturb each other. The browser sends it with the issuer's redirect,
 * which is why it is not `Strict` like the session's.
 */
function flowCookie(state: string, exchange: Exchange, { publicUrl }: AdminParts): CookieJar {
  const isSecure = publicUrl?.startsWith('https:') === true || exchange.isSecure();
  return sessionCookie(`weir_sign_in_${state.slice(0, 8)}`, isSecure, 'Lax');
}

async function start(exchange: Exchange, parts: AdminParts): Promise<Response> {
  requireKnownHost(exchange, parts.knowsHost);
  const name = exchange.params['issuer'] ?? '';
  const to = returnPath(new URLSearchParams(exchange.query).get('to'));
  const base = parts.publicUrl ?? exchange.origin();
  const started = await parts.admin.issuers.start(name, base, to);
  if ('refusal' in started) return refused(started.refusal, name, to);
  const cookie = flowCookie(started.state, exchange, parts).write(started.sealed, flowLifetimeMs);
  return redirect(started.url, [cookie]);
}

async function finish(exchange: Exchange, parts: AdminParts): Promise<Response> {
  requireKnownHost(exchange, parts.knowsHost);
  const name = exchange.params['issuer'] ?? '';
  const parameters = new URLSearchParams(exchange.query);
  const state = parameters.get('state') ?? '';
  const isState = /^[\w-]{20,200}$/.test(state);
  const jar = flowCookie(isState ? state : '', exchange, parts);
  const finished = await parts.admin.issuers.finish(name, {
    parameters,
    sealedOf: () => (isState ? jar.read(exchange.request.headers) : undefined),
    client: clientOf(exchange),
  });
  const forget = isState ? [jar.write('', 0)] : [];
  if ('refusal' in finished) return refused(finished.refusal, name, finished.to, forget);
  const cookie = parts.cookieOf(exchange).write(finished.opened.cookieValue, sessionBounds.totalMs);
  return redirect(finished.to, [cookie, ...forget]);
}

/** The issuer's server calls this, so there is no page and no cookie: the signed token alone counts. */
async function endSessions(exchange: Exchange, parts: AdminParts): Promise<Response> {
  const { deadlines, bodyTimeoutMs, admin } = parts;
  const bounds = { bytesMax: logoutBodyBytesMax, timeoutMs: bodyTimeoutMs, deadlines };
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(exchange.request, bounds)));
  try {
    const token = form.get('logout_token') ?? '';
    await admin.issuers.backChannelLogout(exchange.params['issuer'] ?? '', token, clientOf(exchange));
    return new Response(null, { status: 200, headers: replyHeaders });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.code === 'failed') throw error;
    const body = { error: 'invalid_request', error_description: `${refusal.code}: ${refusal.message}` };
    return Response.json(body, { status: 400, headers: replyHeaders });
  }
}

function refused(code: SignInRefusalCode, issuer: string, to = '/console', cookies: readonly string[] = []): Response {
  const query = new URLSearchParams({ refused: code, issuer: issuer.slice(0, 40) });
  if (to !== '/console') query.set('to', to);
  return redirect(`/console/sign-in?${query}`, cookies);
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...replyHeaders, location });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
