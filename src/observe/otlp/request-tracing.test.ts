/** Spans of requests that a whole Weir rarely has: skipped candidates, retries, moderations, and work that continues after the reply. */

import { describe, expect, test } from 'bun:test';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { TracedCall } from '../../relay/attempts/request-trace.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import { GenAiMetrics } from './gen-ai-metrics.ts';
import { type SpanRecord, spanKinds } from './records.ts';
import { Tracing } from './request-tracing.ts';

const requestId = 'req_AZ3jYp0bcAGqk8gV1Ew9ZQ';
const caller = { tokenId: 'tok_1', tokenName: 'mine' };
const noHeaders = new Headers();

function target(name: string, state = 'ready'): Target {
  const provider = { name };
  return { provider, model: 'm', health: { state: () => state } } as unknown as Target;
}

const lane = {
  ...{ kind: 'translate', providerFormat: 'wire', url: 'https://models.example/v1/x' },
  losses: [{ what: 'seed', why: 'unsupported' }],
} as unknown as Lane;

function row(values: Partial<UsageRow> = {}): UsageRow {
  return {
    ...{ requestId, atMs: 0, tokenId: 'tok_1', endpoint: 'chat', model: 'alias', provider: '', upstreamModel: '' },
    ...{ stream: false, attempts: 0, status: 200, code: '', usage: { input: {}, output: {} }, costNano: 0n },
    ...{ estimated: false, priceVersion: '', totalMs: 5, bytesIn: 1, bytesOut: 1, ...values },
  };
}

function tracingOf(ratio = 1) {
  const spans: SpanRecord[] = [];
  const metrics = new GenAiMetrics();
  let nowMs = 0;
  const tracing = new Tracing({
    sampling: { ratio, followsParent: true },
    propagate: true,
    exportSpan: (span) => void spans.push(span),
    exportContents: undefined,
    metrics,
    nowMs: () => nowMs++,
    wallMs: () => 1_000_000,
  });
  const call = (id = requestId): TracedCall => ({
    ...{ requestId: id, endpoint: 'chat', caller, startedAtMs: 0 },
    facts: { model: 'alias', stream: true },
  });
  return { tracing, spans, metrics, call };
}

const served = { provider: '', model: 'm', keyId: 'k', verdict: '', atMs: 0, totalMs: 5 } as const;
const charge = { costNano: 0n, estimated: false, priceVersion: undefined };

describe('routing decisions', () => {
  test('candidates with an open circuit or a cooldown are events, and so is why others are excluded', () => {
    const { tracing, spans, call } = tracingOf();
    const targets = [target('a', 'open'), target('b', 'cooling'), target('c')];
    const excluded = [{ target: target('d'), why: 'has no tools' }];
    const trace = tracing.begin(call(), noHeaders, targets, excluded);
    trace.chose(targets[2] as Target);
    const attempt = trace.beginAttempt({ target: targets[2] as Target, lane, ordinal: 1 }, 'k', 1);
    attempt.ended(served, 200, charge);
    trace.ended(row({ provider: 'c', upstreamModel: 'm', attempts: 1 }));
    const request = spans.at(-1);
    expect(request?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['weir.route', { 'weir.candidates': ['a/m', 'b/m', 'c/m'], 'weir.excluded': ['d/m: has no tools'] }],
      ['weir.candidate.skipped', { 'weir.target': 'a/m', 'weir.reason': 'circuit open' }],
      ['weir.candidate.skipped', { 'weir.target': 'b/m', 'weir.reason': 'cooling down' }],
    ]);
    expect(request?.shared).toMatchObject({ 'weir.lane': 'translate', 'weir.token.name': 'mine' });
    expect(request?.attributes['weir.losses']).toEqual(['seed']);
  });

  test('the same target again is a retry, and a request without any usable candidate names the reasons', () => {
    const { tracing, spans, call } = tracingOf();
    const targets = [target('a'), target('b', 'open')];
    const first = targets[0] as Target;
    const trace = tracing.begin(call(), noHeaders, targets, []);
    trace.chose(first);
    trace
      .beginAttempt({ target: first, lane, ordinal: 1 }, 'k', 1)
      .ended({ ...served, verdict: 'target-busy' as never }, 503, charge);
    trace.chose(first);
    trace.ended(row({ status: 503, code: 'provider_unavailable', attempts: 1, provider: 'a' }));
    trace.ended(row());
    expect(spans.length).toBe(2);
    expect(spans[1]?.events.map(({ name }) => name)).toEqual(['weir.route', 'weir.retry', 'weir.candidate.skipped']);
    expect(spans[1]?.fault).toBe('provider_unavailable');
    expect(spans[0]).toMatchObject({ kind: spanKinds.client, fault: 'target-busy' });
  });
});

test('a moderation is a span below its request', () => {
  const { tracing, spans, call } = tracingOf();
  const outer = tracing.begin(call(), noHeaders, [target('a')], []);
  tracing.begin(call(`${requestId}.before`), noHeaders, [target('m')], []).ended(row());
  outer.ended(row());
  const [inner, request] = spans;
  expect([inner?.traceId, inner?.parentSpanId, inner?.kind]).toEqual([
    request?.traceId ?? '',
    request?.spanId ?? '',
    spanKinds.internal,
  ]);
});

test('work that continues after the reply ends both spans, with an unknown cost', () => {
  const { tracing, spans, call } = tracingOf();
  const only = target('a');
  const trace = tracing.begin(call(), noHeaders, [only], []);
  trace.chose(only);
  trace.beginAttempt({ target: only, lane, ordinal: 1 }, 'k', 1);
  trace.handedOver({ target: only, lane, ordinal: 1 });
  expect(spans.map(({ kind, shared }) => [kind, shared['weir.cost.state']])).toEqual([
    [spanKinds.client, 'unknown'],
    [spanKinds.server, 'unknown'],
  ]);
});

test('a trace that is not sampled is counted and passed on, and makes no span', () => {
  const { tracing, spans, metrics, call } = tracingOf(0);
  const only = target('a');
  const trace = tracing.begin(call(), noHeaders, [only], []);
  trace.chose(only);
  const attempt = trace.beginAttempt({ target: only, lane, ordinal: 1 }, 'k', 1);
  expect(attempt.headers?.['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  attempt.ended(served, 200, charge);
  trace.ended(row());
  expect(spans).toEqual([]);
  expect(metrics.records(0, 1).length).toBeGreaterThan(0);
});
