/** What a member can create for themselves, and what an admin can do to an owner, against a real process. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { OwnedTokenView, SignedInView } from '../../src/admin/contracts/account-contract.ts';
import { type ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { createToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

let weir: RunningWeir;
let owner: ConsoleClient;
let admin: ConsoleClient;
let member: ConsoleClient;

const perPersonMax = 5;

beforeAll(async () => {
  weir = await startWeir({ yaml: { tokens: { budget_usd: 2.5, per_person_max: perPersonMax } } });
  owner = await ownerOf(weir);
  [admin, member] = await Promise.all([personOf(weir, owner, 'admin'), personOf(weir, owner, 'member')]);
});
afterAll(() => weir.remove());

const paramOf = ({ body }: ConsoleReply) => (body as { error?: { param?: string } }).error?.param;
const budgetOf = ({ body }: ConsoleReply) => {
  const { budget } = body as OwnedTokenView;
  return budget && `${budget.limitUsd} a ${budget.period}`;
};
const tokensOf = async (who: ConsoleClient) =>
  ((await who.get('/tokens')).body as { items: OwnedTokenView[] }).items.filter(({ state }) => state === 'active');

describe('a member', () => {
  test('gets the budget of the settings, and may choose a smaller one, not a larger one or none', async () => {
    expect(budgetOf(await member.post('/tokens', { name: 'plain' }))).toBe('2.50 a month');
    expect(budgetOf(await member.post('/tokens', { name: 'less', budgetUsd: '1', budgetPeriod: 'total' }))).toBe(
      '1.00 a total',
    );
    const refusals: [object, string][] = [
      [{ budgetUsd: '2.500000001' }, 'budgetUsd'],
      [{ budgetUsd: null }, 'budgetUsd'],
      [{ budgetUsd: '1', budgetPeriod: 'day' }, 'budgetPeriod'],
      [{ budgetPeriod: 'week' }, 'budgetPeriod'],
    ];
    for (const [terms, param] of refusals) {
      const reply = await member.post('/tokens', { name: 'more', ...terms });
      expect([codeOf(reply), paramOf(reply)]).toEqual(['role_not_allowed', param]);
    }
    const signedIn = (await member.get('/session')).body as SignedInView;
    expect(signedIn.tokenCeiling).toEqual({ budgetUsd: '2.50', budgetPeriod: 'month', perPersonMax });
  });

  test('has the same budget in the playground', async () => {
    const { id } = (await member.post('/playground-token')).body as { id: string };
    expect(budgetOf(await member.get(`/tokens/${id}`))).toBe('2.50 a month');
  });

  test('has a limited number of tokens, however many are requested at once', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => member.post('/tokens', { name: 'many' })));
    const refused = asked.filter(({ status }) => status !== 200);
    expect(new Set(refused.map((reply) => codeOf(reply)))).toEqual(new Set(['role_not_allowed']));
    const own = (await tokensOf(member)).filter(({ id }) => !id.startsWith('tok_playground'));
    expect(own.length).toBe(perPersonMax);
    // A revoked token has spent some of this month's budget: it makes no room before the month is over.
    await member.call('DELETE', `/tokens/${own[0]?.id}`);
    expect(codeOf(await member.post('/tokens', { name: 'again' }))).toBe('role_not_allowed');
  });
});

test('owners, admins and the command line have no such limits', async () => {
  for (const who of [owner, admin]) {
    expect(budgetOf(await who.post('/tokens', { name: 'free' }))).toBeUndefined();
    expect(budgetOf(await who.post('/tokens', { name: 'own', budgetUsd: '99', budgetPeriod: 'day' }))).toBe(
      '99.00 a day',
    );
    expect(((await who.get('/session')).body as SignedInView).tokenCeiling).toBeUndefined();
    const { id } = (await who.post('/playground-token')).body as { id: string };
    expect(budgetOf(await who.get(`/tokens/${id}`))).toBeUndefined();
    for (let count = 0; count < perPersonMax; count++) {
      expect((await who.post('/tokens', { name: `t${count}` })).status).toBe(200);
    }
  }
  const { id } = await createToken(weir);
  expect(budgetOf(await owner.get(`/tokens/${id}`))).toBeUndefined();
});

describe('an admin', () => {
  test('may not see an owner’s sessions', async () => {
    const { account } = (await owner.get('/session')).body as SignedInView;
    expect(codeOf(await admin.get(`/accounts/${account.id}/sessions`))).toBe('role_not_allowed');
    expect((await owner.get(`/accounts/${account.id}/sessions`)).status).toBe(200);
  });

  test('may not take over an owner’s token by rotating it; revoking it is allowed', async () => {
    const made = (await owner.post('/tokens', { name: 'owned', models: ['sandbox-chat'] })).body as { id: string };
    const before = (await owner.get(`/tokens/${made.id}`)).body as OwnedTokenView;
    expect(codeOf(await admin.post(`/tokens/${made.id}/rotate`, {}))).toBe('role_not_allowed');
    expect(((await owner.get(`/tokens/${made.id}`)).body as OwnedTokenView).hint).toBe(before.hint);
    const theirs = (await member.get('/tokens')).body as { items: OwnedTokenView[] };
    const [own] = theirs.items.filter(({ state }) => state === 'active');
    expect((await admin.post(`/tokens/${own?.id}/rotate`, {})).status).toBe(200);
    const free = (await createToken(weir)).id;
    expect((await admin.post(`/tokens/${free}/rotate`, {})).status).toBe(200);
    expect((await admin.call('DELETE', `/tokens/${made.id}`)).body).toMatchObject({ state: 'revoked' });
  });
});
