/** The traces of the last requests by request id: log lines that name a request get its trace. */

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** 1 where it is exported. */
  readonly flags: number;
}

const tracesMax = 4_096;

/** Two halves: when the newer one is full, the older one is forgotten as a whole, which costs less than one by one. */
export class RecentTraces {
  #newer = new Map<string, TraceIds>();
  #older = new Map<string, TraceIds>();

  note(requestId: string, { traceId, spanId, flags }: TraceIds): void {
    if (this.#newer.size >= tracesMax / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(requestId, { traceId, spanId, flags });
  }

  find(requestId: string): TraceIds | undefined {
    return this.#newer.get(requestId) ?? this.#older.get(requestId);
  }
}
