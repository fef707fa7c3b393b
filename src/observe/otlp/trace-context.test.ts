import { describe, expect, test } from 'bun:test';
import { isInRatio, RandomIds, readTraceParent, traceParentText } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const valid = `00-${traceId}-${spanId}-01`;
const read = (traceparent: string, tracestate?: string) =>
  readTraceParent(new Headers({ traceparent, ...(tracestate !== undefined && { tracestate }) }));

describe('traceparent', () => {
  test('a valid one is read, with its flag', () => {
    expect(read(valid)).toEqual({ traceId, spanId, sampled: true, traceState: '' });
    expect(read(`00-${traceId}-${spanId}-00`)?.sampled).toBe(false);
    expect(read(`00-${traceId}-${spanId}-03`)?.sampled).toBe(true);
    expect(readTraceParent(new Headers())).toBeUndefined();
  });

  test('a later version may have more fields', () => {
    expect(read(`01-${traceId}-${spanId}-01`)?.traceId).toBe(traceId);
    expect(read(`01-${traceId}-${spanId}-01-more`)?.traceId).toBe(traceId);
    expect(read(`01-${traceId}-${spanId}-01more`)).toBeUndefined();
  });

  test('anything else is ignored', () => {
    const bad = [
      '',
      'canary',
      `${valid}-00`,
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.slice(1)}-${spanId}-01`,
      `00-${traceId}-${spanId}-1`,
      `00-${traceId}-${spanId}-zz`,
      `01-${traceId}-${spanId}-01-${'x'.repeat(600)}`,
      `${valid}, ${valid}`,
    ];
    expect(bad.map((text) => read(text))).toEqual(bad.map(() => undefined));
  });

  test('tracestate passes if it is valid, and is dropped as a whole if not', () => {
    expect(read(valid, 'rojo=00f067,congo=t61')?.traceState).toBe('rojo=00f067,congo=t61');
    expect(read(valid, 'a@vendor=1 , b=2')?.traceState).toBe('a@vendor=1,b=2');
    const bad = ['A=1', 'a', 'a=1,a=2', 'a=é', `a=${'x'.repeat(300)}`, Array(33).fill('a=1').join(','), 'a=b=c'];
    expect(bad.map((text) => read(valid, text)?.traceState)).toEqual(bad.map(() => ''));
  });

  test('what is written can be read', () => {
    expect(read(traceParentText(traceId, spanId, false))).toMatchObject({ traceId, spanId, sampled: false });
  });
});

test('ids are random, beyond one supply of digits too', () => {
  const ids = new RandomIds();
  const made = Array.from({ length: 1_000 }, () => [ids.trace(), ids.span()] as const);
  expect(new Set(made.flat()).size).toBe(2_000);
  expect(made.every(([trace, span]) => /^[0-9a-f]{32}$/.test(trace) && /^[0-9a-f]{16}$/.test(span))).toBe(true);
});

describe('sampling by ratio', () => {
  const ids = new RandomIds();
  const traces = Array.from({ length: 4_000 }, () => ids.trace());
  const share = (ratio: number): number => traces.filter((id) => isInRatio(id, ratio)).length / traces.length;

  test('all, none, and about the share', () => {
    expect(share(1)).toBe(1);
    expect(share(0)).toBe(0);
    expect(Math.abs(share(0.25) - 0.25)).toBeLessThan(0.05);
  });

  test('what a small share has, a larger one has too', () => {
    expect(traces.filter((id) => isInRatio(id, 0.1) && !isInRatio(id, 0.5))).toEqual([]);
  });
});
