/** W3C trace context: https://www.w3.org/TR/trace-context/ (read 2026-11-17). A header that is not valid is ignored as a whole. */

/** What a client's headers say. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** Empty where there is none. */
  readonly traceState: string;
}

export const sampledFlag = 1;
/** Flags of the export protocol: whether it is known that the parent is elsewhere, and whether it is. */
const remoteKnownFlag = 0x1_00;
const remoteFlag = 0x2_00;

const version0 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Later versions may add fields, after another dash. */
const laterVersion = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-[\x20-\x7e]*)?$/;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
const headerLengthMax = 512;

export function readTraceParent(headers: Pick<Headers, 'get'>): TraceParent | undefined {
  const value = headers.get('traceparent');
  if (value === null || value.length > headerLengthMax) return undefined;
  const [, traceId, spanId, flags] = version0.exec(value) ?? laterVersion.exec(value) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  const sampled = (Number.parseInt(flags, 16) & sampledFlag) !== 0;
  return { traceId, spanId, sampled, traceState: readTraceState(headers.get('tracestate')) };
}

const membersMax = 32;
const key = String.raw`(?:[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13})`;
const member = new RegExp(String.raw`^${key}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`);

/** Passed on as it came, or not at all. */
function readTraceState(value: string | null): string {
  if (value === null || value.length > headerLengthMax) return '';
  const members = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (members.length > membersMax || !members.every((one) => member.test(one))) return '';
  const keys = new Set(members.map((one) => one.slice(0, one.indexOf('='))));
  return keys.size === members.length ? members.join(',') : '';
}

export function traceParentText(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

export function spanFlags(parentIsRemote: boolean): number {
  return sampledFlag | remoteKnownFlag | (parentIsRemote ? remoteFlag : 0);
}

const requestIdLength = 26;
const requestIdStart = 'req_';
const traceIdDigits = 32;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const unknownSign = 255;
/** The value of each sign of base64url. */
const signValues = new Uint8Array(128).fill(unknownSign);
for (let value = 0; value < alphabet.length; value++) signValues[alphabet.charCodeAt(value)] = value;
/** Two signs of base64url are three hexadecimal digits. */
const threeDigits: readonly string[] = Array.from({ length: 4_096 }, (_, bits) => bits.toString(16).padStart(3, '0'));

/**
 * The trace and the span of a request that brought none: the bytes of its id, which are a version 7 UUID and end in random
 * ones. So each is found by the other. Undefined for an id of another form. By hand, because each request needs it.
 */
export function idsOf(requestId: string): { readonly traceId: string; readonly spanId: string } | undefined {
  if (requestId.length !== requestIdLength || !requestId.startsWith(requestIdStart)) return undefined;
  let digits = '';
  for (let index = requestIdStart.length; index < requestIdLength; index += 2) {
    const first = signValues[requestId.charCodeAt(index)] ?? unknownSign;
    const second = signValues[requestId.charCodeAt(index + 1)] ?? unknownSign;
    if (first === unknownSign || second === unknownSign) return undefined;
    digits += threeDigits[first * 64 + second];
  }
  return { traceId: digits.slice(0, traceIdDigits), spanId: digits.slice(traceIdDigits - spanIdDigits, traceIdDigits) };
}

const spanIdDigits = 16;
const supplyBytes = 4_096;

/** Random ids, cut from a supply of random digits. */
export class SpanIds {
  #digits = '';
  #next = 0;

  next(): string {
    if (this.#next >= this.#digits.length) {
      this.#digits = Buffer.from(crypto.getRandomValues(new Uint8Array(supplyBytes))).toString('hex');
      this.#next = 0;
    }
    const id = this.#digits.slice(this.#next, this.#next + spanIdDigits);
    this.#next += spanIdDigits;
    return id === noSpan ? this.next() : id;
  }
}

/** The last bits of a trace id are random: of them so many are compared as a number holds. */
const comparedDigits = 13;

/** Whether a trace is among the given share of all; equal at every process, so that a trace is whole or absent. */
export function isInRatio(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-comparedDigits), 16) < ratio * 16 ** comparedDigits;
}
