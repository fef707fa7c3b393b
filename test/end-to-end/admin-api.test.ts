/** The admin API as its pages use it: set-up, sign-in, roles on every route, and who sees what. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, roles } from '../../src/access/account.ts';
import { type AdminRouteName, admittedTo, roleTable } from '../../src/admin/role-table.ts';
import { post, scripted } from '../harness/chat.ts';
import { ConsoleClient, type ConsoleReply, codeOf, setUpCodes } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let owner: ConsoleClient;
const people = new Map<Role, ConsoleClient>();
const ownerPassword = `canary-owner-${crypto.randomUUID()}`;
const passwordOf = (role: Role): string => (role === 'owner' ? ownerPassword : `canary-${role}-password`);
const secrets: string[] = [ownerPassword];
let setUpReply: ConsoleReply;
let setUpCode = '';

const person = (role: Role): ConsoleClient => {
  const found = people.get(role);
  if (found === undefined) throw new Error(`no account has the role ${role}`);
  return found;
};
const fieldsOf = ({ body }: ConsoleReply): Record<string, unknown> => body as Record<string, unknown>;
const itemsOf = (reply: ConsoleReply) => fieldsOf(reply)['items'] as Record<string, unknown>[];
const idOf = async (role: Role): Promise<string> => {
  const { body } = await person(role).get('/session');
  return (body as { account: { id: string } }).account.id;
};
const chat = (token: string) => post({ base: weir.base, token }, scripted({}, { model: 'sandbox-chat' }));

beforeAll(async () => {
  weir = await startWeir({
    env: { WEIR_SERVER_TRUSTED_PROXIES: '127.0.0.0/8', WEIR_SECRET_KEY: `canary-key-${crypto.randomUUID()}` },
  });
  await until(() => setUpCodes(weir.output()).length > 0, 60_000, 'the set-up link');
  setUpCode = setUpCodes(weir.output())[0] ?? '';
  owner = new ConsoleClient(weir);
  setUpReply = await owner.post('/set-up', { code: setUpCode, name: 'Olga@Example.org', password: ownerPassword });
  people.set('owner', owner);
  for (const role of roles.filter((one) => one !== 'owner')) {
    await owner.post('/accounts', { name: role, role, password: passwordOf(role) });
    const client = new ConsoleClient(weir);
    await client.signIn(role, passwordOf(role));
    people.set(role, client);
    secrets.push(passwordOf(role));
  }
  secrets.push(setUpCode, ...[...people.values()].map(({ cookie }) => cookie.split('=')[1] ?? ''));
});
afterAll(() => weir.remove());

describe('set-up', () => {
  test('creates an owner, signs them in, and works once', async () => {
    expect(setUpReply.status).toBe(200);
    expect(setUpReply.body).toMatchObject({ account: { name: 'Olga@Example.org', role: 'owner', state: 'active' } });
    const cookie = setUpReply.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^weir_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=2592000$/);
    const again = await new ConsoleClient(weir).post('/set-up', {
      code: setUpCode,
      name: 'thief',
      password: 'a long password',
    });
    expect([again.status, codeOf(again)]).toEqual([403, 'set_up_refused']);
    expect((await new ConsoleClient(weir).get('/set-up')).body).toEqual({ done: true });
  });

  test('needs the printed link until it is done, and a restart prints another link', async () => {
    const fresh = await startWeir();
    try {
      await until(() => setUpCodes(fresh.output()).length === 1, 60_000, 'the set-up link');
      const client = new ConsoleClient(fresh);
      expect((await client.get('/set-up')).body).toEqual({ done: false });
      const account = { name: 'me', password: 'a long password' };
      const wrong = await client.post('/set-up', { ...account, code: 'A'.repeat(43) });
      expect([wrong.status, codeOf(wrong)]).toEqual([403, 'set_up_refused']);
      const short = await client.post('/set-up', { ...account, code: 'x', password: 'short' });
      expect([short.status, codeOf(short)]).toEqual([400, 'field_invalid']);
      await fresh.stop();
      await fresh.restart();
      await until(() => setUpCodes(fresh.output()).length === 2, 60_000, 'a second link');
      const code = setUpCodes(fresh.output())[1] ?? '';
      const both = await Promise.all(
        [0, 1, 2].map(() => new ConsoleClient(fresh).post('/set-up', { ...account, code })),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    } finally {
      await fresh.remove();
    }
  }, 300_000);

  test('the operator’s password creates an owner instead, and under TLS the cookie is bound to the host', async () => {
    const adminPassword = `canary-operator-${crypto.randomUUID()}`;
    const given = await startWeir({
      env: { WEIR_ADMIN_PASSWORD: adminPassword, WEIR_SERVER_PUBLIC_URL: 'https://weir.example' },
    });
    try {
      expect(setUpCodes(given.output())).toEqual([]);
      const client = new ConsoleClient(given, 'https://weir.example');
      const reply = await client.signIn('ADMIN', adminPassword);
      expect(reply.body).toMatchObject({ account: { name: 'admin', role: 'owner' } });
      expect(reply.headers.get('set-cookie')).toMatch(
        /^__Host-weir_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Secure; Max-Age=\d+$/,
      );
      expect((await client.get('/session')).status).toBe(200);
      const plain = client.cookie.replace('__Host-', '');
      expect((await client.get('/session', { headers: { cookie: plain } })).status).toBe(401);
      const foreign = await client.signIn('admin', adminPassword, { headers: { origin: 'https://evil.example' } });
      expect([foreign.status, codeOf(foreign)]).toEqual([403, 'origin_not_allowed']);
      await client.post('/session/password', { current: adminPassword, next: 'another long one' });
      await given.stop();
      await given.restart();
      expect((await new ConsoleClient(given).signIn('admin', 'another long one')).status).toBe(200);
      expect(given.output()).not.toContain(adminPassword);
    } finally {
      await given.remove();
    }
  }, 300_000);
});

describe('every route of the table', () => {
  const rows = Object.keys(roleTable) as AdminRouteName[];
  const callRow = (client: ConsoleClient, name: AdminRouteName, headers: Record<string, string | null> = {}) => {
    const [method = '', path = ''] = name
      .replace(/\{[^}]+\}/g, 'none')
      .replace('/console/api', '')
      .split(' ');
    return client.call(method, path, { headers });
  };

  /** Separate accounts: some of these calls end all sessions of the account that makes them. */
  const walkers = new Map<Role, string>();
  const sessions = new Map<Role, ConsoleClient>();
  beforeAll(async () => {
    for (const role of roles) {
      const made = await owner.post('/accounts', { name: `walking ${role}`, role, password: 'walking password' });
      walkers.set(role, (made.body as { account: { id: string } }).account.id);
    }
  });
  afterAll(() => owner.call('PATCH', `/accounts/${walkers.get('owner')}`, { body: { disabled: true } }));

  test.each(rows)('%s admits the roles of its row and no other', async (name) => {
    const admitted = admittedTo(name);
    const stranger = await callRow(new ConsoleClient(weir), name);
    if (admitted === 'public') expect(codeOf(stranger)).not.toBe('sign_in_required');
    else expect([stranger.status, codeOf(stranger)]).toEqual([401, 'sign_in_required']);
    for (const role of roles) {
      const client = sessions.get(role) ?? new ConsoleClient(weir);
      if (!sessions.has(role)) await client.signIn(`walking ${role}`, 'walking password');
      const reply = await callRow(client, name);
      // The call may have ended the session.
      if (name === 'DELETE /console/api/session' || name === 'DELETE /console/api/sessions') sessions.delete(role);
      else sessions.set(role, client);
      if (admitted === 'public' || admitted.includes(role)) expect([401, 403, 500]).not.toContain(reply.status);
      else expect([role, reply.status, codeOf(reply)]).toEqual([role, 403, 'role_not_allowed']);
    }
  });

  test.each(rows)('%s refuses a model token and a foreign origin, and sends no CORS headers', async (name) => {
    for (const headers of [{ authorization: `Bearer ${weir.token}` }, { 'x-api-key': weir.token }]) {
      const reply = await callRow(new ConsoleClient(weir), name, headers);
      expect([reply.status, codeOf(reply)]).toEqual([403, 'admin_only']);
    }
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: null },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: weir.url },
    ];
    for (const headers of foreign) {
      const reply = await callRow(person('owner'), name, headers);
      if (!name.startsWith('GET ')) expect([reply.status, codeOf(reply)]).toEqual([403, 'origin_not_allowed']);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const path = name.split(' ')[1]?.replace(/\{[^}]+\}/g, 'none') ?? '';
    const preflight = await fetch(weir.url + path, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('an unknown path is a 404 with a JSON error', async () => {
    for (const [method, path] of [
      ['GET', '/nope'],
      ['POST', '/tokens/a/b/c'],
      ['DELETE', ''],
      ['PATCH', '/session/x'],
    ] as const) {
      const reply = await owner.call(method, path);
      expect([reply.status, codeOf(reply)]).toEqual([404, 'path_not_found']);
    }
    expect((await owner.call('DELETE', '/tokens')).status).toBe(405);
  });

  test('a session does not open a model route', async () => {
    for (const path of ['/models', '/responses/resp_none']) {
      const reply = await fetch(weir.base + path, { headers: { cookie: owner.cookie } });
      expect([reply.status, codeOf({ ...reply, body: await reply.json() } as ConsoleReply)]).toEqual([
        401,
        'token_missing',
      ]);
    }
  });
});

describe('signing in', () => {
  test('twenty wrong passwords lock a name for one IP; other names and IPs can still sign in', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const guess = (index: number) =>
      new ConsoleClient(weir).signIn('viewer', `guess number ${index}`, from('198.51.100.7'));
    const replies = await Promise.all(Array.from({ length: 25 }, (_, index) => guess(index)));
    const codes = replies.map((reply) => `${reply.status} ${codeOf(reply)}`).toSorted();
    expect(codes).toEqual([...Array(20).fill('401 sign_in_failed'), ...Array(5).fill('429 sign_in_limited')]);
    const right = await new ConsoleClient(weir).signIn('viewer', passwordOf('viewer'), from('198.51.100.7'));
    expect([right.status, codeOf(right)]).toEqual([429, 'sign_in_limited']);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(800);
    const others = [
      new ConsoleClient(weir).signIn('viewer', passwordOf('viewer'), from('198.51.100.8')),
      // Behind an untrusted proxy all clients have one IP.
      new ConsoleClient(weir).signIn('member', passwordOf('member'), from('198.51.100.7')),
    ];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a wrong name and a wrong password get the same answer', async () => {
    const client = new ConsoleClient(weir);
    const [name, password] = [await client.signIn('unknown', 'x'), await client.signIn('viewer', 'x')];
    expect(fieldsOf(name)['error']).toEqual(fieldsOf(password)['error']);
    expect([name.status, client.cookie]).toEqual([401, '']);
  });

  test('a body that is not JSON, is too large or has unknown fields is refused by name', async () => {
    const client = new ConsoleClient(weir);
    const answer = async (body: unknown, headers = {}) => {
      const reply = await client.post('/session', body, { headers });
      return `${reply.status} ${codeOf(reply)}`;
    };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await answer('name=a&password=b', form)).toBe('415 content_type_unsupported');
    expect(await answer('{"name":"a"}', { 'content-type': 'text/plain' })).toBe('415 content_type_unsupported');
    expect(await answer('{"name":')).toBe('400 json_malformed');
    expect(await answer('[]')).toBe('400 json_malformed');
    expect(await answer('['.repeat(200))).toBe('400 json_malformed');
    expect(await answer({ name: 'a'.repeat(300_000), password: 'b' })).toBe('413 body_too_large');
    expect(await answer({ name: 'a' })).toBe('400 field_missing');
    expect(await answer({ name: 'a', password: 7 })).toBe('400 field_invalid');
    expect(await answer({ name: 'a', password: 'b', role: 'owner' })).toBe('400 field_invalid');
    expect(await answer({ name: 'a\0b', password: 'b' })).toBe('401 sign_in_failed');
    expect(await answer({ name: '\ud800', password: '\udfff\0' })).toBe('401 sign_in_failed');
  });

  test('signing out ends the session, not only the cookie', async () => {
    const client = new ConsoleClient(weir);
    await client.signIn('viewer', passwordOf('viewer'));
    const { cookie } = client;
    const out = await client.call('DELETE', '/session');
    expect([out.status, client.cookie]).toEqual([204, '']);
    expect((await client.get('/session', { headers: { cookie } })).status).toBe(401);
  });

  test('a changed password ends the account’s other sessions and no other account’s', async () => {
    await owner.post('/accounts', { name: 'paula', role: 'viewer', password: 'first password' });
    const [here, there] = [new ConsoleClient(weir), new ConsoleClient(weir)];
    for (const client of [here, there]) expect((await client.signIn('Paula', 'first password')).status).toBe(200);
    expect(itemsOf(await here.get('/sessions'))).toHaveLength(2);
    const wrong = await here.post('/session/password', { current: 'nonsense', next: 'second password' });
    expect([wrong.status, codeOf(wrong), (await there.get('/session')).status]).toEqual([400, 'field_invalid', 200]);
    const changed = await here.post('/session/password', { current: 'first password', next: 'second password' });
    expect(changed.body).toEqual({ sessionsRevoked: 1 });
    expect([(await here.get('/session')).status, (await there.get('/session')).status]).toEqual([200, 401]);
    expect((await owner.get('/session')).status).toBe(200);
    expect((await there.signIn('paula', 'first password')).status).toBe(401);
    expect((await there.signIn('paula', 'second password')).status).toBe(200);
    const listed = itemsOf(await here.get('/sessions'));
    const other = listed.find(({ current }) => current === false);
    expect((await person('viewer').call('DELETE', `/sessions/${other?.['id']}`)).status).toBe(404);
    expect((await here.call('DELETE', `/sessions/${other?.['id']}`)).status).toBe(204);
    expect((await there.get('/session')).status).toBe(401);
  });
});

describe('accounts', () => {
  test('an admin cannot change owners, and the last owner cannot be removed', async () => {
    const admin = person('admin');
    const ownerId = await idOf('owner');
    const attempts = [
      () => admin.post('/accounts', { name: 'upstart', role: 'owner' }),
      () => admin.call('PATCH', `/accounts/${ownerId}`, { body: { role: 'viewer' } }),
      () => admin.post(`/accounts/${ownerId}/password`, {}),
      () => admin.call('DELETE', `/accounts/${ownerId}/sessions`),
    ];
    for (const attempt of attempts) {
      const reply = await attempt();
      expect([reply.status, codeOf(reply)]).toEqual([403, 'role_not_allowed']);
    }
    const adminId = await idOf('admin');
    expect((await admin.call('PATCH', `/accounts/${adminId}`, { body: { role: 'owner' } })).status).toBe(403);
    for (const body of [{ role: 'admin' }, { disabled: true }]) {
      const reply = await owner.call('PATCH', `/accounts/${ownerId}`, { body });
      expect([reply.status, codeOf(reply)]).toEqual([400, 'field_invalid']);
    }
    const twin = await owner.post('/accounts', { name: 'VIEWER', role: 'viewer' });
    expect([twin.status, codeOf(twin)]).toEqual([400, 'field_invalid']);
  });

  test('a new account has a password that is shown once; disabling ends its session and, if asked, its tokens', async () => {
    const made = await owner.post('/accounts', { name: 'mark', role: 'member' });
    const { account, password } = made.body as { account: { id: string }; password: string };
    expect(password).toMatch(/^([a-z2-9]{4}-){4}[a-z2-9]{4}$/);
    const mark = new ConsoleClient(weir);
    expect((await mark.signIn('mark', password)).status).toBe(200);
    // A generated password opens nothing until it is replaced.
    const early = await mark.post('/tokens', { name: 'app' });
    expect([early.status, codeOf(early)]).toEqual([403, 'password_change_required']);
    const chosen = 'a password of their own';
    expect((await mark.post('/session/password', { current: password, next: chosen })).status).toBe(200);
    const token = String(fieldsOf(await mark.post('/tokens', { name: 'app' }))['token']);
    const playground = String(fieldsOf(await mark.post('/playground-token'))['token']);
    secrets.push(password, chosen, token, playground);
    for (const each of [token, playground]) expect((await chat(each)).status).toBe(200);
    const change = (body: object) => owner.call('PATCH', `/accounts/${account.id}`, { body });
    expect((await change({ disabled: true })).body).toMatchObject({ state: 'disabled' });
    expect((await mark.get('/session')).status).toBe(401);
    expect((await mark.signIn('mark', chosen)).status).toBe(401);
    await until(async () => (await chat(playground)).status === 401, 60_000, 'the end of the playground token');
    expect((await chat(token)).status).toBe(200);
    await change({ disabled: true, revokeTokens: true });
    await until(async () => (await chat(token)).status === 401, 60_000, 'the end of the token');
    await change({ disabled: false });
    expect((await mark.signIn('mark', chosen)).status).toBe(200);
    const reset = await owner.post(`/accounts/${account.id}/password`, {});
    expect((await mark.get('/session')).status).toBe(401);
    expect((await mark.signIn('mark', String(fieldsOf(reset)['password']))).status).toBe(200);
  });
});

describe('what a member sees', () => {
  let own = { id: '', token: '' };
  let foreign = { id: '', token: '' };
  let requestIds: { own: string; foreign: string };
  beforeAll(async () => {
    const issue = async (client: ConsoleClient, name: string) => {
      const { id, token } = (await client.post('/tokens', { name })).body as { id: string; token: string };
      secrets.push(token);
      return { id, token };
    };
    own = await issue(person('member'), 'mine');
    foreign = await issue(owner, 'not yours');
    const idOfCall = async (token: string) => (await chat(token)).headers.get('x-request-id') ?? '';
    requestIds = { own: await idOfCall(own.token), foreign: await idOfCall(foreign.token) };
    const listed = async () => itemsOf(await owner.get('/usage/requests?limit=500')).map((row) => row['requestId']);
    await until(
      async () => Object.values(requestIds).every(async (id) => (await listed()).includes(id)),
      60_000,
      'rows',
    );
  });

  test('is their own tokens', async () => {
    const member = person('member');
    const ids = itemsOf(await member.get('/tokens')).map(({ id }) => id);
    expect(ids).toContain(own.id);
    expect(ids).not.toContain(foreign.id);
    expect(itemsOf(await member.get('/tokens?owner=another'))).toEqual([]);
    const all = itemsOf(await person('viewer').get('/tokens'));
    expect(all.find(({ id }) => id === own.id)).toMatchObject({ ownerName: 'member', name: 'mine' });
    expect(all.map(({ id }) => id)).toContain(foreign.id);
    expect(JSON.stringify(all)).not.toContain(own.token);
    const found = async (client: ConsoleClient, query: Record<string, string>) =>
      itemsOf(await client.get(`/tokens?${new URLSearchParams(query)}`)).map(({ id }) => id);
    expect(await found(owner, { q: 'Not YOURS' })).toEqual([foreign.id]);
    expect(await found(owner, { q: 'mine member', state: 'active' })).toEqual([own.id]);
    expect(await found(owner, { q: 'mine', state: 'revoked' })).toEqual([]);
    for (const q of ['not yours', foreign.id]) expect(await found(member, { q, owner: 'another' })).toEqual([]);
    expect(await found(member, { q: own.id })).toEqual([own.id]);
    expect((await owner.get('/tokens?q=a+b+c+d+e+f+g+h')).status).toBe(200);
    expect(codeOf(await owner.get('/tokens?q=a+b+c+d+e+f+g+h+i'))).toBe('field_invalid');
    expect(codeOf(await owner.get('/tokens?state=asleep'))).toBe('field_invalid');
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const reply = await member.call(method, `/tokens/${foreign.id}${path}`, { body: { name: 'stolen' } });
      expect([method, reply.status, codeOf(reply)]).toEqual([method, 404, 'not_found']);
    }
    expect((await chat(foreign.token)).status).toBe(200);
  });

  test('is their own usage', async () => {
    const member = person('member');
    const rows = itemsOf(await member.get('/usage/requests'));
    expect(rows.map((row) => row['requestId'])).toContain(requestIds.own);
    expect(rows.every((row) => row['tokenId'] === own.id)).toBe(true);
    expect(rows[0]).toMatchObject({ tokenName: 'mine', model: 'sandbox-chat', status: 200 });
    expect(itemsOf(await member.get(`/usage/requests?token=${foreign.id}`))).toEqual([]);
    expect((await member.get(`/usage/requests/${requestIds.own}`)).status).toBe(200);
    const hidden = await member.get(`/usage/requests/${requestIds.foreign}`);
    const absent = await member.get('/usage/requests/req_none');
    expect([hidden.status, hidden.body]).toEqual([404, absent.body]);
    expect((await owner.get(`/usage/requests/${requestIds.foreign}`)).status).toBe(200);
  });

  test('pages of tokens and of the audit log have no gaps', async () => {
    for (const [path, key] of [
      ['/tokens', 'id'],
      ['/audit', 'id'],
    ] as const) {
      const whole = itemsOf(await owner.get(`${path}?limit=5`)).map((row) => row[key]);
      const paged: unknown[] = [];
      let after = '';
      for (let index = 0; index < whole.length; index++) {
        const page = await owner.get(`${path}?limit=1${after}`);
        paged.push(...itemsOf(page).map((row) => row[key]));
        after = `&after=${encodeURIComponent(String(fieldsOf(page)['next']))}`;
      }
      expect(paged).toEqual(whole);
      expect((await owner.get(`${path}?limit=0`)).status).toBe(400);
    }
  });

  test('does not include changing a token beyond its name', async () => {
    const member = person('member');
    const change = (body: object) => member.call('PATCH', `/tokens/${own.id}`, { body });
    expect((await change({ name: 'renamed' })).body).toMatchObject({ name: 'renamed' });
    for (const body of [{ budgetUsd: null }, { maySteer: true }, { name: 'x', rpm: 5 }])
      expect(codeOf(await change(body))).toBe('role_not_allowed');
    expect(codeOf(await member.post('/tokens', { name: 'x', mayExplain: true }))).toBe('role_not_allowed');
    const limited = await owner.call('PATCH', `/tokens/${own.id}`, { body: { rpm: 5, budgetUsd: '1.5' } });
    expect(limited.body).toMatchObject({ rpm: 5, budget: { limitUsd: '1.50', spentUsd: '0.00' } });
  });

  test('rotates and revokes, and the old secret stops working', async () => {
    const member = person('member');
    const made = (await member.post('/tokens', { name: 'short' })).body as { id: string; token: string };
    const rotated = await member.post(`/tokens/${made.id}/rotate`, { overlapMs: 60_000 });
    const { token } = rotated.body as { token: string };
    secrets.push(made.token, token);
    for (const each of [made.token, token]) expect((await chat(each)).status).toBe(200);
    expect((await member.call('DELETE', `/tokens/${made.id}`)).body).toMatchObject({ state: 'revoked' });
    await until(async () => (await chat(token)).status === 401, 60_000, 'the revocation');
  });
});

test('the playground’s token is short-lived, belongs to the account, and two tabs can each have one', async () => {
  const member = person('member');
  const mint = async () =>
    (await member.post('/playground-token')).body as { id: string; token: string; expiresAt: string };
  const [first, second] = [await mint(), await mint()];
  secrets.push(first.token, second.token);
  expect(second.id).toBe(first.id);
  for (const { token } of [first, second]) expect((await chat(token)).status).toBe(200);
  const lifetimeMs = Date.parse(second.expiresAt) - Date.now();
  expect(lifetimeMs).toBeGreaterThan(50 * 60_000);
  expect(lifetimeMs).toBeLessThan(61 * 60_000);
  const view = (await member.get(`/tokens/${first.id}`)).body;
  expect(view).toMatchObject({ name: 'Playground of member', ownerName: 'member', expiresAt: second.expiresAt });
  const metrics = await fetch(`${weir.url}/metrics`, {
    headers: { authorization: `Bearer ${second.token}`, 'x-forwarded-for': '203.0.113.9' },
  });
  expect(metrics.status).toBe(403);
});

test('models, providers, health and settings can be read and hold no secret', async () => {
  const viewer = person('viewer');
  const models = itemsOf(await person('member').get('/models'));
  expect(models.find(({ id }) => id === 'sandbox-chat')).toMatchObject({
    providers: ['sandbox'],
    targets: [{ provider: 'sandbox', model: 'sandbox-chat', state: 'healthy' }],
  });
  expect(itemsOf(await viewer.get('/providers'))).toContainEqual(
    expect.objectContaining({ name: 'sandbox', origin: 'built-in', free: true }),
  );
  const health = fieldsOf(await viewer.get('/health'));
  expect(health['targets']).toContainEqual(expect.objectContaining({ provider: 'sandbox', state: 'healthy' }));
  const settings = itemsOf(await viewer.get('/settings'));
  expect(settings.find(({ key }) => key === 'secret_key')).toMatchObject({ origin: 'environment', shown: 'set' });
  expect(JSON.stringify(settings)).not.toContain('canary');
});

test('the audit log says who did what, and neither it nor any file holds a secret', async () => {
  const entries = itemsOf(await owner.get('/audit?limit=500'));
  const actions = new Set(entries.map(({ action }) => action));
  for (const action of ['set-up', 'sign-in', 'sign-in-refused', 'account-create', 'token-create', 'playground-token'])
    expect(actions).toContain(action);
  expect(entries.find(({ action }) => action === 'token-create')).toMatchObject({ accountName: expect.any(String) });
  const one = await owner.get(`/audit?account=${await idOf('member')}&action=token-create`);
  expect(itemsOf(one).length).toBeGreaterThan(0);
  expect(itemsOf(one).every((entry) => entry['accountName'] === 'member')).toBe(true);
  const files = (await readdir(weir.dataFolder, { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  const texts = await Promise.all(files.map((file) => Bun.file(join(file.parentPath, file.name)).bytes()));
  const everything = Buffer.concat([...texts, Buffer.from(JSON.stringify(entries))]);
  const output = weir.output().replaceAll(setUpCode, '');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    expect(everything.includes(secret)).toBe(false);
    expect(output).not.toContain(secret);
  }
});

test('people, sessions and tokens survive a restart, which prints no other set-up link', async () => {
  expect(await weir.stop()).toBe(0);
  await weir.restart();
  expect(setUpCodes(weir.output())).toEqual([setUpCode]);
  expect((await owner.get('/session')).body).toMatchObject({ account: { name: 'Olga@Example.org' } });
  expect((await new ConsoleClient(weir).signIn('olga@EXAMPLE.org', ownerPassword)).status).toBe(200);
});
