/** What a provider's failure means for the request: who is at fault, and whether another candidate may be asked. */

import type { ErrorCode } from '../conversation/error-table.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { ProviderFault } from '../formats/format.ts';
import { UnsentError } from './transport.ts';

export type VerdictKind =
  /** The request itself is wrong; every provider would say so. */
  | 'request-fault'
  /** The provider does not accept our key. */
  | 'key-dead'
  /** Back-pressure: not now, perhaps soon. */
  | 'cooling'
  /** It could not be reached; it did not see the request. */
  | 'unreachable'
  /** It may have begun to work, and to bill. */
  | 'uncertain'
  /** Its wire has no place for what the request says; it was not asked. */
  | 'unable'
  /** The client left or our own clock ran out: nobody else is asked. */
  | 'over';

export interface Verdict {
  readonly kind: VerdictKind;
  readonly error: GatewayError;
  readonly retryAfterMs: number | undefined;
}

/** A failed attempt, thrown by the lanes before anything reached the client. */
export class AttemptFailure extends Error {
  readonly verdict: Verdict;
  constructor(verdict: Verdict) {
    super(verdict.error.message);
    this.verdict = verdict;
  }
}

const messageMax = 2_000;

/** A status other than 200. `fault` is what the provider said in its own format, `body` is used where it did not. */
export function verdictOfStatus(given: {
  readonly status: number;
  readonly fault: ProviderFault | undefined;
  readonly retryAfter: string | null;
  readonly provider: string;
  readonly secret: string;
  readonly nowMs: number;
}): Verdict {
  const { status, provider } = given;
  const fault = given.fault && scrubFault(given.fault, given.secret);
  const said = fault?.message ?? '';
  const retryAfterMs = readRetryAfter(given.retryAfter, given.nowMs);
  if (status === 401 || status === 403) {
    const error = new GatewayError(
      'provider_unavailable',
      `The provider ${provider} does not accept Weir's key (${status}).`,
    );
    return { kind: 'key-dead', error, retryAfterMs };
  }
  if (status === 429 || status === 503 || status === 529) {
    const code: ErrorCode = status === 429 ? 'upstream_rate_limited' : 'provider_unavailable';
    const error = new GatewayError(code, said || `The provider ${provider} asks to wait (${status}).`, {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      providerType: fault?.type,
      providerCode: fault?.code,
    });
    return { kind: 'cooling', error, retryAfterMs };
  }
  if (status >= 500 || status < 400) {
    const detail = said === '' ? '' : `: ${said}`;
    const error = new GatewayError('upstream_failed', `The provider ${provider} failed (${status})${detail}`);
    return { kind: 'uncertain', error, retryAfterMs };
  }
  const error = new GatewayError(
    'upstream_refused',
    said || `The provider ${provider} refused the request (${status}).`,
    {
      status,
      providerType: fault?.type,
      providerCode: fault?.code,
      ...(fault?.param !== undefined && { param: fault.param }),
    },
  );
  return { kind: 'request-fault', error, retryAfterMs };
}

/** An error that came as an event of a stream: its words stand for the status that it would have had. */
export function verdictOfFault(given: ProviderFault | undefined, provider: string, secret: string): Verdict {
  const fault = given && scrubFault(given, secret);
  const words = `${fault?.code ?? ''} ${fault?.type ?? ''}`;
  const details = { providerType: fault?.type, providerCode: fault?.code };
  const message = fault?.message || `The provider ${provider} reported an error in its stream.`;
  const [code, kind] = faultWords.find(([pattern]) => pattern.test(words))?.[1] ?? ['upstream_failed', 'uncertain'];
  return { kind, error: new GatewayError(code, message, details), retryAfterMs: undefined };
}

const faultWords: readonly (readonly [RegExp, readonly [ErrorCode, VerdictKind]])[] = [
  [/rate_limit|resource_exhausted|too_many_requests|\b429\b/i, ['upstream_rate_limited', 'cooling']],
  [/overloaded|unavailable|\b5(?:03|29)\b/i, ['provider_unavailable', 'cooling']],
];

/** Connection errors that prove that the request was never sent. */
const unsentCodes = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'DNSLookupFailed',
  'FailedToOpenSocket',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function verdictOfThrow(cause: unknown, provider: string): Verdict {
  if (cause instanceof AttemptFailure) return cause.verdict;
  // A reply that was understood and says no: its words are the answer.
  if (cause instanceof GatewayError) return { kind: kindOf(cause), error: cause, retryAfterMs: cause.retryAfterMs };
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const unsent =
    cause instanceof UnsentError || unsentCodes.has(code) || code.startsWith('ERR_TLS') || code.includes('CERT');
  const error = unsent
    ? new GatewayError('provider_unavailable', `The provider ${provider} could not be reached (${code}).`, { cause })
    : new GatewayError('upstream_failed', `The connection to the provider ${provider} broke off.`, { cause });
  return { kind: unsent ? 'unreachable' : 'uncertain', error, retryAfterMs: undefined };
}

function kindOf({ code, row }: GatewayError): VerdictKind {
  if (code === 'upstream_rate_limited' || code === 'provider_unavailable') return 'cooling';
  return row.cost === 'possible' ? 'uncertain' : 'request-fault';
}

/** Everything a provider says goes through here before anybody hears it. */
export function scrubFault(fault: ProviderFault, secret: string): ProviderFault {
  const word = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : scrub(text, secret).slice(0, 200);
  return {
    message: scrub(fault.message, secret),
    type: word(fault.type),
    code: word(fault.code),
    param: word(fault.param),
  };
}

/** A provider's message may quote our key back; it goes no further. Control characters would forge log lines. */
export function scrub(message: string, secret: string): string {
  let text = message.length > messageMax ? `${message.slice(0, messageMax)}…` : message;
  if (secret.length >= 4) {
    text = text.replaceAll(secret, '[key]');
    // Providers mask the middle and show the ends.
    const tail = secret.slice(-4);
    text = text.replace(/\S*\*{2,}\S*/g, (word) => (word.includes(tail) ? '[key]' : word));
  }
  return text
    .replace(/\b(?:sk|pk|key|xai|gsk|AIza)[-_A-Za-z0-9]{16,}/g, '[key]')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
}

/** Seconds or an HTTP date. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.min(seconds * 1000, 3_600_000) : undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), 3_600_000);
}
