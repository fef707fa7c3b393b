/** Who calls with an admin key: an actor as a session gives one, checked again at every call. */

import { compileNetworks } from '../../access/address.ts';
import { createSlidingWindow, type SlidingWindow } from '../../access/sliding-window.ts';
import { isAdminKey } from '../../access/token-format.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { AdminKeyRecord, AdminKeyStore } from '../../store/admin-keys/admin-key-store.ts';
import type { Actor, Client } from '../accounts/sessions.ts';
import { adminKeyBounds } from '../contracts/admin-key-contract.ts';
import type { AdminRouteName } from '../role-table.ts';
import { type KeyRights, rightsOf } from './key-rights.ts';
import { includesScope, scopeOf } from './scopes.ts';

interface KeyCallersOptions {
  readonly table: AdminKeyStore;
  readonly digests: Digests;
  readonly rights: Parameters<typeof rightsOf>[1];
  /** Requests per minute of one key; may change while Weir runs. */
  readonly rpm: () => number;
  readonly nowMs: () => number;
}

export interface KeyCallers {
  /** Throws where the key may not make this call. */
  callerOf(secret: string, client: Client, name: AdminRouteName): Promise<Actor>;
  /** Forgets the counts of keys that are not used. */
  tidy(): void;
}

export function createKeyCallers(options: KeyCallersOptions): KeyCallers {
  const { table, digests, nowMs } = options;
  const windows = new Map<string, SlidingWindow>();

  async function recordOf(secret: string): Promise<AdminKeyRecord> {
    const match = isAdminKey(secret) ? await digests.find(secret, (digest) => table.byDigest(digest)) : undefined;
    if (match === undefined) {
      throw new GatewayError(
        'admin_key_invalid',
        'This is not an admin key of this Weir. Check that you pasted all of it.',
      );
    }
    const { found, olderDigest } = match;
    if (olderDigest !== undefined) await table.moveDigest(olderDigest, digests.of(secret));
    return found;
  }

  function countCall(keyId: string): void {
    const window = windows.get(keyId) ?? createSlidingWindow();
    windows.set(keyId, window);
    const [atMs, limit] = [nowMs(), options.rpm()];
    if (window.used(atMs) + 1 > limit) {
      const message = `This admin key reached its limit of ${limit} requests per minute.`;
      throw new GatewayError('rate_limited', message, { retryAfterMs: window.waitMs(atMs, 1, limit) });
    }
    window.add(atMs, 1);
  }

  /** Written at most once a minute. */
  async function seen({ id, lastUsedAtMs = 0 }: AdminKeyRecord): Promise<void> {
    const atMs = nowMs();
    if (atMs - lastUsedAtMs >= adminKeyBounds.touchEveryMs) await table.use(id, atMs);
  }

  return {
    async callerOf(secret, client, name) {
      const record = await recordOf(secret);
      requireWorking(record, client, nowMs());
      countCall(record.id);
      const rights = await rightsOf(record, options.rights);
      const needed = scopeOf(name);
      if (!includesScope(record.scopes, needed)) {
        throw new GatewayError('admin_key_scope', `This admin key does not have the scope ${needed}.`);
      }
      await seen(record);
      return actorOf(record, rights, client);
    },
    tidy() {
      for (const [id, window] of windows) if (window.used(nowMs()) === 0) windows.delete(id);
    },
  };
}

function requireWorking({ revokedAtMs, expiresAtMs, networks }: AdminKeyRecord, client: Client, atMs: number): void {
  if (revokedAtMs !== undefined) throw new GatewayError('admin_key_revoked', 'This admin key was revoked.');
  if (expiresAtMs !== undefined && expiresAtMs <= atMs) {
    const at = new Date(expiresAtMs).toISOString();
    throw new GatewayError('admin_key_expired', `This admin key expired at ${at}. Create a new one.`);
  }
  if (networks !== undefined && !compileNetworks(networks)(client.address)) {
    throw new GatewayError('address_not_allowed', 'This admin key is not allowed from this IP address.');
  }
}

/** What a handler sees of a session is made of the key, so that no handler needs to know the difference. */
function actorOf(record: AdminKeyRecord, { creator, role, team }: KeyRights, client: Client): Actor {
  const { id, name, createdAtMs, expiresAtMs = Number.MAX_SAFE_INTEGER } = record;
  return {
    account: { ...creator, role },
    session: {
      ...{ id, accountId: creator.id, createdAtMs, lastSeenAtMs: createdAtMs, expiresAtMs },
      ...{ address: client.address, agent: client.agent, isFederated: true },
    },
    client,
    key: { id, name, ...(team !== undefined && { team }) },
  };
}
