/** What calls with an admin key have that those of a session have not: the credential, its place, and writes that are done once. */

import { readCredential } from '../../../access/credential.ts';
import type { Actor, Client } from '../../../admin/accounts/sessions.ts';
import type { AdminKeyParts } from '../../../admin/keys/build-admin-keys.ts';
import type { AdminRouteName } from '../../../admin/role-table.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import type { Exchange } from '../../../http/exchange.ts';
import type { Reply } from '../../../http/reply.ts';

/** `/console/api/tokens` is `/admin/v1/tokens`. */
export const keyPathOf = (path: string): string => path.replace(/^\/console\/api/, '/admin/v1');

export async function keyActorOf(
  name: AdminRouteName,
  exchange: Exchange,
  client: Client,
  keys: Pick<AdminKeyParts, 'callerOf'>,
): Promise<Actor> {
  const secret = credentialOf(exchange);
  try {
    return await keys.callerOf(secret, client, name);
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    const message = 'The admin key could not be checked: the database is not responding.';
    throw new GatewayError('store_unavailable', message, { cause });
  }
}

function credentialOf({ request: { headers } }: Exchange): string {
  try {
    // A key in the URL would be in the logs of proxies.
    return readCredential(headers, '', ['x-api-key']);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'token_missing') throw error;
    const message = 'The call has no admin key. Send `Authorization: Bearer weir_admin_…` or `x-api-key`.';
    throw new GatewayError('admin_key_missing', message);
  }
}

interface Write {
  readonly actor: Actor;
  readonly exchange: Exchange;
  readonly body: unknown;
}

/** `run` alone where the call is no write or has no `Idempotency-Key`; its errors are replies where they are kept. */
export function writeOnce(
  { actor, exchange, body }: Write,
  keys: Pick<AdminKeyParts, 'once'>,
  runWithErrors: () => Promise<Reply>,
  run: () => Promise<Reply>,
): Promise<Reply> {
  const { method, headers } = exchange.request;
  const key = headers.get('idempotency-key');
  if (key === null || method === 'GET' || method === 'HEAD' || actor.key === undefined) return run();
  const request = [method, exchange.path, exchange.query, JSON.stringify(body)];
  return keys.once({ adminKeyId: actor.key.id, key, request }, runWithErrors);
}
