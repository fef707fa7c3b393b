/** A reply with status 200 that cannot be used: a provider's error in it is treated as one with an error status. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import {
  AttemptFailure,
  scrubFault,
  statusOfWords,
  verdictOfStatus,
  verdictOfThrow,
} from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Attempt } from './attempt.ts';

/** A longer body is not read as an error. */
const errorBodyBytesMax = 65_536;

type FailedAttempt = Pick<Attempt, 'target'> & {
  readonly lane: Pick<Lane, 'readFault'> & { readonly providerFormat?: string };
};

/** Called only where reading the reply failed: good replies pay nothing for it. */
export function notAReply(
  parts: Pick<RelayParts, 'wallMs'>,
  attempt: FailedAttempt,
  upstream: Pick<UpstreamReply, 'header'>,
  { bytes, cause }: { readonly bytes: Uint8Array; readonly cause: unknown },
): AttemptFailure {
  if (bytes.length > errorBodyBytesMax) return unreadableReply(attempt, cause);
  const fault = attempt.lane.readFault(new TextDecoder().decode(bytes));
  if (fault === undefined)
    return cause instanceof GatewayError ? failed(attempt, cause) : unreadableReply(attempt, cause);
  const { target } = attempt;
  const scrub = scrubberOf(target.provider);
  const header = (name: string): string | undefined => upstream.header(name);
  const status = statusOfWords({ fault, header });
  if (status === undefined) {
    const failure = unreadableReply(attempt, cause, scrubFault(fault, scrub).message);
    // An object that says nothing is no error either.
    return fault.message === '' && fault.type === undefined && fault.code === undefined ? failure : reported(failure);
  }
  const retryAfter = upstream.header('retry-after') ?? null;
  const provider = target.provider.name;
  const { providerFormat: speaks } = attempt.lane;
  const words = { status, fault, retryAfter, provider, scrub, nowMs: parts.wallMs(), header };
  // Without the status: after a 200 without a reply another candidate may be tried, whatever the error.
  return new AttemptFailure(verdictOfStatus(speaks === undefined ? words : { ...words, speaks }));
}

/** A well-formed reply that reports a failure. */
function failed({ target }: Pick<Attempt, 'target'>, cause: GatewayError): AttemptFailure {
  const { message, type, code } = scrubFault(
    { message: cause.message, type: cause.providerType, code: cause.providerCode, param: undefined },
    scrubberOf(target.provider),
  );
  const error = new GatewayError(cause.code, message, { providerType: type, providerCode: code, cause });
  return new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined, again: true, answered: true });
}

/** A reply that could be read, and is the provider's own error. */
function reported({ verdict }: AttemptFailure): AttemptFailure {
  return new AttemptFailure({ ...verdict, answered: true });
}

/** Reads a reply: an error that its reader found in it is the provider's own, anything else means that it is no reply. */
export function readOrFail<Value>({ target }: Pick<Attempt, 'target'>, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof GatewayError
      ? reported(new AttemptFailure(verdictOfThrow(cause, target.provider.name)))
      : cause;
  }
}

export function unreadableReply(attempt: Pick<Attempt, 'target'>, cause: unknown, detail = ''): AttemptFailure {
  const { name } = attempt.target.provider;
  const message =
    detail === ''
      ? `The provider ${name} answered with something that is not a reply.`
      : `The provider ${name} failed (200): ${detail}`;
  const error = new GatewayError('upstream_failed', message, { cause });
  return new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined });
}
