/** Admin keys against a real server: what they reach, what limits them, what the audit log says, and writes that are done once. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AuditView, IssuedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { AdminKeysView, AdminKeyView, IssuedAdminKeyView } from '../../src/admin/contracts/admin-key-contract.ts';
import type { TeamView } from '../../src/admin/contracts/organization-contract.ts';
import { isOpenToKeys, keyRoutes } from '../../src/admin/keys/key-routes.ts';
import { type AdminRouteName, roleTable } from '../../src/admin/role-table.ts';
import { KeyClient } from '../harness/admin-key.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);
const password = 'a password for all of them';
let weir: RunningWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password } });
  owner = await signedIn('admin');
});
afterAll(() => weir?.remove());

async function signedIn(name: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  bodyOf(await client.signIn(name, password));
  return client;
}

const bodyOf = <Body>(reply: ConsoleReply): Body => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
};

async function keyOf(given: object = {}, creator = owner): Promise<IssuedAdminKeyView & { client: KeyClient }> {
  const issued = bodyOf<IssuedAdminKeyView>(await creator.post('/admin-keys', { name: 'k', role: 'owner', ...given }));
  return { ...issued, client: new KeyClient(weir, issued.key) };
}

async function accountOf(name: string, role: string): Promise<string> {
  const reply = await owner.post('/accounts', { name, role, password });
  return bodyOf<{ account: { id: string } }>(reply).account.id;
}

/** A path of the route in which every name is one that does not exist. */
const pathOf = (route: AdminRouteName): string =>
  (route.split(' ')[1] ?? '').replace('/console/api', '').replaceAll(/\{\w+\}/g, 'nothing');

describe('what a key reaches', () => {
  test('every route that is open to keys, with the key of an owner', async () => {
    const { client } = await keyOf();
    for (const route of keyRoutes) {
      const [method = ''] = route.split(' ');
      const reply = await client.call(method, pathOf(route), { body: { nothing: 1 } });
      expect([route, reply.status < 500, reply.status === 401]).toEqual([route, true, false]);
      expect(codeOf(reply)).not.toBe('path_not_found');
    }
  });

  test('nothing that belongs to a person at a browser', async () => {
    const { client } = await keyOf();
    const closed = (Object.keys(roleTable) as AdminRouteName[]).filter((route) => !isOpenToKeys(route));
    expect(closed.length).toBeGreaterThan(25);
    for (const route of closed) {
      const [method = ''] = route.split(' ');
      expect([route, codeOf(await client.call(method, pathOf(route)))]).toEqual([route, 'path_not_found']);
    }
  });

  test('the same as the console, with either header and without an origin', async () => {
    const { key, client } = await keyOf();
    expect((await client.get('/tokens')).body).toEqual((await owner.get('/tokens')).body);
    const byHeader = await client.get('/tokens', { headers: { authorization: null, 'x-api-key': key } });
    expect(byHeader.status).toBe(200);
    const both = await client.get('/tokens', { headers: { 'x-api-key': 'weir_other' } });
    expect(codeOf(both)).toBe('credentials_conflict');
    // A session is no key, and a key is no session and no token.
    const headers = { authorization: null, cookie: owner.cookie };
    expect(codeOf(await client.get('/tokens', { headers }))).toBe('admin_key_missing');
    const asSession = await new ConsoleClient(weir).get('/tokens', { headers: { authorization: `Bearer ${key}` } });
    expect(codeOf(asSession)).toBe('admin_only');
    const models = await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${key}` } });
    expect([models.status, await models.text()]).toEqual([
      401,
      expect.stringContaining('works under `/admin/v1` only'),
    ]);
  });

  test('nothing with a key that is wrong, expired, revoked or from another network', async () => {
    const { key, id, client } = await keyOf();
    for (const wrong of [weir.token, key.slice(0, -1), `${key.slice(0, -1)}~`, 'weir_admin_']) {
      expect(codeOf(await new KeyClient(weir, wrong).get('/tokens'))).toBe('admin_key_invalid');
    }
    await owner.call('DELETE', `/admin-keys/${id}`);
    const revoked = await client.get('/tokens');
    expect([revoked.status, codeOf(revoked)]).toEqual([401, 'admin_key_revoked']);
    const brief = await keyOf({ expiresAt: new Date(Date.now() + 400).toISOString() });
    await until(async () => codeOf(await brief.client.get('/tokens')) === 'admin_key_expired');
    const far = await keyOf({ networks: ['10.0.0.0/8'] });
    expect(codeOf(await far.client.get('/tokens'))).toBe('address_not_allowed');
    const near = await keyOf({ networks: ['10.0.0.0/8', '127.0.0.1/32'] });
    expect((await near.client.get('/tokens')).status).toBe(200);
    const states = bodyOf<AdminKeysView>(await owner.get('/admin-keys')).items;
    expect(states.find((view) => view.id === id)).toMatchObject({ state: 'revoked', mayChange: false });
    expect(states.find((view) => view.id === brief.id)).toMatchObject({ state: 'expired' });
  });
});

describe('scopes', () => {
  test('read is less than write, and the refusal names what is needed', async () => {
    const { client } = await keyOf({ scopes: ['tokens:read', 'teams:write'] });
    expect((await client.get('/tokens')).status).toBe(200);
    const refused = await client.post('/tokens', { name: 'x' });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'admin_key_scope']);
    expect(JSON.stringify(refused.body)).toContain('tokens:write');
    expect(codeOf(await client.get('/usage/count'))).toBe('admin_key_scope');
    const team = bodyOf<TeamView>(await client.post('/teams', { name: 'scoped' }));
    expect((await client.get(`/teams/${team.id}/members`)).status).toBe(200);
  });

  test('a scope does not give what the role has not', async () => {
    const { client } = await keyOf({ role: 'viewer', scopes: ['tokens:write'] });
    expect(codeOf(await client.post('/tokens', { name: 'x' }))).toBe('role_not_allowed');
  });

  test('unknown ones are refused, and a change only narrows', async () => {
    for (const scopes of [['tokens'], ['sessions:read'], ['admin-keys:write'], []]) {
      expect(codeOf(await owner.post('/admin-keys', { name: 'x', role: 'admin', scopes }))).toBe('field_invalid');
    }
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, client } = await keyOf({ scopes: ['tokens:write'], expiresAt });
    const patch = (body: object) => owner.call('PATCH', `/admin-keys/${id}`, { body });
    for (const wider of [
      { scopes: null },
      { scopes: ['usage:read'] },
      { expiresAt: null },
      { expiresAt: '2999-01-01' },
    ]) {
      expect(codeOf(await patch(wider))).toBe('field_invalid');
    }
    const narrowed = await patch({ name: 'narrow', scopes: ['tokens:read'], networks: ['127.0.0.0/8'] });
    expect(bodyOf<AdminKeyView>(narrowed)).toMatchObject({ name: 'narrow', scopes: ['tokens:read'], expiresAt });
    expect(codeOf(await client.post('/tokens', { name: 'x' }))).toBe('admin_key_scope');
  });
});

describe('a key and its creator', () => {
  test('is lowered, refused and works again with the creator', async () => {
    const id = await accountOf('second-owner', 'owner');
    const second = await signedIn('second-owner');
    const { id: keyId, client } = await keyOf({}, second);
    const change = (body: object) => owner.call('PATCH', `/accounts/${id}`, { body });
    expect((await client.post('/accounts', { name: 'o2', role: 'owner', password })).status).toBe(200);
    await change({ role: 'admin' });
    expect(codeOf(await client.post('/accounts', { name: 'o3', role: 'owner', password }))).toBe('role_not_allowed');
    expect((await client.get('/accounts')).status).toBe(200);
    await change({ role: 'member' });
    expect(codeOf(await client.get('/tokens'))).toBe('admin_key_revoked');
    const listed = bodyOf<AdminKeysView>(await owner.get('/admin-keys')).items.find((view) => view.id === keyId);
    expect(listed).toMatchObject({ state: 'suspended', createdBy: 'second-owner' });
    await change({ role: 'owner' });
    expect((await client.get('/tokens')).status).toBe(200);
    await change({ disabled: true });
    expect(codeOf(await client.get('/tokens'))).toBe('admin_key_revoked');
  });

  test('people create what they may, and no more', async () => {
    await accountOf('an-admin', 'admin');
    const admin = await signedIn('an-admin');
    expect(codeOf(await admin.post('/admin-keys', { name: 'x', role: 'owner' }))).toBe('role_not_allowed');
    const ofOwner = await keyOf();
    const patch = await admin.call('PATCH', `/admin-keys/${ofOwner.id}`, { body: { name: 'mine' } });
    expect(codeOf(patch)).toBe('role_not_allowed');
    expect((await admin.call('DELETE', `/admin-keys/${ofOwner.id}`)).status).toBe(200);
    await accountOf('a-member', 'member');
    const member = await signedIn('a-member');
    expect(codeOf(await member.post('/admin-keys', { name: 'x', role: 'viewer' }))).toBe('role_not_allowed');
    expect(bodyOf<AdminKeysView>(await member.get('/admin-keys')).items).toEqual([]);
  });

  test('a team admin has keys of the team, until they leave it', async () => {
    const team = bodyOf<TeamView>(await owner.post('/teams', { name: 'keyed' }));
    const id = await accountOf('team-admin', 'member');
    const role = (given: string) => owner.call('PUT', `/teams/${team.id}/members/${id}`, { body: { role: given } });
    await role('admin');
    const person = await signedIn('team-admin');
    expect(codeOf(await person.post('/admin-keys', { name: 'x', role: 'owner', teamId: team.id }))).toBe(
      'field_invalid',
    );
    const { client, id: keyId } = await keyOf({ role: 'admin', teamId: team.id }, person);
    const made = await client.post('/tokens', { name: 'service', unitId: team.id });
    expect(bodyOf<IssuedTokenView>(made)).toMatchObject({ teamId: team.id, access: 'full' });
    expect(bodyOf<PageView<IssuedTokenView>>(await client.get('/tokens')).items.map(({ name }) => name)).toEqual([
      'service',
    ]);
    expect(bodyOf<{ teams: TeamView[] }>(await client.get('/organization')).teams.map(({ id: each }) => each)).toEqual([
      team.id,
    ]);
    expect(bodyOf<AdminKeysView>(await person.get('/admin-keys')).items.map((view) => view.id)).toEqual([keyId]);
    await role('viewer');
    expect(codeOf(await client.post('/tokens', { name: 'x', unitId: team.id }))).toBe('role_not_allowed');
    expect((await client.get('/tokens')).status).toBe(200);
    await role('member');
    expect(codeOf(await client.get('/tokens'))).toBe('admin_key_revoked');
  });
});

describe('writes with an Idempotency-Key', () => {
  const write = (client: KeyClient, key: string, body: object, path = '/tokens') =>
    client.post(path, body, { headers: { 'idempotency-key': key } });
  const tokensNamed = async (name: string): Promise<number> =>
    bodyOf<PageView<IssuedTokenView>>(await owner.get(`/tokens?limit=100&q=${name}`)).items.length;

  test('are done once, also at the same time and after a restart', async () => {
    const { client } = await keyOf();
    const replies = await Promise.all(Array.from({ length: 8 }, () => write(client, 'once', { name: 'made-once' })));
    const done = replies.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const reply of replies) {
      if (reply.status === 200) continue;
      expect([reply.status, codeOf(reply)]).toEqual([409, 'idempotency_in_progress']);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    expect(done.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await tokensNamed('made-once')).toBe(1);
    await weir.stop();
    await weir.restart();
    const again = await write(client, 'once', { name: 'made-once' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(done[0]?.body as object);
    expect(bodyOf<IssuedTokenView>(again).token).toStartWith('weir_');
    expect(await tokensNamed('made-once')).toBe(1);
  });

  test('are refused for another request, and belong to their admin key', async () => {
    const [first, second] = [await keyOf(), await keyOf()];
    expect((await write(first.client, 'k', { name: 'idem-a' })).status).toBe(200);
    const other = await write(first.client, 'k', { name: 'idem-b' });
    expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
    expect((await write(first.client, 'k', { name: 'idem-a' }, '/teams')).status).toBe(422);
    expect((await write(second.client, 'k', { name: 'idem-b' })).headers.get('idempotent-replayed')).toBeNull();
    expect(codeOf(await write(first.client, 'a b', { name: 'x' }))).toBe('header_invalid');
    expect([await tokensNamed('idem-a'), await tokensNamed('idem-b')]).toEqual([1, 1]);
  });

  test('give the same refusal again, and an empty reply', async () => {
    const { client } = await keyOf();
    for (const isReplay of [null, 'true']) {
      const refused = await write(client, 'bad', { name: '' });
      expect([refused.status, codeOf(refused)]).toEqual([400, 'field_invalid']);
      expect(refused.headers.get('idempotent-replayed')).toBe(isReplay);
    }
    const team = bodyOf<TeamView>(await owner.post('/teams', { name: 'removed-once' }));
    for (const isReplay of [null, 'true']) {
      const gone = await client.call('DELETE', `/teams/${team.id}`, { headers: { 'idempotency-key': 'gone' } });
      expect([gone.status, gone.headers.get('idempotent-replayed')]).toEqual([204, isReplay]);
    }
  });
});

test('the rate limit is of each key, and says when to come back', async () => {
  const [busy, calm] = [await keyOf(), await keyOf()];
  await owner.call('PATCH', '/settings', { body: { values: { 'admin_keys.rpm': 3 } } });
  const replies = await Promise.all(Array.from({ length: 5 }, () => busy.client.get('/organization')));
  const limited = replies.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(2);
  for (const reply of limited) {
    expect(codeOf(reply)).toBe('rate_limited');
    expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 62);
  }
  expect((await calm.client.get('/organization')).status).toBe(200);
  await owner.call('PATCH', '/settings', { body: { values: { 'admin_keys.rpm': null } } });
});

test('pages of keys, the last use, and the names in the audit log; a secret is nowhere', async () => {
  const { id, key, client, hint } = await keyOf({ name: 'deploy' });
  expect(hint).toBe(`weir_admin_…${key.slice(-4)}`);
  await client.post('/teams', { name: 'by-key' });
  const audit = bodyOf<PageView<AuditView>>(await owner.get('/audit?action=team-create')).items[0];
  expect(audit).toMatchObject({ accountName: 'key:deploy', detail: { name: 'by-key', key: id, keyOf: 'admin' } });
  expect(audit?.accountId).toStartWith('acc_');
  const created = bodyOf<PageView<AuditView>>(await owner.get('/audit?action=admin-key-create')).items[0];
  expect(created).toMatchObject({ subject: `admin-key:${id}`, accountName: 'admin', detail: { name: 'deploy' } });

  const seen: AdminKeyView[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: AdminKeysView = bodyOf(await owner.get(`/admin-keys?limit=3&after=${after}`));
    seen.push(...page.items);
    after = page.next;
  }
  expect(seen.length).toBeGreaterThan(8);
  expect(new Set(seen.map((view) => view.id)).size).toBe(seen.length);
  expect(seen[0]).toMatchObject({ id, state: 'active', lastUsedAt: expect.any(String) });
  const log = JSON.stringify([await owner.get('/audit?limit=200'), seen]) + weir.output();
  expect(log).not.toContain(key.slice(11, 40));
});

test('the command line creates, lists and revokes', async () => {
  const created = await weir.command(
    ...['admin-key', 'create', '--name', 'from-shell', '--role', 'viewer', '--scopes', 'tokens:read,usage:read'],
    ...['--account', 'admin', '--networks', '127.0.0.0/8'],
  );
  expect(created.code).toBe(0);
  const client = new KeyClient(weir, created.stdout.trim());
  expect((await client.get('/tokens')).status).toBe(200);
  expect(codeOf(await client.get('/models'))).toBe('admin_key_scope');
  const listed = await weir.command('admin-key', 'list');
  expect(listed.stdout).toMatch(
    /key_\w+ +from-shell +weir_admin_…\w{4} +active +viewer +- +tokens:read,usage:read +admin/,
  );
  expect((await weir.command('admin-key', 'create', '--name', 'x', '--role', 'boss')).stderr).toContain('--role');
  expect((await weir.command('admin-key', 'revoke', 'from-shell')).code).toBe(0);
  expect(codeOf(await client.get('/tokens'))).toBe('admin_key_revoked');
  const audit = bodyOf<PageView<AuditView>>(await owner.get('/audit?action=admin-key-revoke')).items[0];
  expect(audit).toMatchObject({ address: 'command line', detail: { name: 'from-shell' } });
});
