/** What every OAuth endpoint has in common: a form as body, errors as RFC 6749 writes them, replies that are not cached. */

import type { Client } from '../../admin/accounts/sessions.ts';
import { deviceBounds } from '../../admin/contracts/device-contract.ts';
import type { DeviceGrants } from '../../admin/device/device-grants.ts';
import { OAuthError } from '../../admin/device/oauth-error.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route-table.ts';
import type { AdminParts } from '../admin/admin-route.ts';
import type { Report } from '../error-reply.ts';
import { requireKnownHost } from '../require-host.ts';

export interface OAuthParts
  extends Pick<AdminParts, 'knowsHost' | 'publicUrl' | 'report' | 'deadlines' | 'bodyTimeoutMs'> {
  readonly admin: { readonly devices: DeviceGrants };
}

interface OAuthCall {
  readonly form: ReadonlyMap<string, string>;
  readonly client: Client;
  /** Scheme and host under which programs reach this Weir. */
  readonly base: string;
}

const headers = { 'cache-control': 'no-store', pragma: 'no-cache', 'x-content-type-options': 'nosniff' } as const;

export const oauthReply = (body: object, status = 200, more: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { ...headers, ...more } });

/**
 * Only a trusted name of this host is repeated, because programs send their codes to the URLs of the reply. `https` is believed
 * of any proxy, also of one that is not configured: it can only make the reply's URLs stricter, for this caller alone.
 */
export function baseOf(
  exchange: Exchange,
  { knowsHost, publicUrl }: Pick<OAuthParts, 'knowsHost' | 'publicUrl'>,
): string {
  requireKnownHost(exchange, knowsHost);
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const isHttps = exchange.request.headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase() === 'https';
  return isHttps ? exchange.origin().replace(/^http:/, 'https:') : exchange.origin();
}

export function oauthPost(path: string, parts: OAuthParts, answer: (call: OAuthCall) => Promise<Response>): Route {
  return {
    method: 'POST',
    path,
    unrecorded: true,
    writeError: (error) => oauthError(error, parts.report),
    async handle(exchange) {
      const base = baseOf(exchange, parts);
      const agent = exchange.request.headers.get('user-agent') ?? '';
      return answer({ form: await formOf(exchange, parts), client: { address: exchange.address(), agent }, base });
    },
  };
}

/** A parameter that occurs twice is a fault (RFC 6749 section 3.2); one without a value counts as absent. */
async function formOf({ request }: Exchange, parts: OAuthParts): Promise<ReadonlyMap<string, string>> {
  const { deadlines, bodyTimeoutMs: timeoutMs } = parts;
  const bytes = await readBody(request, { bytesMax: deviceBounds.formBytesMax, timeoutMs, deadlines });
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (bytes.length > 0 && type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'Send the body as application/x-www-form-urlencoded.');
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (value === '') continue;
    if (form.has(name)) throw new OAuthError('invalid_request', `${name.slice(0, 50)} occurs more than once.`);
    form.set(name, value);
  }
  return form;
}

export function needed(form: OAuthCall['form'], name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

export function oauthError(thrown: unknown, report: Report): Response {
  if (thrown instanceof OAuthError) {
    const { code, status, message, retryAfterMs } = thrown;
    const wait = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
    return oauthReply({ error: code, error_description: message }, status, wait);
  }
  if (thrown instanceof GatewayError && thrown.status < 500) {
    return oauthReply({ error: 'invalid_request', error_description: thrown.message }, thrown.status);
  }
  report('A sign-in of a program failed inside Weir.', { cause: thrown });
  return oauthReply({ error: 'temporarily_unavailable', error_description: 'Try again later.' }, 503);
}
