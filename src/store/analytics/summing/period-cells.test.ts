/** However many combinations of users, tokens and models a period has, its cells are bounded, and no request is lost of them. */

import { expect, test } from 'bun:test';
import { otherUsers } from '../cell-views.ts';
import { cellTable, PeriodCells } from './period-cells.ts';
import type { Summed } from './period-slices.ts';

const row = (endUser: string, tags: string, tokenId: string): Summed => ({
  ...{
    tokenId,
    model: 'm',
    provider: 'p',
    endpoint: 'chat',
    code: '',
    statusClass: 2,
    stream: 0,
    estimated: 0,
    keyId: '',
  },
  ...{ endUser, tags, requests: 1, failures: 0, inputTokens: 2, cacheReadTokens: 0, outputTokens: 3, costNano: '5' },
  ...{ unpriced: 0, costNanoMax: '5', totalMsMax: 7, firstEvents: '3', totals: '4' },
});

const users = 5;
const tokens = 12;

/** Each user with each token, twice, in two slices. */
async function summed(combinationsMax?: number) {
  const cells = new PeriodCells(combinationsMax);
  const all = Array.from(
    { length: users * tokens },
    (_, at) => [`user-${at % users}`, `token-${at % tokens}`] as const,
  );
  for (let slice = 0; slice < 2; slice += 1) {
    const whole = all.map(([, token]) => row('', '', token));
    const ofUsers = all.map(([user, token]) => row(user, '', token));
    const ofTags = all.map(([user, token]) => row('', `,${user},`, token));
    await cells.add({ whole, users: ofUsers, tags: ofTags }, (tags) => tags);
  }
  const found = [...cells.pieces(7)].flat().map((cell) => cellTable.named(cell));
  return (view: string) => found.filter((cell) => cell.view === view);
}

const views = ['all', 'kind', 'token', 'by-token', 'by-key', 'user', 'by-user', 'tag', 'by-tag'];

test.each([undefined, 20, 1])('with at most %p combinations every view has all requests', async (combinationsMax) => {
  const of = await summed(combinationsMax);
  for (const view of views) {
    const requests = of(view).reduce((sum, cell) => sum + cell.requests, 0);
    expect([view, requests]).toEqual([view, 2 * users * tokens]);
  }
  expect(of('by-user').map(({ requests }) => requests)).toEqual(Array.from({ length: users }, () => 2 * tokens));
  expect(of('all').map(({ totals }) => totals)).toEqual([`4:${2 * users * tokens}`]);
});

test('further combinations are those of the others, one for each token', async () => {
  const of = await summed(20);
  const others = of('user').filter(({ endUser }) => endUser === otherUsers);
  expect(of('user').length - others.length).toBe(20);
  expect(others.length).toBeLessThanOrEqual(tokens);
  expect(of('tag').filter(({ tags }) => tags === ',(others),')).toHaveLength(others.length);
  expect((await summed())('user')).toHaveLength(users * tokens);
});
