/** End users over the admin interface: made by requests, listed, limited, blocked and forgotten, as far as each person may. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { AuditView, IssuedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { EndUserView } from '../../src/admin/contracts/end-user-contract.ts';
import type { ProjectView, TeamView } from '../../src/admin/contracts/organization-contract.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);
const password = 'a password for all of them';
const jwtSecret = 'a secret that Open WebUI has too';
let weir: RunningWeir;
let owner: ConsoleClient;
const people: Record<string, ConsoleClient> = {};
const team = { id: '', project: '' };
const tokens: Record<string, { readonly id: string; readonly secret: string }> = {};

const bodyOf = <Body>(reply: ConsoleReply): Body => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
};

async function signedIn(name: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  bodyOf(await client.signIn(name, password));
  return client;
}

async function addPerson(name: string, role: string): Promise<void> {
  const reply = await owner.post('/accounts', { name, role: 'member', password });
  const { id } = bodyOf<{ account: { id: string } }>(reply).account;
  bodyOf(await owner.call('PUT', `/teams/${team.id}/members/${id}`, { body: { role } }));
  people[name] = await signedIn(name);
}

async function addToken(by: ConsoleClient, name: string, fields: object): Promise<void> {
  const { id, token: secret } = bodyOf<IssuedTokenView>(await by.post('/tokens', { name, ...fields }));
  tokens[name] = { id, secret };
}

async function ask(
  token: string,
  user: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly code: string }> {
  const reply = await fetch(`${weir.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[token]?.secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'hello' }], user }),
  });
  const body = (await reply.json()) as { readonly error?: { readonly code: string } };
  return { status: reply.status, code: body.error?.code ?? '' };
}

const listed = async (who: ConsoleClient | undefined, query = ''): Promise<readonly EndUserView[]> => {
  if (who === undefined) throw new Error('no such person');
  return bodyOf<PageView<EndUserView>>(await who.get(`/end-users${query}`)).items;
};
const names = async (who: ConsoleClient | undefined, query = ''): Promise<readonly string[]> =>
  (await listed(who, query)).map(({ name }) => name);
async function find(name: string): Promise<EndUserView> {
  const [found] = await listed(owner, `?q=${name}`);
  if (found === undefined) throw new Error(`${name} is not listed`);
  return found;
}

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password, WEIR_USAGE_END_USER_JWT_SECRET: jwtSecret } });
  owner = await signedIn('admin');
  const endUsers = { budgets: [{ unit: 'requests', limit: 2, period: 'total' }], max: 50 };
  team.id = bodyOf<TeamView>(await owner.post('/teams', { name: 'Portal', terms: { endUsers } })).id;
  team.project = bodyOf<ProjectView>(await owner.post(`/teams/${team.id}/projects`, { name: 'Chat' })).id;
  await addPerson('ana', 'admin');
  await addPerson('ben', 'member');
  await addPerson('vic', 'viewer');
  await addToken(people['ben'] ?? owner, 'of-ben', { unitId: team.project });
  await addToken(people['ana'] ?? owner, 'of-team', { unitId: team.id, ownerId: null });
  await addToken(owner, 'alone', { ownerId: null, endUsers: { rpm: 60 } });
  for (const [token, user] of [
    ['of-ben', 'kim@example.com'],
    ['of-ben', 'kim@example.com'],
    ['of-team', 'lee@example.com'],
    ['alone', 'zoe'],
  ] as const)
    expect(await ask(token, user)).toEqual({ status: 200, code: '' });
});
afterAll(() => weir?.remove());

test('the terms for end users come back as they were given, and a change of another field keeps them', async () => {
  const limits = { unit: 'requests', limit: '2', period: 'total', id: 'b1' } as const;
  const renamed = await owner.call('PATCH', `/teams/${team.id}`, { body: { terms: { rpm: 900 } } });
  expect(bodyOf<TeamView>(renamed).terms).toEqual({ rpm: 900, endUsers: { budgets: [limits], max: 50 } });
  const token = await owner.call('PATCH', `/tokens/${tokens['alone']?.id}`, { body: { subTokensMax: 3 } });
  expect(bodyOf<IssuedTokenView>(token)).toMatchObject({ subTokensMax: 3, endUsers: { rpm: 60 } });
  const wrong = await owner.call('PATCH', `/teams/${team.id}`, { body: { terms: { endUsers: { max: 0 } } } });
  expect([codeOf(wrong), JSON.stringify(wrong.body)]).toEqual([
    'field_invalid',
    expect.stringContaining('terms.endUsers.max: must be a whole number from 1 to '),
  ]);
});

test('lists whom requests named, with their level, budgets and spend, in pages and narrowed', async () => {
  await until(async () => (await find('kim')).terms.budgets?.[0]?.spent === '2');
  expect(await find('kim')).toMatchObject({
    name: 'kim@example.com',
    scope: { kind: 'team', id: team.id, name: 'Portal' },
    token: { id: tokens['of-ben']?.id, name: 'of-ben' },
    blocked: false,
    note: '',
    terms: { budgets: [{ id: 'b1', limit: '2', spent: '2', left: '0', share: 1 }] },
    own: [],
    limited: true,
    access: 'full',
  });
  const all = ['zoe', 'lee@example.com', 'kim@example.com'];
  expect(await names(owner)).toEqual(all);
  expect(await names(owner, `?team=${team.id}`)).toEqual(all.slice(1));
  expect(await names(owner, `?project=${team.project}`)).toEqual(['kim@example.com']);
  expect(await names(owner, `?token=${tokens['alone']?.id}`)).toEqual(['zoe']);
  expect(await names(owner, '?q=EXAMPLE%20lee')).toEqual(['lee@example.com']);
  expect(await names(owner, '?blocked=true')).toEqual([]);
  const first = bodyOf<PageView<EndUserView>>(await owner.get('/end-users?limit=2'));
  expect(first.items).toHaveLength(2);
  expect(await names(owner, `?limit=2&after=${first.next}`)).toEqual(all.slice(2));
  expect(codeOf(await owner.get('/end-users?after=elsewhere'))).toBe('field_invalid');
});

test('each person sees those of the tokens that they see', async () => {
  expect(await names(people['ana'])).toEqual(['lee@example.com', 'kim@example.com']);
  expect(await names(people['vic'])).toEqual(['lee@example.com', 'kim@example.com']);
  expect(await names(people['ben'])).toEqual(['kim@example.com']);
  const [kim] = await listed(people['ben']);
  expect(kim?.access).toBe('read');
  const path = `/end-users/${kim?.id}`;
  for (const who of ['ben', 'vic'])
    expect(codeOf((await people[who]?.call('PATCH', path, { body: { note: 'x' } })) ?? fail())).toBe(
      'role_not_allowed',
    );
  const zoe = await find('zoe');
  expect(codeOf((await people['ana']?.get(`/end-users/${zoe.id}`)) ?? fail())).toBe('not_found');
  expect(codeOf(await owner.get('/end-users/nothing'))).toBe('not_found');
});

test('a team admin raises a budget for a time, and the default counts again afterwards', async () => {
  expect(await ask('of-ben', 'kim@example.com')).toEqual({ status: 402, code: 'budget_spent' });
  const { id } = await find('kim');
  const path = `/end-users/${id}`;
  const raise = { limit: 5, until: new Date(Date.now() + 86_400_000).toISOString() };
  const raised = { id: 'b1', unit: 'requests', limit: 2, period: 'total', raise };
  const extra = { unit: 'requests', limit: 100, period: 'day' };
  const reply = await people['ana']?.call('PATCH', path, { body: { terms: { budgets: [raised, extra], rpm: 30 } } });
  const view = bodyOf<EndUserView>(reply ?? fail());
  expect(view.own).toEqual(['budgets', 'rpm']);
  expect(view.terms.budgets).toMatchObject([
    { id: 'b1', spent: '2', left: '3' },
    { id: 'e1', spent: '0', left: '100' },
  ]);
  await until(async () => (await ask('of-ben', 'kim@example.com')).status === 200);
  const unit = await owner.call('PATCH', path, { body: { terms: { budgets: [{ ...raised, unit: 'tokens' }] } } });
  expect(codeOf(unit)).toBe('field_invalid');
  const reset = bodyOf<EndUserView>(await owner.call('PATCH', path, { body: { terms: null } }));
  expect([reset.own, reset.terms.rpm]).toEqual([[], undefined]);
  expect(reset.terms.budgets).toMatchObject([{ id: 'b1', limit: '2', spent: '3', left: '0' }]);
});

test('terms nearer to a token replace those above, so only who manages these may set some', async () => {
  const endUsers = { budgets: [{ unit: 'requests', limit: 1_000, period: 'day' }] };
  const inProject = { name: 'loose', unitId: team.project, endUsers };
  const refused = (await people['ben']?.post('/tokens', inProject)) ?? fail();
  expect([codeOf(refused), JSON.stringify(refused.body)]).toEqual([
    'role_not_allowed',
    expect.stringContaining('endUsers: Portal has terms for end users'),
  ]);
  bodyOf((await people['ben']?.post('/tokens', { name: 'ben alone', endUsers })) ?? fail());
  bodyOf((await people['ana']?.post('/tokens', { ...inProject, ownerId: null })) ?? fail());
  bodyOf(await owner.call('PATCH', '/organization', { body: { terms: { endUsers: { max: 9 } } } }));
  expect(codeOf((await people['ben']?.post('/tokens', { name: 'ben again', endUsers })) ?? fail())).toBe(
    'role_not_allowed',
  );
  bodyOf(await owner.call('PATCH', '/organization', { body: { terms: { endUsers: null } } }));
});

test('a blocked end user is refused until unblocked; the owner of a token may block, not limit', async () => {
  const own = people['ben'] ?? fail();
  const alone = tokens['alone']?.id;
  const { id: benId } = bodyOf<{ account: { id: string } }>(await own.get('/session')).account;
  bodyOf(await owner.call('PATCH', `/tokens/${alone}`, { body: { ownerId: benId } }));
  const { id } = await find('zoe');
  const path = `/end-users/${id}`;
  expect(bodyOf<EndUserView>(await own.get(path)).access).toBe('block');
  expect(codeOf(await own.call('PATCH', path, { body: { terms: { rpm: 9 } } }))).toBe('role_not_allowed');
  const blocked = await own.call('PATCH', path, { body: { blocked: true, note: ' asked twice ' } });
  expect(bodyOf<EndUserView>(blocked)).toMatchObject({ blocked: true, note: 'asked twice' });
  await until(async () => (await ask('alone', 'zoe')).code === 'end_user_blocked');
  expect(await names(owner, '?blocked=true')).toEqual(['zoe']);
  bodyOf(await own.call('PATCH', path, { body: { blocked: false } }));
  await until(async () => (await ask('alone', 'zoe')).status === 200);
});

test('who is forgotten is no longer listed; what was spent stays, and the audit log has no name', async () => {
  const { id } = await find('kim');
  expect((await owner.call('DELETE', `/end-users/${id}`)).status).toBe(204);
  expect(codeOf(await owner.get(`/end-users/${id}`))).toBe('not_found');
  expect(await names(owner)).not.toContain('kim@example.com');
  await until(async () => (await ask('of-ben', 'kim@example.com')).code === 'budget_spent');
  expect((await find('kim')).terms.budgets).toMatchObject([{ spent: '3' }]);
  const audit = bodyOf<PageView<AuditView>>(await owner.get('/audit?limit=100')).items;
  const own = audit.filter(({ subject }) => subject === `end-user:${id}`);
  expect(own.map(({ action, detail }) => [action, detail])).toEqual([
    ['end-user-forget', {}],
    ['end-user-change', { fields: ['terms'] }],
    ['end-user-change', { fields: ['budgets', 'rpm'] }],
  ]);
  expect(JSON.stringify(own)).not.toContain('kim');
});

function fail(): never {
  throw new Error('no such person');
}

test('Open WebUI names the end user in a signed header, which counts before all others', async () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = { sub: 'signed-person', email: 'a@b.example', iss: 'open-webui', iat: seconds, exp: seconds + 300 };
  const statement = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signedBy = (secret: string): string =>
    `${statement}.${createHmac('sha256', secret).update(statement).digest('base64url')}`;
  const given = (jwt: string) => ({ 'x-openwebui-user-jwt': jwt, 'x-weir-end-user': 'claimed-person' });
  expect(await ask('alone', 'body-person', given(signedBy(jwtSecret)))).toMatchObject({ status: 200 });
  expect(await find('signed-person')).toMatchObject({ name: 'signed-person' });
  const forged = await ask('alone', 'body-person', given(signedBy('some other secret of theirs')));
  expect(forged).toEqual({ status: 400, code: 'header_invalid' });
  expect(await names(owner, '?q=claimed-person')).toEqual([]);
});
