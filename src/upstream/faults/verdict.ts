/** What a provider's failure means for the request: what is at fault, and whether another candidate may be tried. */

import { readOverflow } from '../../conversation/context-overflow.ts';
import type { ErrorCode } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Needs } from '../../conversation/needs.ts';
import type { ProviderFault } from '../../formats/format.ts';
import type { Scrubber } from '../../secrets/scrubber.ts';
import { FrameTooLargeError } from '../frame-reader.ts';
import { tooManyFiles } from '../http1/connect.ts';
import { ReplyTooLargeError, UnsentError } from '../transport.ts';
import type { FaultMeaning } from './fault-row.ts';
import type { Lesson } from './lesson.ts';
import { meaningOf, statusIn } from './provider-faults.ts';
import type { VerdictKind } from './verdict-rules.ts';

export type { VerdictKind };

export interface Verdict {
  readonly kind: VerdictKind;
  readonly error: GatewayError;
  readonly retryAfterMs: number | undefined;
  /** The provider's own message, without its secrets, where the client is sent another one. For the operator. */
  readonly said?: string;
  /** The capability that the model lacks, if that is why it refused. */
  readonly lacks?: keyof Needs | undefined;
  /** The provider answered with an error of its own: nothing is charged. Absent wherever Weir or the client decided the end. */
  readonly answered?: true;
  /** The provider answered, and may have worked on the request and billed it. */
  readonly unsettled?: true;
  /** The provider itself reported a failure and sent nothing else: without another candidate it may be retried once. */
  readonly again?: boolean;
  /** What the refusal teaches about the model. */
  readonly lesson?: Lesson;
  /** Of a refused key: whether the provider's message names the key; otherwise only the status does. */
  readonly namesKey?: boolean;
}

/** A failed attempt, thrown by the lanes before anything reached the client. */
export class AttemptFailure extends Error {
  readonly verdict: Verdict;
  /** The provider's status, if the failure was one. */
  readonly status: number | undefined;
  constructor(verdict: Verdict, status?: number) {
    super(verdict.error.message);
    this.verdict = verdict;
    this.status = status;
  }
}

const messageMax = 2_000;
const wordMax = 200;
const overloadedMs = 1_000;

/** What a provider's fault means for the request; the rest of a verdict follows from its kind. */
const kinds: Readonly<Record<FaultMeaning, VerdictKind>> = {
  quota: 'key-dead',
  key: 'key-refused',
  access: 'forbidden',
  region: 'forbidden',
  rate: 'key-cooling',
  overloaded: 'target-cooling',
  content: 'content',
  'too-long': 'request-fault',
  'no-vision': 'request-fault',
  'no-audio': 'request-fault',
  'no-files': 'request-fault',
  'no-tools': 'request-fault',
  'no-structured': 'request-fault',
  'model-gone': 'cannot-serve',
  server: 'uncertain',
  plain: 'request-fault',
};

/** The capability that a refusal shows to be missing: later requests that need it go to other targets. */
const lacks: Partial<Readonly<Record<FaultMeaning, keyof Needs>>> = {
  'no-vision': 'image',
  'no-audio': 'audio',
  'no-files': 'file',
  'no-tools': 'tools',
  'no-structured': 'structured',
};

interface StatusFault {
  readonly status: number;
  readonly fault: ProviderFault | undefined;
  readonly retryAfter: string | null;
  readonly provider: string;
  /** Removes the provider's secrets from its message. */
  readonly scrub: Scrubber;
  readonly nowMs: number;
  readonly header?: (name: string) => string | undefined;
  /** The format or wire of the provider's reply. */
  readonly speaks?: string;
}

/** A status other than 200. `fault` is the error read from the provider's format. */
export function verdictOfStatus(given: StatusFault): Verdict {
  const { status, header } = given;
  const meaning = meaningOf({ status, fault: given.fault, ...(header !== undefined && { header }) });
  const kind = kindOfStatus(status, meaning);
  const fault = given.fault && scrubFault(given.fault, given.scrub);
  const retryAfterMs = readRetryAfter(given.retryAfter, given.nowMs);
  const error = errorOf(kind, meaning, { ...given, fault, retryAfterMs });
  const lacking = lacks[meaning];
  const namesKey = kind === 'key-refused' && isAboutKey(given);
  return {
    kind,
    error,
    retryAfterMs,
    ...(kind === 'uncertain' && unsettledStatuses.has(status) ? { unsettled: true } : { answered: true }),
    ...(lacking !== undefined && { lacks: lacking }),
    ...(kind === 'uncertain' && failedStatuses.has(status) && { again: true }),
    ...(namesKey && { namesKey }),
    ...(fault !== undefined && fault.message !== '' && fault.message !== error.message && { said: fault.message }),
  };
}

/** Statuses by which a provider reports its own failure. After others (408, 504, a redirect) the outcome is unknown. */
const failedStatuses: ReadonlySet<number> = new Set([500, 502]);

/** A model that took too long for its host, and work that collided with other work: both may have been billed. */
const unsettledStatuses: ReadonlySet<number> = new Set([408, 409]);

/** What statuses mean whose words have no meaning. */
const kindsOfStatus: Readonly<Record<number, VerdictKind>> = {
  404: 'cannot-serve',
  405: 'cannot-serve',
  408: 'uncertain',
  409: 'uncertain',
  410: 'cannot-serve',
  421: 'cannot-serve',
  425: 'cannot-serve',
  429: 'key-cooling',
};

/** Whether the message alone names the key. A code that only repeats the status does not count. */
function isAboutKey({ fault, header }: Pick<StatusFault, 'fault' | 'header'>): boolean {
  const words = fault && statusIn(fault.code) !== 0 ? { ...fault, code: undefined } : fault;
  return meaningOf({ status: 0, fault: words, header }) === 'key';
}

/** The usual status of each meaning, for errors without a status. */
const usualStatus: Partial<Readonly<Record<FaultMeaning, number>>> = {
  quota: 402,
  key: 401,
  access: 403,
  region: 403,
  rate: 429,
  overloaded: 503,
  content: 400,
  'too-long': 400,
  'no-vision': 400,
  'no-audio': 400,
  'no-files': 400,
  'no-tools': 400,
  'no-structured': 400,
  'model-gone': 404,
  server: 500,
};

/**
 * The status of an error that came as a whole reply of 200, so that it gets the same verdict as with that status.
 * Undefined if its words have no particular meaning.
 */
export function statusOfWords({ fault, header }: Pick<StatusFault, 'fault' | 'header'>): number | undefined {
  const reported = statusIn(fault?.code);
  return reported === 0
    ? usualStatus[meaningOf({ status: 0, fault, ...(header !== undefined && { header }) })]
    : reported;
}

/** The status decides if the words have no meaning; a redirect is no answer, and is not followed. */
function kindOfStatus(status: number, meaning: FaultMeaning): VerdictKind {
  if (status < 400) return 'uncertain';
  if (meaning === 'plain') return kindsOfStatus[status] ?? kinds.plain;
  if (meaning === 'too-long' && status === 413) return 'too-large';
  return kinds[meaning];
}

function errorOf(
  kind: VerdictKind,
  meaning: FaultMeaning,
  given: Omit<StatusFault, 'retryAfter'> & { readonly retryAfterMs: number | undefined },
): GatewayError {
  const { status, fault, provider, retryAfterMs } = given;
  const said = fault?.message ?? '';
  const origin = { providerType: fault?.type, providerCode: fault?.code, providerSpeaks: given.speaks };
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (kind) {
    case 'key-dead':
    case 'key-refused': {
      const why = meaning === 'quota' ? "'s account has no credit left" : " does not accept Weir's key";
      return new GatewayError('provider_unavailable', `The provider ${provider}${why} (${status}).`);
    }
    case 'key-cooling':
    case 'target-cooling': {
      const code: ErrorCode = kind === 'key-cooling' ? 'upstream_rate_limited' : 'provider_unavailable';
      return new GatewayError(code, said || `The provider ${provider} asks to wait (${status}).`, {
        ...wait,
        ...origin,
      });
    }
    case 'uncertain': {
      const detail = said === '' ? '' : `: ${said}`;
      return new GatewayError('upstream_failed', `The provider ${provider} failed (${status})${detail}`);
    }
    default: {
      const isOverflow = meaning === 'too-long' && !otherwiseTooLong.has(status);
      return new GatewayError('upstream_refused', said || `The provider ${provider} refused the request (${status}).`, {
        status: isOverflow ? 400 : clientStatus(status),
        ...origin,
        ...(isOverflow && { overflow: readOverflow(said) }),
        ...(fault?.param !== undefined && { param: fault.param }),
      });
    }
  }
}

/** Too many bytes, and more tokens than an account may use in a minute: neither is the model's context. */
const otherwiseTooLong: ReadonlySet<number> = new Set([413, 429]);

/**
 * A fault of the request is never reported as the server's, and a refusal of Weir's key never as one of the caller's
 * token.
 */
function clientStatus(status: number): number {
  if (status >= 500) return 400;
  return status === 401 ? 403 : status;
}

/** An error event of a stream: classified by its words, since it has no status. */
export function verdictOfFault(
  given: ProviderFault | undefined,
  provider: string,
  scrub: Scrubber,
  speaks?: string,
): Verdict {
  return { ...faultVerdict(given, provider, scrub, speaks), answered: true };
}

function faultVerdict(
  given: ProviderFault | undefined,
  provider: string,
  scrub: Scrubber,
  speaks: string | undefined,
): Verdict {
  const fault = given && scrubFault(given, scrub);
  const details = { providerType: fault?.type, providerCode: fault?.code, providerSpeaks: speaks };
  const message = fault?.message || `The provider ${provider} reported an error in its stream.`;
  const meaning = meaningOf({ status: 0, fault: given });
  if (meaning === 'too-long') {
    const error = new GatewayError('upstream_refused', message, { ...details, overflow: readOverflow(message) });
    return { kind: 'request-fault', error, retryAfterMs: undefined };
  }
  const kind = kinds[meaning];
  switch (kind) {
    case 'key-cooling':
      return { kind, error: new GatewayError('upstream_rate_limited', message, details), retryAfterMs: undefined };
    case 'target-cooling':
    case 'key-dead':
      return { kind, error: new GatewayError('provider_unavailable', message, details), retryAfterMs: undefined };
    case 'key-refused': {
      const error = new GatewayError('provider_unavailable', message, details);
      return { kind, error, retryAfterMs: undefined, namesKey: isAboutKey({ fault: given }) };
    }
    case 'cannot-serve':
    case 'forbidden':
    case 'content':
      return { kind, error: new GatewayError('upstream_refused', message, details), retryAfterMs: undefined };
    default:
      return {
        kind: 'uncertain',
        error: new GatewayError('upstream_failed', message, details),
        retryAfterMs: undefined,
        again: true,
      };
  }
}

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
  // A refusal that was already parsed keeps its message.
  if (cause instanceof GatewayError) return { kind: kindOf(cause), error: cause, retryAfterMs: cause.retryAfterMs };
  if (cause instanceof FrameTooLargeError) return tooLarge(provider, 'an event', cause);
  if (cause instanceof ReplyTooLargeError) return tooLarge(provider, 'a reply', cause);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === tooManyFiles) {
    const message = 'Weir has too many open files to connect to a provider. Try again in a moment.';
    const error = new GatewayError('gateway_overloaded', message, { cause, retryAfterMs: overloadedMs });
    return { kind: 'limit', error, retryAfterMs: undefined };
  }
  const unsent =
    cause instanceof UnsentError || unsentCodes.has(code) || code.startsWith('ERR_TLS') || code.includes('CERT');
  const error = unsent
    ? new GatewayError('provider_unavailable', `The provider ${provider} could not be reached (${code}).`, { cause })
    : new GatewayError('upstream_failed', `The connection to the provider ${provider} broke off.`, { cause });
  return { kind: unsent ? 'target-down' : 'uncertain', error, retryAfterMs: undefined };
}

function tooLarge(provider: string, what: string, cause: FrameTooLargeError | ReplyTooLargeError): Verdict {
  const message = `The provider ${provider} sent ${what} larger than ${cause.bytesMax} bytes.`;
  return { kind: 'uncertain', error: new GatewayError('upstream_failed', message, { cause }), retryAfterMs: undefined };
}

function kindOf({ code, row }: GatewayError): VerdictKind {
  if (code === 'upstream_rate_limited') return 'key-cooling';
  if (code === 'provider_unavailable') return 'target-cooling';
  return row.cost === 'possible' ? 'uncertain' : 'request-fault';
}

/**
 * Scrubs every provider message before it is shown or logged. Cut afterwards: half a key would no longer be recognized.
 */
export function scrubFault(fault: ProviderFault, scrub: Scrubber): ProviderFault {
  const word = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : scrub(text).slice(0, wordMax);
  const message = scrub(fault.message);
  return {
    message: message.length > messageMax ? `${message.slice(0, messageMax)}…` : message,
    type: word(fault.type),
    code: word(fault.code),
    param: word(fault.param),
  };
}

/** Seconds or an HTTP date. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.min(seconds * 1000, 3_600_000) : undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), 3_600_000);
}
