/**
 * The traces of the last requests by request id: log lines that name a request get its trace. Every request is noted and few
 * are looked for, so a note is some numbers in arrays: objects that outlive their request would cost the garbage collector
 * more than all the rest of telemetry.
 */

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** 1 where it is exported. */
  readonly flags: number;
}

const tracesMax = 4_096;
const traceIdDigits = 32;
const spanIdDigits = 16;
const digitsEach = traceIdDigits + spanIdDigits;
/** The end of a request id is random: as many characters of it as a number holds exactly. */
const keyCharacters = 7;

export class RecentTraces {
  readonly #keys = new Float64Array(tracesMax).fill(-1);
  readonly #digits = new Uint8Array(tracesMax * digitsEach);
  readonly #flags = new Uint8Array(tracesMax);
  #next = 0;

  note(requestId: string, { traceId, spanId, flags }: TraceIds): void {
    const index = this.#next;
    this.#next = (index + 1) % tracesMax;
    this.#keys[index] = keyOf(requestId);
    this.#flags[index] = flags;
    const digits = this.#digits;
    let at = index * digitsEach;
    for (let place = 0; place < traceIdDigits; place++) digits[at++] = traceId.charCodeAt(place);
    for (let place = 0; place < spanIdDigits; place++) digits[at++] = spanId.charCodeAt(place);
  }

  find(requestId: string): TraceIds | undefined {
    const index = this.#keys.lastIndexOf(keyOf(requestId));
    if (index === -1) return undefined;
    const start = index * digitsEach;
    const text = String.fromCharCode(...this.#digits.subarray(start, start + digitsEach));
    const flags = this.#flags[index] ?? 0;
    return { traceId: text.slice(0, traceIdDigits), spanId: text.slice(traceIdDigits), flags };
  }
}

function keyOf(requestId: string): number {
  let key = 0;
  for (let place = Math.max(0, requestId.length - keyCharacters); place < requestId.length; place++) {
    key = key * 128 + (requestId.charCodeAt(place) % 128);
  }
  return key;
}
