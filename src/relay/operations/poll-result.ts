/** Polls for a result that the provider makes asynchronously: at the URL and interval it gave, until the timeouts expire. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { LaterReply, OperationName, WireReply } from '../../operations/wire.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { failureOf } from '../attempts/send.ts';
import { readOrFail, unreadableReply } from '../attempts/unreadable-reply.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { OperationLane } from './operation-lane.ts';
import { readWire } from './read-wire.ts';

const waitMsMin = 200;
const waitMsMax = 10_000;

export async function pollResult<Name extends OperationName>(
  parts: RelayParts,
  attempt: Attempt<OperationLane<Name>>,
  first: WireReply,
): Promise<WireReply> {
  const { lane, target } = attempt;
  const next = (reply: WireReply): LaterReply | undefined => {
    try {
      return readOrFail(attempt, () => lane.wire.later?.(reply, lane.asked.request, target.model));
    } catch (cause) {
      throw cause instanceof AttemptFailure ? cause : unreadableReply(attempt, cause);
    }
  };
  let reply = first;
  for (let later = next(reply); later !== undefined; later = next(reply)) {
    if (later.body === undefined) await pause(later.afterMs, attempt);
    reply = await ask(parts, attempt, later);
  }
  return reply;
}

async function ask(parts: RelayParts, attempt: Attempt, later: LaterReply): Promise<WireReply> {
  const { provider } = attempt.target;
  const { url } = later;
  // The poll carries our key, so it is sent to the provider's own hosts only.
  if (!isSibling(url, attempt.lane.url)) {
    const message = `The provider ${provider.name} points to another host for its result.`;
    const error = new GatewayError('upstream_failed', message);
    throw new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined });
  }
  const reply = await exchange(parts, attempt, later);
  const contentType = reply.header('content-type') ?? '';
  // A refused submission is a failure like any first request; a refused result was submitted, and may be billed.
  if (reply.status >= 400 && later.body !== undefined) throw await failureOf(attempt, reply, parts.wallMs());
  if (reply.status >= 400) {
    const message = `The provider ${provider.name} no longer knows the job (${reply.status}).`;
    const error = new GatewayError('upstream_failed', message);
    throw new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined });
  }
  return readWire(parts, reply, contentType, url);
}

async function exchange(parts: RelayParts, attempt: Attempt, { url, body }: LaterReply): Promise<UpstreamReply> {
  const { target, key, signal } = attempt;
  const { provider } = target;
  if (body === undefined) {
    const headers = await parts.authorizer.headersFor(provider, key, { method: 'GET', url });
    return provider.transport({ url, method: 'GET', headers, signal });
  }
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const known = await parts.authorizer.headersFor(provider, key, { method: 'POST', url, body: bytes });
  const headers = { ...known, 'content-type': 'application/json' };
  return provider.transport({ url, method: 'POST', headers, body: bytes, signal });
}

/** Second-level labels under which countries register domains. */
const soldBelow: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org']);

/** The same host, or another one below the same domain: regions of a service have hosts of their own. */
export function isSibling(url: string, base: string): boolean {
  const given = URL.parse(url);
  const own = URL.parse(base);
  if (given === null || own === null || given.protocol !== own.protocol) return false;
  if (given.host === own.host) return true;
  // An IP address has no domain.
  if (own.protocol !== 'https:' || given.port !== own.port || /^[\d.]+$|:/.test(own.hostname)) return false;
  const labels = own.hostname.split('.');
  const kept = soldBelow.has(labels.at(-2) ?? '') ? 3 : 2;
  return labels.length >= kept && given.hostname.endsWith(`.${labels.slice(-kept).join('.')}`);
}

/** Rejects at once where the attempt is abandoned. */
function pause(afterMs: number, { signal }: Attempt): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const listener = {
      handleEvent(): void {
        clearTimeout(timer);
        reject(signal.reason);
      },
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', listener);
        resolve();
      },
      Math.min(Math.max(afterMs, waitMsMin), waitMsMax),
    );
    signal.addEventListener('abort', listener);
  });
}
