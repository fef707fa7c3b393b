/** Everything that went over the wire in this tab, kept where drawing it costs nothing until someone looks: views are told once a frame. */

import type { WireExchange, WireLog, WireRequest } from '../playground-contract.ts';

export interface WireEvent {
  /** Since the request was sent. */
  readonly atMs: number;
  readonly text: string;
}

export interface WireRecord {
  readonly id: string;
  readonly request: WireRequest;
  readonly model: string;
  readonly sentAtMs: number;
  readonly status: number | undefined;
  readonly headers: readonly (readonly [string, string])[];
  readonly headMs: number | undefined;
  /** Grows in place while the reply comes; its length says how far. */
  readonly events: readonly WireEvent[];
  readonly firstOutputMs: number | undefined;
  readonly lastOutputMs: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalMs: number | undefined;
  readonly failure: string | undefined;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

export interface WireStore extends WireLog {
  subscribe(listener: () => void): () => void;
  /** Another list whenever something changed; the latest exchange is first. */
  records(): readonly WireRecord[];
  clear(): void;
}

interface WireClock {
  nowMs(): number;
  /** Calls back before the next picture is drawn. */
  soon(run: () => void): void;
}

export const recordsMax = 30;
/** A stream may be endless; the panel need not be. */
const eventsMax = 50_000;

export function createWireStore(clock: WireClock): WireStore {
  let records: readonly WireRecord[] = [];
  let shown: readonly WireRecord[] = records;
  let isTold = true;
  let count = 0;
  const listeners = new Set<() => void>();
  const tell = () => {
    if (!isTold) return;
    isTold = false;
    clock.soon(() => {
      isTold = true;
      shown = [...records];
      for (const listener of listeners) listener();
    });
  };
  return {
    begin(request, facts) {
      const record = newRecord(`wire-${++count}`, request, facts?.model ?? '', clock.nowMs());
      records = [record, ...records].slice(0, recordsMax);
      tell();
      return exchangeOf(record, clock, tell);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    records: () => shown,
    clear() {
      records = [];
      tell();
    },
  };
}

function newRecord(id: string, request: WireRequest, model: string, sentAtMs: number): Mutable<WireRecord> {
  return {
    id,
    request,
    model,
    sentAtMs,
    status: undefined,
    headers: [],
    headMs: undefined,
    events: [],
    firstOutputMs: undefined,
    lastOutputMs: undefined,
    inputTokens: undefined,
    outputTokens: undefined,
    totalMs: undefined,
    failure: undefined,
  };
}

function exchangeOf(record: Mutable<WireRecord>, clock: WireClock, tell: () => void): WireExchange {
  const sinceMs = () => clock.nowMs() - record.sentAtMs;
  const events = record.events as WireEvent[];
  const open = (change: () => void) => {
    if (record.totalMs !== undefined) return;
    change();
    tell();
  };
  return {
    id: record.id,
    head: (status, headers) =>
      open(() => {
        record.status = status;
        record.headers = [...headers];
        record.headMs = sinceMs();
      }),
    event: (text) =>
      open(() => {
        if (events.length < eventsMax) events.push({ atMs: sinceMs(), text });
      }),
    output: () =>
      open(() => {
        record.lastOutputMs = sinceMs();
        record.firstOutputMs ??= record.lastOutputMs;
      }),
    usage: ({ input, output }) =>
      open(() => {
        if (input !== undefined) record.inputTokens = input;
        if (output !== undefined) record.outputTokens = output;
      }),
    end: (failure) =>
      open(() => {
        record.failure = failure;
        record.totalMs = sinceMs();
      }),
  };
}
