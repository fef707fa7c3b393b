import { expect, test } from 'bun:test';
import { Metrics } from './metrics.ts';
import type { RoutingGauges, TargetGauge } from './routing-metrics.ts';

function shown(routing: Partial<RoutingGauges>): string {
  const metrics = new Metrics();
  const none = { targets: [], keys: [], retriesDenied: 0 };
  metrics.setGauges(() => ({ requestsInFlight: 0, attemptsRunning: 0, routing: { ...none, ...routing } }));
  return metrics.text();
}

test('every state has its number, and what was not measured has none', () => {
  const text = shown({
    targets: [
      { provider: 'a', model: 'm', state: 'ready', inFlight: 3, firstEventMs: 120 },
      { provider: 'a', model: 'odd"\n', state: 'cooling', inFlight: 0 },
      { provider: 'b', model: 'm', state: 'open', inFlight: 0 },
      { provider: 'c', model: 'm', state: 'half-open', inFlight: 1 },
    ],
    keys: [{ provider: 'a', keyId: 'main', state: 'open' }],
    retriesDenied: 7,
  });
  for (const line of [
    '# TYPE weir_target_state gauge',
    'weir_target_state{provider="a",model="m"} 0',
    'weir_target_state{provider="a",model="odd__"} 1',
    'weir_target_state{provider="b",model="m"} 2',
    'weir_target_state{provider="c",model="m"} 3',
    'weir_target_in_flight{provider="a",model="m"} 3',
    'weir_target_first_event_ms{provider="a",model="m"} 120',
    'weir_key_state{provider="a",key="main"} 2',
    '# TYPE weir_retries_denied_total counter',
    'weir_retries_denied_total 7',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text.match(/weir_target_first_event_ms\{/g)).toHaveLength(1);
});

test('attempts are counted by provider and verdict', () => {
  const metrics = new Metrics();
  metrics.attempted('a', 'served');
  metrics.attempted('a', 'served');
  metrics.attempted('b', 'target-down');
  expect(metrics.text()).toContain('weir_attempts_total{provider="a",verdict="served"} 2\n');
  expect(metrics.text()).toContain('weir_attempts_total{provider="b",verdict="target-down"} 1\n');
});

test('with too many targets, those with an open circuit or cooling down are still shown', () => {
  const targets = Array.from({ length: 3_000 }, (_, index): TargetGauge => {
    return { provider: 'a', model: `m${index}`, state: index === 2_999 ? 'open' : 'ready', inFlight: 0 };
  });
  const text = shown({ targets });
  expect(text.match(/^weir_target_state\{/gm)).toHaveLength(2_000);
  expect(text).toContain('weir_target_state{provider="a",model="m2999"} 2\n');
});

test('the page about metrics has every one with its kind and meaning, and no other', async () => {
  const text = shown({ targets: [{ provider: 'a', model: 'm', state: 'ready', inFlight: 0 }] });
  const named = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, name, help, kind]) => {
    return `${name} ${kind} ${help}`;
  });
  const page = await Bun.file('docs/metrics.md').text();
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| [^|]* \| (.*) \|$/gm)].map(([, name, kind, help]) => {
    return `${name} ${kind} ${help}`;
  });
  expect(rows.toSorted()).toEqual(named.toSorted());
});
