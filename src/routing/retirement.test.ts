import { expect, test } from 'bun:test';
import { retirementOf } from './retirement.ts';

test('both dates, as RFC 9745 and RFC 8594 write them', () => {
  expect(retirementOf({ deprecatedAt: '2026-06-01', shutdownAt: '2027-01-14' })).toEqual({
    deprecatedAt: '2026-06-01',
    shutdownAt: '2027-01-14',
    headers: { deprecation: '@1780272000', sunset: 'Thu, 14 Jan 2027 00:00:00 GMT' },
  });
});

test('a day of shutdown alone is the day by which it is deprecated; the end never precedes the warning', () => {
  const headers = { deprecation: '@1799884800', sunset: 'Thu, 14 Jan 2027 00:00:00 GMT' };
  expect(retirementOf({ shutdownAt: '2027-01-14' })).toEqual({ shutdownAt: '2027-01-14', headers });
  expect(retirementOf({ deprecatedAt: '2028-01-01', shutdownAt: '2027-01-14' })?.headers).toEqual(headers);
});

test('a warning without an end, and nothing', () => {
  expect(retirementOf({ deprecatedAt: '2026-06-01' })).toEqual({
    deprecatedAt: '2026-06-01',
    headers: { deprecation: '@1780272000' },
  });
  expect(retirementOf({})).toBeUndefined();
  expect(retirementOf({ shutdownAt: 'soon', deprecatedAt: '2026-99-99' })).toBeUndefined();
});
