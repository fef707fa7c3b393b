/** Proves that rows arrive once and in order, and that a page which fell behind is read anew. */

import { expect, test } from 'bun:test';
import type { AnalyzedRowView } from '../../../admin/contracts/analytics-contract.ts';
import { arrivedSince, askedBeforeWholeMax, cursorFor, type LivePage, withArrived } from './live-rows.ts';

const row = (requestId: string) => ({ requestId }) as AnalyzedRowView;
const page = (ids: string, asked = 0): LivePage => ({
  items: [...ids].map(row),
  newer: ids[0] ?? '',
  older: 'older',
  isComplete: true,
  asked,
});
const idsOf = ({ items }: LivePage) => items.map(({ requestId }) => requestId).join('');

test('what arrives stands at the top, once, and the page keeps its length', () => {
  const grown = withArrived(page('cba'), { items: [...'ec'].map(row), newer: 'e', isComplete: true }, 4);
  expect(grown && idsOf(grown)).toBe('ecba');
  expect([grown?.newer, grown?.older, grown?.asked]).toEqual(['e', 'older', 1]);
  const more = grown && withArrived(grown, { items: [row('f')], newer: 'f', isComplete: true }, 4);
  expect(more && idsOf(more)).toBe('fecb');
});

test('nothing new keeps the place', () => {
  const same = withArrived(page('cba'), { items: [], isComplete: true }, 4);
  expect([same && idsOf(same), same?.newer]).toEqual(['cba', 'c']);
});

test('a whole page of new ones, or a while of asking, begins anew', () => {
  expect(withArrived(page('cba'), { items: [...'wxyz'].map(row), isComplete: true }, 4)).toBeUndefined();
  expect(cursorFor(undefined)).toBeUndefined();
  expect(cursorFor(page('cba'))).toBe('c');
  expect(cursorFor(page('cba', askedBeforeWholeMax))).toBeUndefined();
});

test('those that a reader has not seen are counted', () => {
  expect(arrivedSince([...'ba'].map(row), [...'dcba'].map(row))).toBe(2);
});
