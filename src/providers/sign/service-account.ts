/** Trades a service account's key for access tokens: one exchange for all who wait, kept until shortly before it expires. */

import { sign } from 'node:crypto';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { createScrubber, type Scrubber } from '../../secrets/scrubber.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { AttemptFailure, type VerdictKind } from '../../upstream/faults/verdict.ts';
import type { Transport } from '../../upstream/transport.ts';
import { readServiceAccount, type ServiceAccount } from '../key-forms.ts';
import { noteIssued } from './provider-scrubber.ts';

export interface TokenSourceParts {
  /** The wall clock: an assertion has its time of issue. */
  nowMs(): number;
}

/** Whose token it is. Its issuer is reached through the same egress as the provider. */
interface TokenUser {
  readonly name: string;
  readonly transport: Transport;
}

interface TokenSource {
  /** At once where a token is at hand. Rejects with an AttemptFailure that says why there is none. */
  tokenFor(key: ProviderKey, scope: string, provider: TokenUser): string | Promise<string>;
}

interface Held {
  readonly token: string;
  readonly freshUntilMs: number;
}

interface Slot {
  held?: Held;
  pending?: Promise<string>;
}

const exchangeTimeoutMs = 10_000;
const saidMax = 500;
const pemLineMin = 16;
const replyBytesMax = 65_536;
const assertionSeconds = 3_600;
/** A token is not used in its last minutes: it must outlive the request that carries it. */
const marginMs = 120_000;
/** What the other side means by a token without a lifetime. */
const usualSeconds = 3_600;

export function createTokenSource(parts: TokenSourceParts): TokenSource {
  const slots = new WeakMap<ProviderKey, Slot>();

  async function exchange(slot: Slot, key: ProviderKey, scope: string, provider: TokenUser): Promise<string> {
    const account = readServiceAccount(key.value);
    if (account === undefined) throw failure(provider.name, 'key-dead', 'the key is not that of a service account');
    const askedMs = parts.nowMs();
    const { token, lifetimeMs } = await askForToken(provider, account, scope, askedMs);
    noteIssued(key, token);
    slot.held = { token, freshUntilMs: askedMs + Math.max(lifetimeMs - marginMs, 0) };
    return token;
  }

  return {
    tokenFor(key, scope, provider) {
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = {};
        slots.set(key, slot);
      }
      const { held } = slot;
      if (held !== undefined && parts.nowMs() < held.freshUntilMs) return held.token;
      const mine = slot;
      slot.pending ??= exchange(slot, key, scope, provider).finally(() => {
        delete mine.pending;
      });
      return slot.pending;
    },
  };
}

async function askForToken(
  { name: provider, transport }: TokenUser,
  account: ServiceAccount,
  scope: string,
  nowMs: number,
): Promise<{ token: string; lifetimeMs: number }> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertionOf(account, scope, provider, nowMs),
  });
  let status: number;
  let text: string;
  try {
    const reply = await transport({
      url: account.tokenUrl,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': 'weir',
      },
      body: form.toString(),
      signal: AbortSignal.timeout(exchangeTimeoutMs),
    });
    status = reply.status;
    text = Buffer.from(await reply.whole(replyBytesMax)).toString('utf8');
  } catch (cause) {
    // The model's own URL has received nothing yet, so another candidate may be tried.
    throw failure(provider, 'target-down', 'the token server could not be reached', cause);
  }
  const reply = readReply(text);
  const token = reply?.['access_token'];
  if (status === 200 && typeof token === 'string' && token !== '') {
    const seconds = Number(reply?.['expires_in'] ?? usualSeconds);
    return { token, lifetimeMs: (Number.isFinite(seconds) ? seconds : usualSeconds) * 1000 };
  }
  const refused = status >= 400 && status < 500 && status !== 429 && status !== 408;
  const said = [reply?.['error'], reply?.['error_description']].filter((word) => typeof word === 'string').join(': ');
  const why = `the token server answered ${status}${said === '' ? '' : ` (${scrubberOfKey(account)(said).slice(0, saidMax)})`}`;
  throw failure(provider, refused ? 'key-dead' : 'target-down', why);
}

/** Line by line: the words of its first and last line are no secret. */
function scrubberOfKey({ privateKey }: ServiceAccount): Scrubber {
  return createScrubber(privateKey.split(/\s+/).filter((line) => line.length >= pemLineMin));
}

/** A signed statement of who we are and what for, good for an hour and for this token server only. */
function assertionOf(account: ServiceAccount, scope: string, provider: string, nowMs: number): string {
  const { email, privateKey, privateKeyId, tokenUrl } = account;
  const issuedAt = Math.floor(nowMs / 1000);
  const head = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) };
  const claims = { iss: email, scope, aud: tokenUrl, iat: issuedAt, exp: issuedAt + assertionSeconds };
  const statement = `${encoded(head)}.${encoded(claims)}`;
  try {
    return `${statement}.${sign('sha256', Buffer.from(statement), privateKey).toString('base64url')}`;
  } catch {
    // The cause is left out: it may quote the key.
    throw failure(provider, 'key-dead', 'the private key of the service account cannot be read');
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function readReply(text: string): Record<string, unknown> | undefined {
  try {
    const tree: unknown = JSON.parse(text);
    return isObject(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

function failure(provider: string, kind: VerdictKind, why: string, cause?: unknown): AttemptFailure {
  const message = `No access token for the provider ${provider}: ${why}.`;
  const error = new GatewayError('provider_unavailable', message, cause === undefined ? {} : { cause });
  return new AttemptFailure({ kind, error, retryAfterMs: undefined });
}
