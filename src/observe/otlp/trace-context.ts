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

const traceIdDigits = 32;
const spanIdDigits = 16;
const supplyBytes = 4_096;

/** Random ids, cut from a supply of random digits: a slice of a text costs less than a text. */
export class RandomIds {
  #digits = '';
  #next = 0;

  trace(): string {
    const id = this.#take(traceIdDigits);
    return id === noTrace ? this.trace() : id;
  }

  span(): string {
    const id = this.#take(spanIdDigits);
    return id === noSpan ? this.span() : id;
  }

  #take(digits: number): string {
    if (this.#next + digits > this.#digits.length) {
      this.#digits = Buffer.from(crypto.getRandomValues(new Uint8Array(supplyBytes))).toString('hex');
      this.#next = 0;
    }
    this.#next += digits;
    return this.#digits.slice(this.#next - digits, this.#next);
  }
}

/** The last bits of a trace id are random: of them so many are compared as a number holds. */
const comparedDigits = 13;

/** Whether a trace is among the given share of all; equal at every process, so that a trace is whole or absent. */
export function isInRatio(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-comparedDigits), 16) < ratio * 16 ** comparedDigits;
}
