import { expect, test } from 'bun:test';
import { Metrics } from '../metrics.ts';
import { readPrometheusText } from './prometheus-metrics.ts';

const startMs = 1;
const atMs = 2;

test('every family of the real text arrives with its kind, labels, values and unit', async () => {
  const metrics = new Metrics();
  metrics.answered(200);
  metrics.answered(200);
  const seen = { endpoint: 'chat', provider: 'p', model: 'a "b"', status: 200, code: '', firstEventMs: 60 };
  const used = { inputTokens: 10, outputTokens: 5, costNano: 250_000_000n, unpriced: false };
  metrics.observe({ ...seen, ...used, totalMs: 700 });
  metrics.observe({ ...seen, ...used, totalMs: 1_000_000 });
  const text = await metrics.text();
  const records = readPrometheusText(text, startMs, atMs);
  const named = (name: string) => records.find((record) => record.name === name);
  const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  const empty = families.filter((name) => !new RegExp(`^${name}(?:_count|_sum|_bucket)?[{ ]`, 'm').test(text));
  expect(records.map(({ name }) => name).toSorted()).toEqual(
    families.filter((name): name is string => name !== undefined && !empty.includes(name)).toSorted(),
  );
  expect(named('weir_http_responses_total')).toMatchObject({
    ...{ kind: 'counter', unit: '1', startMs, atMs },
    points: [{ attributes: { status: '200' }, value: 2 }],
  });
  expect(named('weir_cost_usd_total')).toMatchObject({ unit: '{USD}', points: [{ value: 0.5 }] });
  expect(named('process_resident_memory_bytes')).toMatchObject({ kind: 'gauge', unit: 'By' });
  expect(named('weir_request_seconds')).toMatchObject({ kind: 'histogram', unit: 's' });
  const [point] = named('weir_request_seconds')?.points ?? [];
  if (point === undefined || !('buckets' in point)) throw new Error('no histogram');
  expect(point.attributes).toEqual({ endpoint: 'chat', provider: 'p', model: 'a _b_' });
  expect([point.count, point.sum]).toEqual([2, 1_000.7]);
  expect(point.buckets.length).toBe(point.bounds.length + 1);
  expect(point.buckets.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(point.buckets.at(-1)).toBe(1);
  expect(point.buckets[point.bounds.indexOf(1)]).toBe(1);
});
