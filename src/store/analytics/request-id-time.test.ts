import { expect, test } from 'bun:test';
import { timesOfRequestId } from './request-id-time.ts';

test('every prefix of a fresh id gives a range that holds the time it was created at, and longer ones a closer range', () => {
  for (let round = 0; round < 200; round += 1) {
    const before = Date.now();
    const id = `req_${Bun.randomUUIDv7('base64url')}`;
    let width = Number.POSITIVE_INFINITY;
    for (let length = 5; length <= id.length; length += 1) {
      const times = timesOfRequestId(id.slice(0, length));
      expect(times?.fromMs).toBeLessThanOrEqual(before);
      expect(times?.toMs).toBeGreaterThan(Date.now() - 1);
      const now = (times?.toMs ?? 0) - (times?.fromMs ?? 0);
      expect(now).toBeLessThanOrEqual(width);
      width = now;
    }
    expect(width).toBeLessThan(3 * 3_600_000);
  }
});

test('what is no prefix of an id gives no time', () => {
  for (const text of ['', 'req_', 'abc', 'req_!', 'REQ_AAAA', 'req_AA A'])
    expect(timesOfRequestId(text)).toBeUndefined();
});
