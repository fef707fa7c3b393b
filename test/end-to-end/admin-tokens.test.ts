/** Tokens of the admin API against a real process: owners, disabling, order, spend, and budgets in numbers. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AuditView, IssuedTokenView, OwnedTokenView, PageView } from '../../src/admin/contracts/contract.ts';
import { post } from '../harness/chat.ts';
import { type ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let weir: RunningWeir;
let upstream: RunningUpstream;
let owner: ConsoleClient;
let admin: ConsoleClient;
let member: ConsoleClient;
let viewer: ConsoleClient;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai', base_url: upstream.base, keys: [{ id: 'key', key: 'sk-key' }], models: ['gpt-4.1'] },
      },
      prices: { 'up/gpt-4.1': { input: 2, output: 10 } },
    },
  });
  owner = await ownerOf(weir);
  [admin, member, viewer] = await Promise.all([
    personOf(weir, owner, 'admin'),
    personOf(weir, owner, 'member'),
    personOf(weir, owner, 'viewer'),
  ]);
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});

const idOf = async (who: ConsoleClient) => ((await who.get('/session')).body as { account: { id: string } }).account.id;
const created = async (fields: object, who = owner) => (await who.post('/tokens', fields)).body as IssuedTokenView;
const shown = async (id: string, who = owner) => (await who.get(`/tokens/${id}`)).body as OwnedTokenView;
const listed = async (query: string, who = owner) =>
  ((await who.get(`/tokens?${query}`)).body as PageView<OwnedTokenView>).items;
const paramOf = ({ body }: ConsoleReply) => (body as { error?: { param?: string } }).error?.param;
const refusal = (reply: ConsoleReply) => `${codeOf(reply)} ${paramOf(reply)}`;

/** Sends one request; gives back its status. */
async function call(token: string, fields: object = {}): Promise<number> {
  const reply = await post(
    { base: weir.base, token },
    { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Good day' }], ...fields },
  );
  await reply.arrayBuffer();
  return reply.status;
}

async function answer(inputTokens: number, outputTokens: number): Promise<void> {
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
  };
  await upstream.queue([{ contentType: 'application/json', body: JSON.stringify(body) }]);
}

describe('the owner of a token', () => {
  test('is chosen by administrators, for a new token and later, and the audit log names them', async () => {
    const memberId = await idOf(member);
    const { id, ownerName } = await created({ name: 'for the member', ownerId: memberId }, admin);
    expect(ownerName).toBe('member');
    expect((await listed('limit=100', member)).map((token) => token.id)).toContain(id);
    expect((await created({ name: 'without owner', ownerId: null }, admin)).ownerName).toBeUndefined();

    const changed = await admin.call('PATCH', `/tokens/${id}`, { body: { ownerId: await idOf(admin), rpm: 7 } });
    expect(changed.body).toMatchObject({ ownerName: 'admin', rpm: 7 });
    expect((await listed('limit=100', member)).map((token) => token.id)).not.toContain(id);
    const entries = ((await owner.get('/audit?limit=50')).body as PageView<AuditView>).items;
    const details = entries.filter(({ subject }) => subject === `token:${id}`).map(({ detail }) => detail);
    expect(details).toEqual([
      { fields: ['ownerId', 'rpm'], owner: 'admin' },
      { name: 'for the member', owner: 'member' },
    ]);
  });

  test('is not chosen by members, nor for owners by an admin, nor for viewers at all', async () => {
    const [ownerId, memberId, viewerId] = await Promise.all([owner, member, viewer].map(idOf));
    const tries: readonly (readonly [ConsoleClient, object])[] = [
      [member, { ownerId }],
      [member, { ownerId: null }],
      [admin, { ownerId }],
      [admin, { ownerId: viewerId }],
    ];
    for (const [who, fields] of tries) {
      expect(refusal(await who.post('/tokens', { name: 'x', ...fields }))).toBe('role_not_allowed ownerId');
    }
    expect(refusal(await admin.post('/tokens', { name: 'x', ownerId: 'acc_none' }))).toBe('field_invalid ownerId');
    const own = await created({ name: 'own' }, member);
    expect(refusal(await member.call('PATCH', `/tokens/${own.id}`, { body: { ownerId } }))).toBe(
      'role_not_allowed ownerId',
    );
    // Its holder acts in the owner's name, so an admin cannot take it.
    const theirs = await created({ name: 'of the owner' });
    const taken = await admin.call('PATCH', `/tokens/${theirs.id}`, { body: { ownerId: memberId } });
    expect(codeOf(taken)).toBe('role_not_allowed');
    expect((await shown(theirs.id)).ownerId).toBe(ownerId);
    const { id } = (await member.post('/playground-token')).body as { id: string };
    expect(refusal(await owner.call('PATCH', `/tokens/${id}`, { body: { ownerId } }))).toBe('role_not_allowed ownerId');
  });

  test('a change of which one part is refused changes nothing', async () => {
    const { id } = await created({ name: 'whole' });
    const reply = await owner.call('PATCH', `/tokens/${id}`, { body: { ownerId: await idOf(member), rpm: -1 } });
    expect(refusal(reply)).toBe('field_invalid rpm');
    expect(await shown(id)).toMatchObject({ ownerName: 'Olga' });
  });
});

test('a disabled token is refused until it is enabled again, and only administrators do either', async () => {
  const { id, token } = await created({ name: 'paused', models: ['sandbox-*'] }, member);
  expect(await call(token, { model: 'sandbox-chat' })).toBe(200);
  expect(refusal(await member.call('PATCH', `/tokens/${id}`, { body: { disabled: true } }))).toBe(
    'role_not_allowed disabled',
  );
  const off = await admin.call('PATCH', `/tokens/${id}`, { body: { disabled: true } });
  expect(off.body).toMatchObject({ state: 'disabled', disabled: true });
  await until(async () => (await call(token, { model: 'sandbox-chat' })) === 401, 60_000, 'the refusal');
  expect((await listed('state=disabled')).map((each) => each.id)).toEqual([id]);
  await admin.call('PATCH', `/tokens/${id}`, { body: { disabled: false } });
  await until(async () => (await call(token, { model: 'sandbox-chat' })) === 200, 60_000, 'the reply');
  expect((await shown(id)).state).toBe('active');
});

describe('spend', () => {
  test('is counted with and without a budget, and the list is sorted by it as a whole', async () => {
    const [without, within] = [
      await created({ name: 'spend without budget', labels: ['spend'] }),
      await created({ name: 'spend with budget', labels: ['spend'], budgetUsd: '5', budgetPeriod: 'day' }),
    ];
    await created({ name: 'spend of nothing', labels: ['spend'] });
    await answer(1_000, 200);
    expect(await call(without.token)).toBe(200);
    await answer(1_000, 400);
    expect(await call(within.token)).toBe(200);
    const ofMonth = async (id: string) => (await shown(id)).spend.monthNano;
    await until(async () => (await ofMonth(within.id)) === '6000000', 60_000, 'the spend of the second');
    expect((await shown(without.id)).spend).toEqual({ monthNano: '4000000', totalNano: '4000000', unpriced: 0 });
    expect((await shown(within.id)).budget).toMatchObject({ spentUsd: '0.006', heldUsd: '0.00', leftUsd: '4.994' });

    const names = async (query: string) => (await listed(`q=spend&${query}`)).map(({ name }) => name.slice(6));
    expect(await names('sort=-month')).toEqual(['with budget', 'without budget', 'of nothing']);
    expect(await names('sort=total')).toEqual(['of nothing', 'without budget', 'with budget']);
    expect(await names('sort=name')).toEqual(['of nothing', 'with budget', 'without budget']);
    expect((await names('sort=-budget'))[0]).toBe('with budget');
    const first = (await owner.get('/tokens?q=spend&sort=-month&limit=1')).body as PageView<OwnedTokenView>;
    expect(first.items.map(({ id }) => id)).toEqual([within.id]);
    expect((await listed(`q=spend&sort=-month&limit=1&after=${first.next}`)).map(({ id }) => id)).toEqual([without.id]);
    expect(refusal(await owner.get('/tokens?sort=secret'))).toBe('field_invalid sort');
  });
});

describe('a budget', () => {
  test('says when it resets, and that its rest is too little for a request without an output limit', async () => {
    const { id, token } = await created({ name: 'small', models: ['gpt-4.1'], budgetUsd: '0.05', budgetPeriod: 'day' });
    const { budget } = await shown(id);
    expect(budget).toMatchObject({ leftUsd: '0.05', least: { model: 'gpt-4.1' } });
    expect(budget?.resetsAt).toMatch(/T00:00:00.000Z$/);
    // It is as it says: refused without an output limit, served with one.
    expect(Number(budget?.least?.usd)).toBeGreaterThan(0.05);
    expect(await call(token)).toBe(402);
    await answer(10, 10);
    expect(await call(token, { max_tokens: 100 })).toBe(200);
    const enough = await created({ name: 'enough', models: ['gpt-4.1'], budgetUsd: '100', budgetPeriod: 'total' });
    expect((await shown(enough.id)).budget).toEqual({
      limitUsd: '100.00',
      limitNano: '100000000000',
      period: 'total',
      spentUsd: '0.00',
      heldUsd: '0.00',
      leftUsd: '100.00',
    });
    await until(
      async () => {
        const { items } = (await owner.get('/usage/budgets')).body as { items: { tokenId: string; least?: object }[] };
        return items.some((alarm) => alarm.tokenId === id && alarm.least !== undefined);
      },
      60_000,
      'the token among the budgets that need a look',
    );
  });
});
