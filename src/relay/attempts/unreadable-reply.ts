/** A reply of 200 that is none: where it is a provider's error its words decide, as they would with an error's status. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import { AttemptFailure, scrubFault, statusOfWords, verdictOfStatus } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Attempt } from './attempt.ts';

/** No error is longer than this; what is was meant to be something else. */
const errorBodyBytesMax = 65_536;

type FailedAttempt = Pick<Attempt, 'target'> & {
  readonly lane: Pick<Lane, 'readFault'> & { readonly speaks?: string };
};

/** Looked at only where reading the reply failed, so that good replies pay nothing for it. */
export function noReply(
  parts: Pick<RelayParts, 'wallMs'>,
  attempt: FailedAttempt,
  upstream: Pick<UpstreamReply, 'header'>,
  { bytes, cause }: { readonly bytes: Uint8Array; readonly cause: unknown },
): AttemptFailure {
  if (bytes.length > errorBodyBytesMax) return unreadable(attempt, cause);
  const fault = attempt.lane.readFault(new TextDecoder().decode(bytes));
  if (fault === undefined) return cause instanceof GatewayError ? failed(attempt, cause) : unreadable(attempt, cause);
  const { target } = attempt;
  const scrub = scrubberOf(target.provider);
  const header = (name: string): string | undefined => upstream.header(name);
  const status = statusOfWords({ fault, header });
  if (status === undefined) return unreadable(attempt, cause, scrubFault(fault, scrub).message);
  const retryAfter = upstream.header('retry-after') ?? null;
  const provider = target.provider.name;
  const { speaks } = attempt.lane;
  const words = { status, fault, retryAfter, provider, scrub, nowMs: parts.wallMs(), header };
  // Without the status: a head of 200 with nothing behind it lets another one be asked, whatever went wrong there.
  return new AttemptFailure(verdictOfStatus(speaks === undefined ? words : { ...words, speaks }));
}

/** A reply in good order that says that there is none. */
function failed({ target }: Pick<Attempt, 'target'>, cause: GatewayError): AttemptFailure {
  const { message, type, code } = scrubFault(
    { message: cause.message, type: cause.providerType, code: cause.providerCode, param: undefined },
    scrubberOf(target.provider),
  );
  const error = new GatewayError(cause.code, message, { providerType: type, providerCode: code, cause });
  return new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined, again: true });
}

export function unreadable(attempt: Pick<Attempt, 'target'>, cause: unknown, said = ''): AttemptFailure {
  const { name } = attempt.target.provider;
  const message =
    said === ''
      ? `The provider ${name} answered with something that is not a reply.`
      : `The provider ${name} failed (200): ${said}`;
  const error = new GatewayError('upstream_failed', message, { cause });
  return new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined });
}
