/** Opens the connection to a provider before the client's handshake is answered: until then another one may be tried. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { readFault } from '../formats/openai-chat/errors.ts';
import { socketAddress } from '../formats/openai-realtime/handshake.ts';
import { operationPlace } from '../providers/operation-places.ts';
import { scrubberOf } from '../providers/sign/provider-scrubber.ts';
import { type Candidate, CandidateWalk } from '../relay/attempts/candidate-walk.ts';
import { attemptError } from '../relay/attempts/request-error.ts';
import type { Target } from '../routing/catalogue.ts';
import type { ProviderKey } from '../settings/config.ts';
import { Cancellation } from '../upstream/cancellation.ts';
import { AttemptFailure, type Verdict, verdictOfStatus, verdictOfThrow } from '../upstream/faults/verdict.ts';
import { type SocketListener, SocketRefusedError, type UpstreamSocket } from '../upstream/socket-transport.ts';
import type { LiveParts } from './live-parts.ts';
import type { TurnLedger } from './turn-ledger.ts';

interface ConnectRequest {
  readonly requestId: string;
  readonly targets: readonly Target[];
  readonly headers: Readonly<Record<string, string>>;
  readonly transcribes: boolean;
  /** Ends the search when the client goes away. */
  readonly leaving: AbortSignal;
}

interface Connected {
  readonly upstream: UpstreamSocket;
  readonly target: Target;
  readonly key: ProviderKey;
  /** Passes events of the connection to the listener, including an earlier close. */
  listen(listener: SocketListener): void;
}

export async function connectLive(parts: LiveParts, ledger: TurnLedger, request: ConnectRequest): Promise<Connected> {
  const { targets, leaving } = request;
  const walker = {
    // No model was called yet: no failure can have been billed.
    repeatable: true,
    startedAtMs: parts.nowMs(),
    hasLeft: () => leaving.aborted,
  };
  const walk = new CandidateWalk(parts, targets, walker, []);
  let attempts = 0;
  try {
    for (;;) {
      const candidate = await walk.next();
      const result = await tryOne(parts, ledger, request, candidate, ++attempts).catch((error: unknown) => {
        walk.unused(candidate);
        throw error;
      });
      if (!('kind' in result)) return result;
      walk.failed(candidate, result);
    }
  } catch (error) {
    ledger.refuse(error, attempts);
    throw error;
  }
}

async function tryOne(
  parts: LiveParts,
  ledger: TurnLedger,
  request: ConnectRequest,
  { target, key, targetTurn, keyTurn }: Candidate,
  ordinal: number,
): Promise<Connected | Verdict> {
  const { provider } = target;
  await ledger.openFirst(target, key.id, ordinal);
  target.health.begin();
  const signal = new Cancellation();
  const leave = () => signal.abort(over('client_left', 'The client left.'));
  const timer = setTimeout(() => signal.abort(late(parts, target)), parts.clocks.connectTimeoutMs);
  request.leaving.addEventListener('abort', leave);
  const early = new EarlyListener();
  try {
    if (request.leaving.aborted) leave();
    if (provider.sockets === undefined) throw new Error(`${provider.name} has no sockets.`);
    const place = operationPlace(provider, 'converse-live', target.model);
    const url = socketAddress(place, target.model, request.transcribes);
    const given = await parts.authorizer.headersFor(provider, key, { method: 'GET', url: place });
    const headers = { ...given, 'user-agent': 'weir', ...request.headers };
    const messageBytesMax = parts.limits.streamEventBytesMax;
    const upstream = await provider.sockets({ url, headers, protocols: [], messageBytesMax, signal }, early);
    target.health.succeeded(targetTurn, parts.nowMs());
    parts.keys.served(target, key, keyTurn, parts.nowMs());
    return { upstream, target, key, listen: (listener) => early.handOver(listener) };
  } catch (thrown) {
    const verdict = certain(verdictOf(parts, target, signal.aborted ? signal.reason : thrown));
    const own = { requestId: request.requestId, attempt: ordinal, atMs: parts.wallMs() };
    const status = thrown instanceof SocketRefusedError ? thrown.status : undefined;
    const error = attemptError({ ...own, provider: provider.name, keyId: key.id }, verdict, status);
    await ledger.releaseFirst(verdict.kind, error);
    if (verdict.kind !== 'limit' || verdict.error.code === 'gateway_overloaded') {
      const details = { provider: provider.name, code: verdict.error.code, cause: thrown };
      parts.warn('A live connection was not opened.', details);
      parts.ledger.recordError(error);
    }
    return verdict;
  } finally {
    clearTimeout(timer);
    target.health.end();
    request.leaving.removeEventListener('abort', leave);
  }
}

function verdictOf(parts: LiveParts, { provider }: Target, thrown: unknown): Verdict {
  if (!(thrown instanceof SocketRefusedError)) return verdictOfThrow(thrown, provider.name);
  return verdictOfStatus({
    status: thrown.status,
    fault: readFault(thrown.body),
    retryAfter: thrown.retryAfter,
    provider: provider.name,
    scrub: scrubberOf(provider),
    nowMs: parts.wallMs(),
  });
}

/** No model was called yet, so nothing can have been billed: another provider may be tried as if this one were down. */
function certain(verdict: Verdict): Verdict {
  return verdict.kind === 'uncertain' ? { ...verdict, kind: 'target-down' } : verdict;
}

function over(code: 'client_left', message: string): AttemptFailure {
  return new AttemptFailure({ kind: 'limit', error: new GatewayError(code, message), retryAfterMs: undefined });
}

function late({ clocks }: LiveParts, { provider }: Target): AttemptFailure {
  const message = `The provider ${provider.name} did not open the connection within ${clocks.connectTimeoutMs} ms.`;
  const error = new GatewayError('upstream_timeout', message);
  return new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined });
}

/** The provider's connection opens before the client's: the only event in between is that it closed. */
class EarlyListener implements SocketListener {
  #listener: SocketListener | undefined;
  #end: { readonly code: number; readonly reason: string } | undefined;

  handOver(listener: SocketListener): void {
    this.#listener = listener;
    if (this.#end !== undefined) listener.closed(this.#end.code, this.#end.reason);
  }

  message(message: string | Uint8Array): void {
    this.#listener?.message(message);
  }

  drained(): void {
    this.#listener?.drained();
  }

  closed(code: number, reason: string): void {
    this.#end = { code, reason };
    this.#listener?.closed(code, reason);
  }
}
