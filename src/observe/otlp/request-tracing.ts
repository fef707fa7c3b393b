/** Spans of requests and attempts, made from what the relay knows when they end; routing decisions become span events. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { EndedAttempt } from '../../relay/attempts/ended-attempt.ts';
import type {
  AttemptCharge,
  AttemptTrace,
  RequestTrace,
  RequestTracing,
  TracedAttempt,
  TracedCall,
} from '../../relay/attempts/request-trace.ts';
import type { BoundedText } from '../../relay/contents/bounded-text.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { SamplingConfig } from '../../settings/config.ts';
import {
  attemptAttributes,
  attemptCostState,
  endpointNamesOf,
  genAiName,
  requestAttributes,
  requestCostState,
  sharedRequestAttributes,
  targetName,
} from './gen-ai-attributes.ts';
import type { GenAiMetrics } from './gen-ai-metrics.ts';
import { RecentTraces, type TraceIds } from './recent-traces.ts';
import { type Attributes, type SpanEvent, type SpanRecord, spanKinds } from './records.ts';
import { attemptKind, requestKind } from './span-kinds.ts';
import {
  isInRatio,
  RandomIds,
  readTraceParent,
  sampledFlag,
  spanFlags,
  type TraceParent,
  traceParentText,
} from './trace-context.ts';

type Excluded = Parameters<RequestTracing['begin']>[3];

interface TracingParts {
  readonly sampling: SamplingConfig;
  readonly propagate: boolean;
  /** Absent where no traces are exported. */
  readonly exportSpan: ((span: SpanRecord) => void) | undefined;
  /** Absent where no content is exported. */
  readonly exportContents:
    | ((ids: TraceIds, call: TracedCall, request: BoundedText, reply: BoundedText) => void)
    | undefined;
  readonly metrics: GenAiMetrics;
  nowMs(): number;
  wallMs(): number;
}

/** A request whose ids are known: its trace, its own span and its parent. */
interface Identity extends TraceIds {
  readonly parent: TraceParent | undefined;
}

export class Tracing implements RequestTracing {
  readonly parts: TracingParts;
  readonly ids = new RandomIds();
  readonly recent = new RecentTraces();

  constructor(parts: TracingParts) {
    this.parts = parts;
  }

  begin(call: TracedCall, headers: Pick<Headers, 'get'>, targets: readonly Target[], excluded: Excluded): RequestTrace {
    const parent = readTraceParent(headers) ?? this.#outerOf(call.requestId);
    return new TracedRequest(this, call, this.identify(call.requestId, parent), targets, excluded);
  }

  refused(row: UsageRow, headers: Pick<Headers, 'get'> | undefined): void {
    const identity = this.identify(row.requestId, headers && readTraceParent(headers));
    const { totalMs, atMs } = row;
    this.countServed(row, undefined);
    if (identity.flags === 0) return;
    const times = { startMs: atMs, endMs: atMs + totalMs };
    const shared = sharedRequestAttributes({ ...row, ...unknownCaller, costState: requestCostState(row) });
    const span = { ...times, kind: spanKinds.server, shared, lane: undefined, events: noEvents };
    this.parts.exportSpan?.(requestSpan(identity, row, span));
  }

  countServed(row: UsageRow, target: Target | undefined): void {
    this.parts.metrics.served({
      operation: endpointNamesOf(row.endpoint).operation,
      provider: target === undefined ? '' : genAiName(target),
      // Before a target was found the model is what a client wrote: it could have any number of values.
      model: target === undefined ? '' : row.model,
      errorType: row.code,
      totalMs: row.totalMs,
      firstTokenMs: row.stream ? row.firstEventMs : undefined,
    });
  }

  identify(requestId: string, parent: TraceParent | undefined): Identity {
    const { ratio, followsParent } = this.parts.sampling;
    const traceId = parent?.traceId ?? this.ids.trace();
    const sampled = parent !== undefined && followsParent ? parent.sampled : isInRatio(traceId, ratio);
    const identity = { traceId, spanId: this.ids.span(), flags: sampled ? sampledFlag : 0, parent };
    // A part of another request, such as its moderation, has no log lines of its own.
    if (!requestId.includes('.')) this.recent.note(requestId, identity);
    return identity;
  }

  /** A moderation's request belongs to the request whose id it begins with. */
  #outerOf(requestId: string): TraceParent | undefined {
    const dot = requestId.indexOf('.');
    const outer = dot === -1 ? undefined : this.recent.find(requestId.slice(0, dot));
    return outer && { ...outer, sampled: outer.flags !== 0, traceState: '' };
  }
}

const noEvents: readonly SpanEvent[] = [];
const unknownCaller = { tokenName: undefined, target: undefined, lane: undefined };

/** A client's fault is no fault of the server. */
const serverFaultMin = 500;

interface RequestSpan {
  readonly kind: SpanRecord['kind'];
  readonly startMs: number;
  readonly endMs: number;
  readonly shared: Attributes;
  readonly lane: Lane | undefined;
  readonly events: readonly SpanEvent[];
}

function requestSpan({ traceId, spanId, parent }: Identity, row: UsageRow, span: RequestSpan): SpanRecord {
  return {
    traceId,
    spanId,
    parentSpanId: parent?.spanId ?? '',
    traceState: parent?.traceState ?? '',
    flags: spanFlags(parent !== undefined),
    name: endpointNamesOf(row.endpoint).spanName,
    kind: span.kind,
    startMs: span.startMs,
    endMs: span.endMs,
    shared: span.shared,
    attributes: requestAttributes(row, span.lane),
    events: span.events,
    fault: row.status >= serverFaultMin ? row.code : undefined,
  };
}

/** Why a candidate that comes earlier in the order was not tried. */
const skipReasons = {
  open: 'circuit open',
  cooling: 'cooling down',
  'half-open': 'probing',
  ready: 'no usable key',
} as const;

class TracedRequest implements RequestTrace {
  readonly tracing: Tracing;
  readonly call: TracedCall;
  readonly identity: Identity;
  readonly operation: string;
  /** From the monotonic clock to the time of day; one for all spans of a request, so that they fit together. */
  readonly offsetMs: number;
  readonly #targets: readonly Target[];
  readonly #excluded: Excluded;
  #events: SpanEvent[] | undefined;
  /** Targets that were tried, or whose skipping is noted. */
  #noted: Target[] | undefined;
  #target: Target | undefined;
  #lane: Lane | undefined;
  /** The last attempt that failed, until another candidate is chosen. */
  failed: { readonly target: Target; readonly verdict: string; readonly code: string | undefined } | undefined;
  #attempt: TracedAttemptSpan | undefined;
  #isOver = false;

  constructor(tracing: Tracing, call: TracedCall, identity: Identity, targets: readonly Target[], excluded: Excluded) {
    this.tracing = tracing;
    this.call = call;
    this.identity = identity;
    this.operation = endpointNamesOf(call.endpoint).operation;
    this.offsetMs = tracing.parts.wallMs() - tracing.parts.nowMs();
    this.#targets = targets;
    this.#excluded = excluded;
    // Where there was nothing to decide, there is nothing to report.
    if (this.sampled && (targets.length > 1 || excluded.length > 0)) this.#noteRoute();
  }

  get sampled(): boolean {
    return this.identity.flags !== 0 && this.tracing.parts.exportSpan !== undefined;
  }

  #noteRoute(): void {
    this.#note('weir.route', {
      'weir.candidates': this.#targets.slice(0, listedMax).map(targetName),
      'weir.excluded':
        this.#excluded.length === 0
          ? undefined
          : this.#excluded.slice(0, listedMax).map(({ target, why }) => `${targetName(target)}: ${why}`),
    });
  }

  #note(name: string, attributes: Attributes): void {
    if (this.#events === undefined) this.#events = [];
    if (this.#events.length >= eventsMax) return;
    this.#events.push({ atMs: this.tracing.parts.nowMs() + this.offsetMs, name, attributes });
  }

  chose(target: Target): void {
    this.#target = target;
    if (!this.sampled) return;
    if (target !== this.#targets[0]) this.#noteSkipped(target);
    const { failed } = this;
    this.failed = undefined;
    if (failed !== undefined) {
      this.#note(failed.target === target ? 'weir.retry' : 'weir.fallback', {
        'weir.from': targetName(failed.target),
        'weir.to': targetName(target),
        'weir.reason': failed.verdict,
        'error.type': failed.code,
      });
    }
    if (this.#targets.length > 1) this.#noted = [...(this.#noted ?? []), target];
  }

  /** Candidates before this one that were not tried; all where none is left. */
  #noteSkipped(until: Target | undefined): void {
    const now = this.tracing.parts.nowMs();
    for (const target of this.#targets) {
      if (target === until) return;
      if (this.#noted?.includes(target) === true) continue;
      const reason = skipReasons[target.health.state(now)];
      this.#note('weir.candidate.skipped', { 'weir.target': targetName(target), 'weir.reason': reason });
      this.#noted = [...(this.#noted ?? []), target];
    }
  }

  skipped(target: Target, why: string): void {
    if (!this.sampled) return;
    this.#note('weir.candidate.skipped', { 'weir.target': targetName(target), 'weir.reason': why.slice(0, textMax) });
  }

  beginAttempt(attempt: TracedAttempt, keyId: string, startedAtMs: number): AttemptTrace {
    this.#lane = attempt.lane;
    this.#attempt = new TracedAttemptSpan(this, attempt, keyId, startedAtMs);
    return this.#attempt;
  }

  ended(row: UsageRow): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { tracing, call, identity } = this;
    tracing.countServed(row, this.#target);
    if (!this.sampled) return;
    if (row.code === 'provider_unavailable') this.#noteSkipped(undefined);
    const { nowMs, exportSpan } = tracing.parts;
    const target = row.provider === '' ? undefined : this.#target;
    exportSpan?.(
      requestSpan(identity, row, {
        kind: call.requestId.includes('.') ? spanKinds.internal : spanKinds.server,
        startMs: call.startedAtMs + this.offsetMs,
        endMs: nowMs() + this.offsetMs,
        shared: requestKind(call.caller, row, target, target && this.#lane?.kind),
        lane: target && this.#lane,
        events: this.#events ?? noEvents,
      }),
    );
  }

  /** The cost of the work is known when it ends, perhaps to another process. */
  handedOver({ target, ordinal }: TracedAttempt): void {
    const { call, tracing } = this;
    const { nowMs, wallMs } = tracing.parts;
    const totalMs = nowMs() - call.startedAtMs;
    this.#attempt?.handedOver();
    this.ended({
      ...{ requestId: call.requestId, atMs: wallMs() - totalMs, tokenId: call.caller.tokenId, endpoint: call.endpoint },
      ...{ model: call.facts.model, provider: target.provider.name, upstreamModel: target.model, stream: false },
      ...{ attempts: ordinal, status: 200, code: '', usage: { input: {}, output: {} }, costNano: 0n, estimated: true },
      ...{ priceVersion: '', units: { requests: 1 }, totalMs, bytesIn: 0, bytesOut: 0 },
    });
  }

  contents(request: BoundedText, reply: BoundedText): void {
    if (this.identity.flags === 0) return;
    this.tracing.parts.exportContents?.(this.identity, this.call, request, reply);
  }
}

const listedMax = 50;
const eventsMax = 100;
const textMax = 300;

class TracedAttemptSpan implements AttemptTrace {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly #request: TracedRequest;
  readonly #attempt: TracedAttempt;
  readonly #keyId: string;
  readonly #startedAtMs: number;
  readonly #spanId: string;
  #usage: Usage | undefined;

  constructor(request: TracedRequest, attempt: TracedAttempt, keyId: string, startedAtMs: number) {
    this.#request = request;
    this.#attempt = attempt;
    this.#keyId = keyId;
    this.#startedAtMs = startedAtMs;
    const { tracing, identity } = request;
    this.#spanId = tracing.ids.span();
    if (!tracing.parts.propagate) return;
    const { traceId, parent } = identity;
    // Where no span is exported, the provider's parent is the client's.
    const spanId = request.sampled ? this.#spanId : (parent?.spanId ?? this.#spanId);
    const traceparent = traceParentText(traceId, spanId, identity.flags !== 0);
    const traceState = parent?.traceState ?? '';
    this.headers = traceState === '' ? { traceparent } : { traceparent, tracestate: traceState };
  }

  used(usage: Usage): void {
    this.#usage = usage;
  }

  handedOver(): void {
    const { target } = this.#attempt;
    const { tracing } = this.#request;
    const totalMs = tracing.parts.nowMs() - this.#startedAtMs;
    const own = { provider: target.provider.name, model: target.model, keyId: this.#keyId, atMs: 0 };
    this.ended({ ...own, verdict: '', totalMs }, 200, { costNano: 0n, estimated: true, priceVersion: '' });
  }

  ended(ended: EndedAttempt, status: number | undefined, charge: AttemptCharge): void {
    const { target, lane } = this.#attempt;
    const { verdict, firstTokenMs, totalMs, error } = ended;
    const code = error?.code ?? (verdict === '' ? undefined : verdict);
    const request = this.#request;
    const { tracing, call, operation } = request;
    const usage = this.#usage;
    tracing.parts.metrics.attempted({
      operation,
      provider: genAiName(target),
      model: target.model,
      errorType: code ?? '',
      totalMs,
      firstTokenMs,
      inputTokens: usage?.input.total,
      outputTokens: usage?.output.total,
    });
    if (verdict !== '') request.failed = { target, verdict, code };
    if (!request.sampled) return;
    const { traceId, spanId, parent } = request.identity;
    tracing.parts.exportSpan?.({
      traceId,
      spanId: this.#spanId,
      parentSpanId: spanId,
      traceState: parent?.traceState ?? '',
      flags: spanFlags(false),
      name: `${operation} ${target.model}`,
      kind: spanKinds.client,
      startMs: this.#startedAtMs + request.offsetMs,
      endMs: this.#startedAtMs + (totalMs ?? 0) + request.offsetMs,
      shared: attemptKind(this.#attempt, operation, call.facts.stream, this.#keyId, {
        status,
        verdict,
        costState: attemptCostState(charge, usage),
      }),
      attributes: attemptAttributes(lane, usage, { code, firstTokenMs, charge }),
      events: noEvents,
      fault: code,
    });
  }
}
