import { expect, test } from 'bun:test';
import { RecentTraces } from './recent-traces.ts';
import { RandomIds } from './trace-context.ts';

test('the last 4,096 requests are found by their ids, and no other', () => {
  const ids = new RandomIds();
  const recent = new RecentTraces();
  const requests = Array.from({ length: 5_000 }, (_, nth) => ({
    requestId: `req_${Bun.randomUUIDv7('base64url')}`,
    trace: { traceId: ids.trace(), spanId: ids.span(), flags: nth % 2 },
  }));
  for (const { requestId, trace } of requests) recent.note(requestId, trace);
  const found = requests.map(({ requestId }) => recent.find(requestId));
  expect(found).toEqual(requests.map(({ trace }, nth) => (nth < 5_000 - 4_096 ? undefined : trace)));
  expect(recent.find('')).toBeUndefined();
  expect(recent.find('req_other')).toBeUndefined();
});
