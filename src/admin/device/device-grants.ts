/** What programs do with a sign-in: ask for a code, poll, renew and revoke (RFC 8628, RFC 6749 section 6, RFC 7009). */

import type { AccountRecord } from '../../access/account.ts';
import type { Digests } from '../../secrets/digests.ts';
import { findClient, unnamedClientId } from '../../settings/sign-in-clients.ts';
import type { SignInTryStore } from '../../store/accounts/account-store.ts';
import type { DeviceSignInStore, KnownSignInRow, SignInRow } from '../../store/device/sign-in-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Client } from '../accounts/sessions.ts';
import { deviceBounds } from '../contracts/device-contract.ts';
import {
  newDeviceCode,
  newRefreshSecret,
  newUserCode,
  type RefreshSecret,
  readRefreshToken,
  refreshToken,
} from './codes.ts';
import { OAuthError } from './oauth-error.ts';
import type { SignInTokens } from './sign-in-tokens.ts';

export interface DeviceGrantOptions {
  readonly signIns: DeviceSignInStore;
  readonly tokens: SignInTokens;
  readonly digests: Digests;
  readonly tries: SignInTryStore;
  readonly audit: Audit;
  readonly accountOf: (id: string) => Promise<AccountRecord | undefined>;
  readonly networkOf: (address: string) => string;
  readonly clients: () => readonly string[] | undefined;
  readonly idleDays: () => number;
  readonly nowMs: () => number;
}

interface BegunSignIn {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresInMs: number;
  readonly intervalMs: number;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInMs: number;
}

/** An absent client id is that of the one program that sends none. */
type ClientId = string | undefined;

/** Faults are OAuthErrors. */
export interface DeviceGrants {
  begin(clientId: ClientId, client: Client): Promise<BegunSignIn>;
  redeem(deviceCode: string, clientId: ClientId, client: Client): Promise<IssuedTokens>;
  refresh(token: string, clientId: ClientId, client: Client): Promise<IssuedTokens>;
  /** Ends the sign-in of an access token or a refresh token; what is unknown is no error. */
  revoke(token: string, clientId: ClientId, client: Client): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1_000;
const insertTriesMax = 5;

/** A viewer only looks, and must not cost anything. */
const maySignIn = (account: AccountRecord | undefined): account is AccountRecord =>
  account !== undefined && account.disabledAtMs === undefined && account.role !== 'viewer';

export function createDeviceGrants(options: DeviceGrantOptions): DeviceGrants {
  const { signIns, tokens, digests, nowMs } = options;

  const digestsOf = ({ family, secret }: RefreshSecret) => ({
    family: digests.of(family),
    refresh: digests.of(secret),
  });
  const idleEndMs = (): number => nowMs() + options.idleDays() * dayMs;

  /** The program did it, in the name of the account that signed it in. */
  async function end(row: SignInRow, reason: string, client: Client): Promise<void> {
    const isEnded = await signIns.end(row.id);
    if (row.tokenId !== undefined) await tokens.revoke(row.tokenId);
    if (!isEnded) return;
    const account = row.accountId === undefined ? undefined : await options.accountOf(row.accountId);
    const doer = { accountName: account?.name ?? '', ...(account && { accountId: account.id }), client };
    const detail = { client: row.clientId, reason };
    await options.audit.write(doer, { action: 'program-sign-out', subject: `program:${row.id}`, detail });
  }

  async function issue(row: SignInRow, next: RefreshSecret, account: AccountRecord): Promise<IssuedTokens | undefined> {
    const access = row.tokenId === undefined ? undefined : await tokens.renew(row.tokenId, account);
    if (access === undefined) return undefined;
    return { accessToken: access.secret, refreshToken: refreshToken(next), expiresInMs: access.expiresInMs };
  }

  const accountOf = async ({ accountId }: SignInRow): Promise<AccountRecord | undefined> =>
    accountId === undefined ? undefined : options.accountOf(accountId);

  async function pollPending(row: KnownSignInRow): Promise<never> {
    const atMs = nowMs();
    const isEarly = atMs - row.polledAtMs < row.intervalMs - deviceBounds.intervalSlackMs;
    const intervalMs = isEarly ? row.intervalMs + deviceBounds.slowDownMs : row.intervalMs;
    const isAlone = await signIns.poll(row.id, row.polledAtMs, atMs, intervalMs);
    if (isEarly || !isAlone) {
      throw new OAuthError('slow_down', `wait ${intervalMs / 1_000} seconds between two requests`);
    }
    throw new OAuthError('authorization_pending', 'the person has not answered yet');
  }

  return {
    async begin(clientId = unnamedClientId, client) {
      if (findClient(clientId, options.clients()) === undefined) {
        throw new OAuthError('invalid_client', 'unknown client_id; the operator lists clients in sign_in.clients');
      }
      const atMs = nowMs();
      const scope = `device:${options.networkOf(client.address)}`;
      const counted = await options.tries.count(scope, atMs, deviceBounds.windowMs);
      if (counted.tries > deviceBounds.requestsPerNetworkMax) {
        const retryAfterMs = counted.startedAtMs + deviceBounds.windowMs - atMs;
        throw new OAuthError('slow_down', 'too many codes were requested; try again later', {
          status: 429,
          retryAfterMs,
        });
      }
      const deviceCode = newDeviceCode();
      for (let tries = 0; tries < insertTriesMax; tries++) {
        const userCode = newUserCode();
        const row = {
          id: `sgn_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`,
          clientId,
          state: 'pending' as const,
          deviceDigest: digests.of(deviceCode),
          userDigest: digests.of(userCode),
          address: client.address,
          agent: client.agent,
          createdAtMs: atMs,
          polledAtMs: 0,
          intervalMs: deviceBounds.intervalMs,
          refreshedAtMs: 0,
          expiresAtMs: atMs + deviceBounds.codeLifetimeMs,
        };
        const outcome = await signIns.insert(row, deviceBounds.pendingMax);
        if (outcome === 'inserted') {
          const { codeLifetimeMs: expiresInMs, intervalMs } = deviceBounds;
          return { deviceCode, userCode, expiresInMs, intervalMs };
        }
      }
      throw new OAuthError('temporarily_unavailable', 'no code is free; try again later');
    },
    async redeem(deviceCode, clientId, client) {
      const row = (await digests.find(deviceCode, (digest) => signIns.byDeviceDigest(digest)))?.found;
      if (row === undefined) throw new OAuthError('invalid_grant', 'the device code is unknown');
      requireClient(row, clientId);
      if (row.state === 'denied') throw new OAuthError('access_denied', 'the person denied the request');
      if (row.state === 'active' || row.state === 'ended') {
        throw new OAuthError('invalid_grant', 'the device code was already used');
      }
      if (row.expiresAtMs <= nowMs()) throw new OAuthError('expired_token', 'the device code expired; start again');
      if (row.state === 'pending') return pollPending(row);
      const account = await accountOf(row);
      if (!maySignIn(account)) {
        await end(row, 'account', client);
        throw new OAuthError('access_denied', 'the account is disabled or may not use models');
      }
      const next = newRefreshSecret();
      if (!(await signIns.redeem(row.id, digestsOf(next), nowMs(), idleEndMs()))) {
        throw new OAuthError('invalid_grant', 'the device code was already used');
      }
      const issued = await issue(row, next, account);
      if (issued !== undefined) return issued;
      await end(row, 'token', client);
      throw new OAuthError('access_denied', 'the token of this sign-in was revoked');
    },
    async refresh(token, clientId, client) {
      const given = readRefreshToken(token);
      const row = given && (await digests.find(given.family, (digest) => signIns.byFamilyDigest(digest)))?.found;
      if (given === undefined || row === undefined || row.state !== 'active' || row.expiresAtMs <= nowMs()) {
        throw new OAuthError('invalid_grant', 'the refresh token is unknown, expired or revoked; sign in again');
      }
      requireClient(row, clientId);
      const used = row.refreshDigest ?? '';
      const isNewest = await digests.find(given.secret, async (digest) => (digest === used ? true : undefined));
      const next = newRefreshSecret(given.family);
      if (!isNewest || !(await signIns.refresh(row.id, used, digestsOf(next), nowMs(), idleEndMs()))) {
        // One of the two holders is not the program that signed in, and nothing tells which.
        await end(row, 'reuse', client);
        throw new OAuthError(
          'invalid_grant',
          'the refresh token was used before, so the sign-in has ended; sign in again',
        );
      }
      const account = await accountOf(row);
      const issued = maySignIn(account) ? await issue(row, next, account) : undefined;
      if (issued !== undefined) return issued;
      await end(row, maySignIn(account) ? 'token' : 'account', client);
      throw new OAuthError('invalid_grant', 'the account or its token was disabled, so the sign-in has ended');
    },
    async revoke(token, clientId, client) {
      const row = await rowOf(token, options);
      if (row === undefined) return;
      if (clientId !== undefined) requireClient(row, clientId);
      await end(row, 'revoked', client);
    },
  };
}

/** By the refresh token, by any older one of the same sign-in, or by the access token. */
async function rowOf(
  token: string,
  { digests, signIns, tokens }: Pick<DeviceGrantOptions, 'digests' | 'signIns' | 'tokens'>,
): Promise<SignInRow | undefined> {
  const given = readRefreshToken(token);
  if (given !== undefined) {
    return (await digests.find(given.family, (digest) => signIns.byFamilyDigest(digest)))?.found;
  }
  const record = await tokens.find(token);
  return record === undefined ? undefined : signIns.byTokenId(record.id);
}

/** A code belongs to the client that asked for it. Only one client may leave its id out. */
function requireClient(row: SignInRow, clientId: ClientId): void {
  if (clientId === undefined && row.clientId !== unnamedClientId) {
    throw new OAuthError('invalid_request', 'client_id is missing');
  }
  if (clientId !== undefined && clientId !== row.clientId) {
    throw new OAuthError('invalid_grant', 'the code or token belongs to another client');
  }
}
