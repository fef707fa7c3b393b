import { expect, test } from 'bun:test';
import type { EndedAttempt } from '../relay/attempts/ended-attempt.ts';
import { Metrics } from './metrics.ts';
import type { RoutingGauges, TargetGauge } from './routing-metrics.ts';

function shown(routing: Partial<RoutingGauges>): Promise<string> {
  const metrics = new Metrics();
  const none = { providers: [], targets: [], keys: [], retriesDenied: 0 };
  const dependencies = { databaseUp: true };
  metrics.setGauges(() => ({
    requestsInFlight: 0,
    attemptsRunning: 0,
    dependencies,
    ledger: { recovered: 0, ended: 0, lost: { unknown: 0, refused: 0, 'no-room': 0 } },
    routing: { ...none, ...routing },
  }));
  return metrics.text();
}

const anAttempt: EndedAttempt = { provider: 'a', model: 'm', keyId: 'k', verdict: '', atMs: 0 };

test('every state has its number', async () => {
  const text = await shown({
    providers: [
      { provider: 'a', state: 'key-rejected' },
      { provider: 'off', state: 'disabled' },
    ],
    targets: [
      { provider: 'a', model: 'm', state: 'healthy', inFlight: 3 },
      { provider: 'a', model: 'odd"\n', state: 'rate-limited', inFlight: 0 },
      { provider: 'b', model: 'm', state: 'circuit-open', inFlight: 0 },
      { provider: 'c', model: 'm', state: 'probing', inFlight: 1 },
      { provider: 'd', model: 'm', state: 'degraded', inFlight: 1 },
      { provider: 'e', model: 'm', state: 'no-data', inFlight: 1 },
    ],
    keys: [{ provider: 'a', keyId: 'main', state: 'key-rejected' }],
    retriesDenied: 7,
  });
  for (const line of [
    '# TYPE weir_target_state gauge',
    'weir_provider_state{provider="a"} 5',
    'weir_provider_state{provider="off"} -2',
    'weir_target_state{provider="a",model="m"} 0',
    'weir_target_state{provider="a",model="odd__"} 2',
    'weir_target_state{provider="b",model="m"} 4',
    'weir_target_state{provider="c",model="m"} 3',
    'weir_target_state{provider="d",model="m"} 1',
    'weir_target_state{provider="e",model="m"} -1',
    'weir_target_in_flight{provider="a",model="m"} 3',
    'weir_key_state{provider="a",key="main"} 5',
    '# TYPE weir_retries_denied_total counter',
    'weir_retries_denied_total 7',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('attempts are counted by provider, model and how they ended; only those that served are timed', async () => {
  const metrics = new Metrics();
  metrics.attempted({ ...anAttempt, firstTokenMs: 80, totalMs: 300 });
  metrics.attempted({ ...anAttempt, totalMs: 2_000 });
  metrics.attempted({ ...anAttempt, verdict: 'request-fault', totalMs: 10 });
  metrics.attempted({ ...anAttempt, provider: 'b', model: 'n', verdict: 'target-down', totalMs: 10 });
  const text = await metrics.text();
  for (const line of [
    'weir_attempts_total{provider="a",model="m",outcome="served",verdict="served"} 2',
    'weir_attempts_total{provider="a",model="m",outcome="other",verdict="request-fault"} 1',
    'weir_attempts_total{provider="b",model="n",outcome="failed",verdict="target-down"} 1',
    'weir_attempt_first_token_seconds_bucket{provider="a",le="0.05"} 0',
    'weir_attempt_first_token_seconds_bucket{provider="a",le="0.1"} 1',
    'weir_attempt_first_token_seconds_count{provider="a"} 1',
    'weir_attempt_seconds_bucket{provider="a",le="0.5"} 1',
    'weir_attempt_seconds_count{provider="a"} 2',
    'weir_attempt_seconds_count{provider="b"} 0',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('output tokens per second are those after the first, of streamed replies that took a while', async () => {
  const metrics = new Metrics();
  const streamed = { ...anAttempt, firstTokenMs: 400, totalMs: 1_400, outputTokens: 81 };
  metrics.attempted(streamed);
  metrics.attempted({ ...streamed, outputTokens: 5_001 });
  // Not streamed, in one piece, without reported tokens, only one token, failed: none says how quickly tokens follow.
  metrics.attempted({ ...streamed, firstTokenMs: undefined });
  metrics.attempted({ ...streamed, firstTokenMs: 1_301 });
  metrics.attempted({ ...streamed, outputTokens: undefined });
  metrics.attempted({ ...streamed, outputTokens: 1 });
  metrics.attempted({ ...streamed, verdict: 'uncertain' });
  metrics.attempted({ ...anAttempt, model: 'whole', totalMs: 900, outputTokens: 50 });
  const text = await metrics.text();
  const name = 'weir_attempt_output_tokens_per_second';
  for (const line of [
    `${name}_bucket{provider="a",model="m",le="75"} 0`,
    `${name}_bucket{provider="a",model="m",le="100"} 1`,
    `${name}_bucket{provider="a",model="m",le="2500"} 1`,
    `${name}_bucket{provider="a",model="m",le="+Inf"} 2`,
    `${name}_sum{provider="a",model="m"} 5080`,
    `${name}_count{provider="a",model="m"} 2`,
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).not.toContain(`${name}_count{provider="a",model="whole"}`);
});

test('names that have one label are one series', async () => {
  const metrics = new Metrics();
  const streamed = { ...anAttempt, firstTokenMs: 0, totalMs: 1_000, outputTokens: 11 };
  for (const model of ['a"b', 'a_b', 'a\nb']) metrics.attempted({ ...streamed, model });
  const text = await metrics.text();
  expect(text.match(/^weir_attempts_total\{.*/gm)).toEqual([
    'weir_attempts_total{provider="a",model="a_b",outcome="served",verdict="served"} 3',
  ]);
  expect(text.match(/^weir_attempt_output_tokens_per_second_count.*/gm)).toHaveLength(1);
});

test("attempts at models of callers' names cannot grow it without bound", async () => {
  const metrics = new Metrics();
  for (let index = 0; index < 3_000; index++) metrics.attempted({ ...anAttempt, model: `m${index}` });
  const text = await metrics.text();
  expect(text.match(/^weir_attempts_total\{/gm)).toHaveLength(2_001);
  expect(text).toContain('weir_attempts_total{provider="a",model="others",outcome="served",verdict="served"} 1000\n');
});

test('with too many targets, those in a bad state are still shown', async () => {
  const targets = Array.from({ length: 3_000 }, (_, index): TargetGauge => {
    return { provider: 'a', model: `m${index}`, state: index === 2_999 ? 'circuit-open' : 'healthy', inFlight: 0 };
  });
  const text = await shown({ targets });
  expect(text.match(/^weir_target_state\{/gm)).toHaveLength(2_000);
  expect(text).toContain('weir_target_state{provider="a",model="m2999"} 4\n');
});

test('the page about metrics has every one with its kind and meaning, and no other', async () => {
  const text = await shown({ targets: [{ provider: 'a', model: 'm', state: 'healthy', inFlight: 0 }] });
  const named = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, name, help, kind]) => {
    return `${name} ${kind} ${help}`;
  });
  const page = await Bun.file('docs/metrics.md').text();
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| [^|]* \| (.*) \|$/gm)].map(([, name, kind, help]) => {
    return `${name} ${kind} ${help}`;
  });
  expect(rows.toSorted()).toEqual(named.toSorted());
});
