import { describe, expect, test } from 'bun:test';
import { idsOf, isInRatio, readTraceParent, SpanIds, traceParentText } from './trace-context.ts';

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

describe('ids', () => {
  const ids = new SpanIds();

  test('are random, beyond one supply of bytes too', () => {
    const made = Array.from({ length: 2_000 }, () => ids.next());
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  });

  test('a trace has the bytes of its request, where the request id is one of Weir’s', () => {
    const bytes = Buffer.from(traceId, 'hex').toString('base64url');
    expect(idsOf(`req_${bytes}`)).toEqual({ traceId, spanId: traceId.slice(16) });
    for (const other of ['req_other', `req_${bytes}.before`, `rex_${bytes}`, `req_${'.'.repeat(22)}`]) {
      expect(idsOf(other)).toBeUndefined();
    }
  });
});

describe('sampling by ratio', () => {
  const traces = Array.from({ length: 4_000 }, () => Bun.randomUUIDv7('hex').replaceAll('-', ''));
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
