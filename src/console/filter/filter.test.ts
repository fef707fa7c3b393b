/** Proves that a filter survives the address, and that the admin interface is asked for exactly what it says. */

import { describe, expect, test } from 'bun:test';
import {
  addressWith,
  askedWords,
  type Condition,
  readConditions,
  requestsPath,
  withCondition,
  withoutCondition,
} from './filter.ts';

const all: readonly Condition[] = [
  { kind: 'status', value: '4' },
  { kind: 'status', value: '5' },
  { kind: 'model', value: 'a/b,c&d=é' },
  { kind: 'provider', value: 'sandbox' },
  { kind: 'token', value: 'tok_1' },
  { kind: 'label', value: 'team-a' },
  { kind: 'label', value: 'team-b' },
  { kind: 'owner', value: 'acc_1' },
  { kind: 'user', value: 'user 7' },
  { kind: 'tag', value: 'nightly' },
  { kind: 'endpoint', value: 'chat' },
  { kind: 'key', value: 'key_1' },
  { kind: 'code', value: 'rate_limited' },
  { kind: 'fallback', value: 'true' },
  { kind: 'stream', value: 'false' },
  { kind: 'cost', value: '0.01' },
  { kind: 'duration', value: '2000' },
  { kind: 'id', value: 'req_AZ' },
];

const queryOf = (address: string) => new URLSearchParams(address.split('?')[1] ?? '');

describe('the filter in the address', () => {
  test('comes back as it was', () => {
    expect(readConditions(queryOf(addressWith('/console/requests', all)))).toEqual(all);
  });

  test('leaves the range and the open row alone, and forgets the place in the list', () => {
    const address = addressWith('/console/requests?range=7d&older=x&newer=y&model=old&request=req_1', all.slice(0, 1));
    expect([...queryOf(address)]).toEqual([
      ['range', '7d'],
      ['request', 'req_1'],
      ['status', '4'],
    ]);
    expect(addressWith('/console/requests?model=a', [])).toBe('/console/requests');
  });

  test('leaves out what nobody can mean', () => {
    const query = new URLSearchParams('status=9&stream=maybe&fallback=no&cost=-1&duration=2s&model=&model=a&model=a');
    expect(readConditions(query)).toEqual([{ kind: 'model', value: 'a' }]);
  });
});

describe('a condition', () => {
  test('joins others of its kind, or takes the place of the one before', () => {
    const model = (value: string): Condition => ({ kind: 'model', value });
    expect(withCondition([model('a')], model('b'))).toEqual([model('a'), model('b')]);
    expect(withCondition([model('a')], model('a'))).toEqual([model('a')]);
    const cost = (value: string): Condition => ({ kind: 'cost', value });
    expect(withCondition([cost('1')], cost('2'))).toEqual([cost('2')]);
  });

  test('goes alone', () => {
    expect(withoutCondition(all, { kind: 'status', value: '4' })).toEqual(all.slice(1));
  });
});

test('the admin interface is asked in its own words', () => {
  expect(askedWords(all.slice(-4))).toEqual([
    ['stream', 'false'],
    ['min_cost_usd', '0.01'],
    ['min_duration_ms', '2000'],
    ['id', 'req_AZ'],
  ]);
});

test('a row of an overview leads to its requests in the same range and under the same filter', () => {
  const conditions = [
    { kind: 'label', value: 'team' },
    { kind: 'model', value: 'a b' },
  ] as const;
  expect(requestsPath(conditions, { range: '7d', from: undefined })).toBe(
    '/console/requests?range=7d&label=team&model=a+b',
  );
});
