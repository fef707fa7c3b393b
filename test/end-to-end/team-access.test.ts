/** Every route of the admin interface, tried by people of team B on what belongs to team A: no access and no data. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { IssuedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { IssuedAdminKeyView } from '../../src/admin/contracts/admin-key-contract.ts';
import type { EndUserView } from '../../src/admin/contracts/end-user-contract.ts';
import type { OrganizationView, ProjectView, TeamView } from '../../src/admin/contracts/organization-contract.ts';
import type { TasksView } from '../../src/admin/contracts/settings-contract.ts';
import { keyRoutes } from '../../src/admin/keys/key-routes.ts';
import { type AdminRouteName, roleTable } from '../../src/admin/role-table.ts';
import { KeyClient } from '../harness/admin-key.ts';
import { type CallOptions, ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for all of them';
let weir: RunningWeir;
let owner: ConsoleClient;

/** What belongs to team A. Every name and id of it is looked for in each reply. */
const alpha = {
  team: '',
  project: '',
  person: '',
  token: '',
  secret: '',
  serviceToken: '',
  request: '',
  task: '',
  endUser: '',
  invitation: '',
  key: '',
  names: [
    ...['alpha-team', 'alpha-project', 'alpha-person', 'alpha-token', 'alpha-service', 'alpha-key'],
    ...['alpha-reader', 'alpha-guest'],
  ],
};
const beta = { team: '', person: '', key: '' };

interface Call {
  readonly path: string;
  readonly body?: unknown;
}

/**
 * `refused`: 403, or 404 as if it did not exist. `empty`: an answer that has nothing of team A. `own`: the call is about the
 * caller alone; another person of team B tries it, because it may end their sessions. `wide`: what it serves belongs to no team, and a
 * member may not call it or sees what every member sees.
 */
interface Try {
  readonly expected: 'refused' | 'empty' | 'own' | 'wide';
  readonly call: () => Call;
}

const refused = (call: () => Call): Try => ({ expected: 'refused', call });
const empty = (call: () => Call): Try => ({ expected: 'empty', call });
const own = (call: () => Call): Try => ({ expected: 'own', call });
const wide = (call: () => Call): Try => ({ expected: 'wide', call });

const range = 'from=2020-01-01&to=2029-01-01';

const tries: Readonly<Record<AdminRouteName, Try>> = {
  'GET /console/api/set-up': own(() => ({ path: '/set-up' })),
  'POST /console/api/set-up': own(() => ({ path: '/set-up', body: { code: 'x', name: 'x', password } })),
  'POST /console/api/session': own(() => ({ path: '/session', body: { name: 'alpha-person', password: 'wrong' } })),
  'GET /console/api/session': own(() => ({ path: '/session' })),
  'DELETE /console/api/session': own(() => ({ path: '/session' })),
  'POST /console/api/session/password': own(() => ({
    path: '/session/password',
    body: { current: 'wrong', next: 'another password for them' },
  })),
  'POST /console/api/session/second-factor': own(() => ({
    path: '/session/second-factor',
    body: { ticket: 'x', kind: 'totp', code: '000000' },
  })),
  'POST /console/api/session/passkey/options': own(() => ({ path: '/session/passkey/options', body: {} })),
  'POST /console/api/session/passkey': own(() => ({ path: '/session/passkey', body: {} })),
  'POST /console/api/invitation/read': own(() => ({ path: '/invitation/read', body: { code: 'x' } })),
  'POST /console/api/invitation': own(() => ({ path: '/invitation', body: { code: 'x', name: 'x', password } })),
  'GET /console/api/sign-in/issuers': own(() => ({ path: '/sign-in/issuers' })),
  'GET /console/api/sign-in/settings': refused(() => ({ path: '/sign-in/settings' })),
  'POST /console/api/sign-in/issuers/{name}/test': refused(() => ({ path: '/sign-in/issuers/corp/test' })),
  'GET /console/api/admin-keys': empty(() => ({ path: '/admin-keys' })),
  'POST /console/api/admin-keys': refused(() => ({
    path: '/admin-keys',
    body: { name: 'spy', role: 'admin', teamId: alpha.team },
  })),
  'PATCH /console/api/admin-keys/{id}': refused(() => ({ path: `/admin-keys/${alpha.key}`, body: { name: 'x' } })),
  'DELETE /console/api/admin-keys/{id}': refused(() => ({ path: `/admin-keys/${alpha.key}` })),
  'GET /console/api/jwt/revocations': refused(() => ({ path: '/jwt/revocations' })),
  'POST /console/api/jwt/revocations': refused(() => ({ path: '/jwt/revocations', body: { issuer: 'x', jti: 'y' } })),
  'GET /console/api/alerts': refused(() => ({ path: '/alerts' })),
  'GET /console/api/alert-channels': refused(() => ({ path: '/alert-channels' })),
  'POST /console/api/alert-channels': refused(() => ({ path: '/alert-channels', body: { name: 'x' } })),
  'PATCH /console/api/alert-channels/{id}': refused(() => ({ path: '/alert-channels/x', body: { name: 'y' } })),
  'DELETE /console/api/alert-channels/{id}': refused(() => ({ path: '/alert-channels/x' })),
  'POST /console/api/alert-channels/{id}/test': refused(() => ({ path: '/alert-channels/x/test' })),
  'GET /console/api/alert-rules': refused(() => ({ path: '/alert-rules' })),
  'POST /console/api/alert-rules': refused(() => ({ path: '/alert-rules', body: { name: 'x' } })),
  'PATCH /console/api/alert-rules/{id}': refused(() => ({ path: '/alert-rules/x', body: { name: 'y' } })),
  'DELETE /console/api/alert-rules/{id}': refused(() => ({ path: '/alert-rules/x' })),
  'POST /console/api/device': own(() => ({ path: '/device', body: { code: 'BCDF-GHJK' } })),
  'POST /console/api/device/answer': own(() => ({
    path: '/device/answer',
    body: { code: 'BCDF-GHJK', approve: true },
  })),
  'GET /console/api/programs': empty(() => ({ path: '/programs' })),
  'DELETE /console/api/programs/{id}': refused(() => ({ path: '/programs/sig_of_alpha' })),
  'GET /console/api/factors': own(() => ({ path: '/factors' })),
  'POST /console/api/factors/totp': own(() => ({ path: '/factors/totp', body: { password: 'wrong' } })),
  'POST /console/api/factors/totp/confirm': own(() => ({ path: '/factors/totp/confirm', body: { code: '000000' } })),
  'POST /console/api/factors/totp/disable': own(() => ({
    path: '/factors/totp/disable',
    body: { password: 'wrong', code: '000000' },
  })),
  'POST /console/api/factors/passkeys/options': own(() => ({
    path: '/factors/passkeys/options',
    body: { password: 'wrong' },
  })),
  'POST /console/api/factors/passkeys': own(() => ({ path: '/factors/passkeys', body: {} })),
  'POST /console/api/factors/passkeys/{id}/remove': own(() => ({
    path: '/factors/passkeys/key_of_alpha/remove',
    body: { password: 'wrong' },
  })),
  'POST /console/api/factors/recovery-codes': own(() => ({
    path: '/factors/recovery-codes',
    body: { password: 'wrong' },
  })),
  'DELETE /console/api/accounts/{id}/factors': refused(() => ({ path: `/accounts/${alpha.person}/factors` })),
  'GET /console/api/invitations': empty(() => ({ path: '/invitations' })),
  'POST /console/api/invitations': refused(() => ({
    path: '/invitations',
    body: { role: 'member', teamId: alpha.team, teamRole: 'admin' },
  })),
  'DELETE /console/api/invitations/{id}': refused(() => ({ path: `/invitations/${alpha.invitation}` })),
  'GET /console/api/sessions': own(() => ({ path: '/sessions' })),
  'DELETE /console/api/sessions': own(() => ({ path: '/sessions' })),
  'DELETE /console/api/sessions/{id}': refused(() => ({ path: '/sessions/ses_of_alpha' })),
  'GET /console/api/accounts': refused(() => ({ path: '/accounts' })),
  'POST /console/api/accounts': refused(() => ({ path: '/accounts', body: { name: 'x', role: 'member' } })),
  'PATCH /console/api/accounts/{id}': refused(() => ({ path: `/accounts/${alpha.person}`, body: { name: 'x' } })),
  'POST /console/api/accounts/{id}/password': refused(() => ({ path: `/accounts/${alpha.person}/password` })),
  'GET /console/api/accounts/{id}/sessions': refused(() => ({ path: `/accounts/${alpha.person}/sessions` })),
  'DELETE /console/api/accounts/{id}/sessions': refused(() => ({ path: `/accounts/${alpha.person}/sessions` })),
  'GET /console/api/accounts/{id}/terms': refused(() => ({ path: `/accounts/${alpha.person}/terms` })),
  'PATCH /console/api/accounts/{id}/terms': refused(() => ({
    path: `/accounts/${alpha.person}/terms`,
    body: { terms: { rpm: 1 } },
  })),
  'GET /console/api/end-users': empty(() => ({ path: `/end-users?limit=100&team=${alpha.team}` })),
  'GET /console/api/end-users/{id}': refused(() => ({ path: `/end-users/${alpha.endUser}` })),
  'PATCH /console/api/end-users/{id}': refused(() => ({
    path: `/end-users/${alpha.endUser}`,
    body: { blocked: true },
  })),
  'DELETE /console/api/end-users/{id}': refused(() => ({ path: `/end-users/${alpha.endUser}` })),
  'GET /console/api/organization': empty(() => ({ path: '/organization' })),
  'PATCH /console/api/organization': refused(() => ({ path: '/organization', body: { terms: { disabled: true } } })),
  'POST /console/api/teams': refused(() => ({ path: '/teams', body: { name: 'third' } })),
  'PATCH /console/api/teams/{id}': refused(() => ({ path: `/teams/${alpha.team}`, body: { name: 'x' } })),
  'DELETE /console/api/teams/{id}': refused(() => ({ path: `/teams/${alpha.team}` })),
  'GET /console/api/teams/{id}/members': refused(() => ({ path: `/teams/${alpha.team}/members` })),
  'PUT /console/api/teams/{id}/members/{accountId}': refused(() => ({
    path: `/teams/${alpha.team}/members/${beta.person}`,
    body: { role: 'admin' },
  })),
  'DELETE /console/api/teams/{id}/members/{accountId}': refused(() => ({
    path: `/teams/${alpha.team}/members/${alpha.person}`,
  })),
  'POST /console/api/teams/{id}/projects': refused(() => ({
    path: `/teams/${alpha.team}/projects`,
    body: { name: 'x' },
  })),
  'PATCH /console/api/projects/{id}': refused(() => ({ path: `/projects/${alpha.project}`, body: { name: 'x' } })),
  'DELETE /console/api/projects/{id}': refused(() => ({ path: `/projects/${alpha.project}` })),
  'GET /console/api/tokens': empty(() => ({ path: `/tokens?limit=100&team=${alpha.team}` })),
  'POST /console/api/tokens': refused(() => ({ path: '/tokens', body: { name: 'spy', unitId: alpha.project } })),
  'GET /console/api/tokens/{id}': refused(() => ({ path: `/tokens/${alpha.token}` })),
  'PATCH /console/api/tokens/{id}': refused(() => ({ path: `/tokens/${alpha.serviceToken}`, body: { name: 'x' } })),
  'POST /console/api/tokens/{id}/rotate': refused(() => ({ path: `/tokens/${alpha.serviceToken}/rotate` })),
  'DELETE /console/api/tokens/{id}': refused(() => ({ path: `/tokens/${alpha.serviceToken}` })),
  'POST /console/api/playground-token': own(() => ({ path: '/playground-token' })),
  'GET /console/api/usage/requests': empty(() => ({ path: `/usage/requests?team=${alpha.team}&${range}` })),
  'GET /console/api/usage/requests/{id}': refused(() => ({ path: `/usage/requests/${alpha.request}` })),
  'GET /console/api/usage/requests/{id}/content': refused(() => ({ path: `/usage/requests/${alpha.request}/content` })),
  'GET /console/api/usage/overview': empty(() => ({ path: `/usage/overview?project=${alpha.project}&${range}` })),
  'GET /console/api/usage/breakdown': empty(() => ({ path: `/usage/breakdown?by=team&${range}` })),
  'GET /console/api/usage/count': empty(() => ({ path: `/usage/count?team=${alpha.team}&${range}` })),
  'GET /console/api/usage/export': empty(() => ({ path: `/usage/export?form=csv&${range}` })),
  'GET /console/api/usage/export/sums': empty(() => ({ path: `/usage/export/sums?by=team,project,token&${range}` })),
  'GET /console/api/usage/budgets': empty(() => ({ path: '/usage/budgets' })),
  'GET /console/api/usage/unpriced': empty(() => ({ path: '/usage/unpriced' })),
  'GET /console/api/usage/ending': empty(() => ({ path: '/usage/ending' })),
  'GET /console/api/models': wide(() => ({ path: '/models' })),
  'GET /console/api/model': wide(() => ({ path: '/model?id=sandbox-chat' })),
  'GET /console/api/tasks': empty(() => ({ path: `/tasks?team=${alpha.team}` })),
  'GET /console/api/tasks/{id}/videos/{index}': refused(() => ({ path: `/tasks/${alpha.task}/videos/0` })),
  'GET /console/api/presets': refused(() => ({ path: '/presets' })),
  'GET /console/api/providers': refused(() => ({ path: '/providers' })),
  'POST /console/api/providers': refused(() => ({ path: '/providers', body: {} })),
  'POST /console/api/providers/trial': refused(() => ({ path: '/providers/trial', body: {} })),
  'PATCH /console/api/providers/{name}': refused(() => ({ path: '/providers/sandbox', body: {} })),
  'DELETE /console/api/providers/{name}': refused(() => ({ path: '/providers/sandbox' })),
  'POST /console/api/providers/{name}/trial': refused(() => ({ path: '/providers/sandbox/trial' })),
  'POST /console/api/providers/{name}/pause': refused(() => ({ path: '/providers/sandbox/pause', body: {} })),
  'GET /console/api/routes': refused(() => ({ path: '/routes' })),
  'POST /console/api/routes': refused(() => ({ path: '/routes', body: {} })),
  'DELETE /console/api/routes': refused(() => ({ path: '/routes' })),
  'GET /console/api/prices': refused(() => ({ path: '/prices' })),
  'POST /console/api/prices': refused(() => ({ path: '/prices', body: {} })),
  'DELETE /console/api/prices': refused(() => ({ path: '/prices' })),
  'GET /console/api/price-tables': refused(() => ({ path: '/price-tables' })),
  'POST /console/api/price-tables/confirm': refused(() => ({ path: '/price-tables/confirm', body: {} })),
  'POST /console/api/explain': refused(() => ({ path: '/explain', body: {} })),
  'GET /console/api/export': refused(() => ({ path: '/export' })),
  'GET /console/api/health': refused(() => ({ path: '/health' })),
  'GET /console/api/settings': refused(() => ({ path: '/settings' })),
  'PATCH /console/api/settings': refused(() => ({ path: '/settings', body: { values: {} } })),
  'GET /console/api/home': refused(() => ({ path: '/home' })),
  'PATCH /console/api/home': refused(() => ({ path: '/home', body: {} })),
  'GET /console/api/audit': refused(() => ({ path: '/audit' })),
};

async function signedIn(name: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  const reply = await client.signIn(name, password);
  if (reply.status !== 200) throw new Error(`${name} could not sign in: ${JSON.stringify(reply.body)}`);
  return client;
}

async function personIn(name: string, teamId: string, role: string): Promise<string> {
  const reply = await owner.post('/accounts', { name, role: 'member', password });
  const { id } = (reply.body as { account: { id: string } }).account;
  const put = await owner.call('PUT', `/teams/${teamId}/members/${id}`, { body: { role } });
  if (put.status !== 200) throw new Error(JSON.stringify(put.body));
  return id;
}

const bodyOf = <Body>(reply: ConsoleReply): Body => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
};

async function ask(path: string, token: string, body: object): Promise<Response> {
  return fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Everything of team A as the owner sees it: it must not change. */
async function stateOfAlpha(): Promise<string> {
  const tree = bodyOf<OrganizationView>(await owner.get('/organization'));
  const members = bodyOf<object>(await owner.get(`/teams/${alpha.team}/members`));
  const tokens = bodyOf<PageView<IssuedTokenView>>(await owner.get(`/tokens?limit=100&team=${alpha.team}`));
  const terms = bodyOf<object>(await owner.get(`/accounts/${alpha.person}/terms`));
  const facts = tokens.items.map(({ id, name, state, hint, unitId, rpm }) => ({ id, name, state, hint, unitId, rpm }));
  const endUsers = bodyOf<object>(await owner.get('/end-users'));
  const invitations = bodyOf<object>(await owner.get('/invitations'));
  return JSON.stringify([tree, members, facts, terms, endUsers, invitations]);
}

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password, WEIR_TASKS_ASK_EVERY_MS: '50' } });
  owner = await signedIn('admin');
  await owner.call('PATCH', '/settings', { body: { values: { 'content_storage.requests': true } } });
  alpha.team = bodyOf<TeamView>(
    await owner.post('/teams', { name: 'alpha-team', terms: { rpm: 5_000, endUsers: {} } }),
  ).id;
  beta.team = bodyOf<TeamView>(await owner.post('/teams', { name: 'beta-team' })).id;
  const project = await owner.post(`/teams/${alpha.team}/projects`, { name: 'alpha-project' });
  alpha.project = bodyOf<ProjectView>(project).id;
  alpha.person = await personIn('alpha-person', alpha.team, 'admin');
  beta.person = await personIn('beta-admin', beta.team, 'admin');
  await personIn('beta-member', beta.team, 'member');
  await personIn('beta-viewer', beta.team, 'viewer');
  await personIn('beta-other', beta.team, 'admin');

  const person = await signedIn('alpha-person');
  const invited = await person.post('/invitations', { role: 'member', teamId: alpha.team, note: 'alpha-guest' });
  alpha.invitation = bodyOf<{ invitation: { id: string } }>(invited).invitation.id;
  const token = await person.post('/tokens', { name: 'alpha-token', unitId: alpha.project, budgetUsd: '0.01' });
  const { id, token: secret } = bodyOf<IssuedTokenView>(token);
  Object.assign(alpha, { token: id, secret });
  const service = await person.post('/tokens', { name: 'alpha-service', unitId: alpha.team, ownerId: null });
  alpha.serviceToken = bodyOf<IssuedTokenView>(service).id;
  const key = await person.post('/admin-keys', { name: 'alpha-key', role: 'admin', teamId: alpha.team });
  alpha.key = bodyOf<IssuedAdminKeyView>(key).id;
  // Of the owner, who sees all teams: the key does not.
  const betaKey = await owner.post('/admin-keys', { name: 'beta-key', role: 'admin', teamId: beta.team });
  beta.key = bodyOf<IssuedAdminKeyView>(betaKey).key;
  const messages = [{ role: 'user', content: 'alpha-prompt' }];
  const chat = await ask('/v1/chat/completions', secret, { model: 'sandbox-chat', messages, user: 'alpha-reader' });
  alpha.request = chat.headers.get('x-request-id') ?? '';
  await chat.arrayBuffer();
  const order = { model: 'sandbox-video', prompt: 'a lake', duration: 1, size: '128x128' };
  const ordered = await ask('/v1/video/generations', secret, order);
  alpha.task = ((await ordered.json()) as { task_id: string }).task_id;
  alpha.endUser = bodyOf<PageView<EndUserView>>(await owner.get('/end-users')).items[0]?.id ?? '';
  await until(async () => (await owner.get(`/usage/requests/${alpha.request}/content`)).status === 200);
  await until(async () => {
    const { items } = bodyOf<TasksView>(await owner.get('/tasks'));
    return items.some((task) => task.id === alpha.task && task.state === 'completed');
  });
});
afterAll(() => weir?.remove());

/** Names, ids and what was written of team A. An error may repeat the path that it was asked for. */
function tracesIn(reply: ConsoleReply): readonly string[] {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? '');
  const { names, secret, ...ids } = alpha;
  const traces = [...names, 'alpha-prompt', secret.slice(0, 10), ...Object.values(ids)];
  return traces.filter((trace) => text.includes(trace));
}

test('the people of team A see all of it', async () => {
  const person = await signedIn('alpha-person');
  for (const [name, { expected, call }] of Object.entries(tries)) {
    if (!name.startsWith('GET ') || expected === 'wide') continue;
    const { path } = call();
    const reply = await person.get(path);
    // What they may not see either is the operator's.
    if (reply.status === 403) continue;
    if (expected === 'refused') expect([name, reply.status]).toEqual([name, 200]);
  }
  const seen = ['/organization', `/tokens?team=${alpha.team}`, `/usage/requests?team=${alpha.team}&${range}`];
  for (const path of [...seen, '/end-users', '/invitations', `/tasks?team=${alpha.team}`, `/usage/export?${range}`]) {
    expect(tracesIn(await person.get(path))).not.toEqual([]);
  }
});

for (const who of ['beta-admin', 'beta-member', 'beta-viewer']) {
  describe(`${who} and team A`, () => {
    let outsider: ConsoleClient;
    let before = '';
    beforeAll(async () => {
      outsider = await signedIn(who);
      before = await stateOfAlpha();
    });

    for (const name of Object.keys(roleTable) as AdminRouteName[]) {
      const client = tries[name].expected === 'own' ? () => signedIn('beta-other') : () => outsider;
      test(name, () => tryRoute(name, client));
    }

    test('changed nothing of it', async () => {
      expect(await stateOfAlpha()).toBe(before);
    });
  });
}

describe('a key of team B, which an owner created, and team A', () => {
  let before = '';
  beforeAll(async () => {
    before = await stateOfAlpha();
  });

  for (const name of keyRoutes) test(name, () => tryRoute(name, () => new KeyClient(weir, beta.key)));

  test('changed nothing of it', async () => {
    expect(await stateOfAlpha()).toBe(before);
  });

  test('the terms of its creator, and tokens outside of its team', async () => {
    const client = new KeyClient(weir, beta.key);
    const { account } = bodyOf<{ account: { id: string } }>(await owner.get('/session'));
    expect(codeOf(await client.call('GET', `/accounts/${account.id}/terms`))).toBe('not_found');
    expect(codeOf(await client.call('POST', '/tokens', { body: { name: 'outside' } }))).toBe('role_not_allowed');
    const given = { name: 'inside', unitId: beta.team };
    expect((await client.call('POST', '/tokens', { body: given })).body).not.toHaveProperty('ownerId');
    const toOwner = await client.call('POST', '/tokens', { body: { ...given, ownerId: account.id } });
    expect(codeOf(toOwner)).toBe('role_not_allowed');
  });
});

interface Caller {
  call(method: string, path: string, options?: CallOptions): Promise<ConsoleReply>;
}

async function tryRoute(name: AdminRouteName, clientOf: () => Caller | Promise<Caller>): Promise<void> {
  const [method = '', route = ''] = name.split(' ', 2);
  const { expected, call } = tries[name];
  const { path, body } = call();
  const pattern = new RegExp(`^${route.replace('/console/api', '').replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
  expect(path).toMatch(pattern);
  const reply = await (await clientOf()).call(method, path, { body });
  const verdict = { status: reply.status, code: codeOf(reply), traces: tracesIn(reply) };
  expect(verdict.traces).toEqual([]);
  if (expected === 'empty' || expected === 'wide') expect(verdict.status).toBe(200);
  if (expected !== 'refused') return;
  // A place that one may not see is as wrong as one that does not exist.
  const codes = name === 'POST /console/api/tokens' ? ['field_invalid'] : ['role_not_allowed', 'not_found'];
  expect(codes).toContain(verdict.code);
}
