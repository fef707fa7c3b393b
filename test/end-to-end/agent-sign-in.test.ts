/** Programs that sign in for a person, against a real process: the device flow with each of its errors, and `weir login`. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountView } from '../../src/admin/contracts/account-contract.ts';
import type { DeviceRequestView, SignedInProgramView } from '../../src/admin/contracts/device-contract.ts';
import { ConsoleClient, codeOf } from '../harness/console-client.ts';
import { ownerOf, passwordOf, personOf } from '../harness/console-session.ts';
import { weirProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const managed = { env: { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1' } };

let weir: RunningWeir;
let owner: ConsoleClient;
let member: ConsoleClient;

beforeAll(async () => {
  weir = await startWeir({
    yaml: {
      tokens: { budget_usd: 2.5, per_person_max: 30 },
      sign_in: { clients: ['my-agent=My agent'], managed_settings: JSON.stringify(managed) },
    },
  });
  owner = await ownerOf(weir);
  member = await personOf(weir, owner, 'member');
});
afterAll(() => weir.remove());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function form(path: string, fields: Record<string, string>): Promise<Answer> {
  const reply = await fetch(`${weir.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
}
const errorOf = ({ status, body }: Answer): string => `${status} ${body['error']}`;
const begin = (clientId = 'my-agent') => form('/oauth/device_authorization', { client_id: clientId });
const redeem = (code: unknown, clientId = 'my-agent') =>
  form('/oauth/token', { grant_type: deviceGrant, device_code: String(code), client_id: clientId });
const refresh = (token: unknown, clientId = 'my-agent') =>
  form('/oauth/token', { grant_type: 'refresh_token', refresh_token: String(token), client_id: clientId });
const answer = (who: ConsoleClient, code: unknown, approve = true) =>
  who.post('/device/answer', { code: String(code), approve });
const programsOf = async (who: ConsoleClient) =>
  ((await who.get('/programs')).body as { items: SignedInProgramView[] }).items;

/** A member of their own. */
async function another(name: string): Promise<ConsoleClient> {
  await owner.post('/accounts', { name, role: 'member', password: passwordOf(name) });
  const person = new ConsoleClient(weir);
  expect((await person.signIn(name, passwordOf(name))).status).toBe(200);
  return person;
}

async function signIn(who = member): Promise<Record<string, string>> {
  const { body } = await begin();
  expect((await answer(who, body['user_code'])).status).toBe(204);
  const issued = await redeem(body['device_code']);
  expect(issued.status).toBe(200);
  return issued.body as Record<string, string>;
}

const call = (token: unknown, path = '/v1/models') =>
  fetch(`${weir.url}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(async (reply) => {
    await reply.bytes();
    return reply.status;
  });
/** Servers learn of a revoked token within a second. */
const untilRefused = (token: unknown) => until(async () => (await call(token)) === 401);

describe('the device flow', () => {
  test('metadata names the endpoints under the URL of this Weir', async () => {
    const found = (await (await fetch(`${weir.url}/.well-known/oauth-authorization-server`)).json()) as object;
    expect(found).toMatchObject({
      issuer: weir.url,
      device_authorization_endpoint: `${weir.url}/oauth/device_authorization`,
      token_endpoint: `${weir.url}/oauth/token`,
      revocation_endpoint: `${weir.url}/oauth/revoke`,
      grant_types_supported: [deviceGrant, 'refresh_token'],
    });
  });

  test('behind a proxy that ends TLS all URLs are https, whether the proxy is configured or not', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const found = (await (
      await fetch(`${weir.url}/.well-known/oauth-authorization-server`, { headers })
    ).json()) as Record<string, unknown>;
    const secure = weir.url.replace('http:', 'https:');
    const urls = Object.values(found).filter((value) => typeof value === 'string');
    expect(urls.length).toBeGreaterThan(3);
    expect(urls.filter((value) => !value.startsWith(secure))).toEqual([]);
  });

  test('a person sees which program asks from where, approves, and the program gets a token of theirs', async () => {
    const begun = await begin();
    expect(begun.status).toBe(200);
    expect(begun.headers.get('cache-control')).toBe('no-store');
    expect(begun.body).toMatchObject({ verification_uri: `${weir.url}/console/device`, expires_in: 600, interval: 5 });
    const { user_code: userCode, device_code: deviceCode } = begun.body;
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(errorOf(await redeem(deviceCode))).toBe('400 authorization_pending');
    expect(errorOf(await redeem(deviceCode))).toBe('400 slow_down');
    const typed = String(userCode).toLowerCase().replace('-', ' ');
    const request = (await member.post('/device', { code: typed })).body as DeviceRequestView;
    expect(request).toMatchObject({ code: userCode, clientId: 'my-agent', clientName: 'My agent' });
    expect(request.address).toContain('127.0.0.1');
    expect((await answer(member, userCode)).status).toBe(204);
    const issued = await redeem(deviceCode);
    expect([issued.status, issued.body['token_type'], issued.body['expires_in']]).toEqual([200, 'Bearer', 3600]);
    expect(await call(issued.body['access_token'])).toBe(200);
    const [program] = await programsOf(member);
    expect(program).toMatchObject({ clientId: 'my-agent', clientName: 'My agent' });
    const token = (await member.get(`/tokens/${program?.tokenId}`)).body as { name: string; budget: object };
    expect(token.budget).toMatchObject({ limitUsd: '2.50', period: 'month' });
    expect(errorOf(await redeem(deviceCode))).toBe('400 invalid_grant');
    const stored = readFileSync(join(weir.dataFolder, 'weir.db')).toString('latin1');
    for (const secret of [deviceCode, issued.body['access_token'], issued.body['refresh_token']]) {
      expect(stored).not.toContain(String(secret));
    }
  });

  test('each error is the one of the RFC', async () => {
    const denied = (await begin()).body;
    expect((await answer(member, denied['user_code'], false)).status).toBe(204);
    expect(errorOf(await redeem(denied['device_code']))).toBe('400 access_denied');

    const old = (await begin()).body;
    const database = new Database(join(weir.dataFolder, 'weir.db'));
    database.run("UPDATE sign_ins SET expires_at_ms = created_at_ms WHERE state = 'pending'");
    database.close();
    expect(errorOf(await redeem(old['device_code']))).toBe('400 expired_token');
    expect(codeOf(await answer(member, old['user_code']))).toBe('field_invalid');

    const { device_code: code } = (await begin()).body;
    const token = (fields: Record<string, string>) => form('/oauth/token', fields).then(errorOf);
    expect(await token({ grant_type: deviceGrant, device_code: String(code) })).toBe('400 invalid_request');
    expect(errorOf(await redeem(code, 'weir-cli'))).toBe('400 invalid_grant');
    expect(errorOf(await redeem('weir_dc_unknown'))).toBe('400 invalid_grant');
    expect(errorOf(await refresh('weir_rt_unknown'))).toBe('400 invalid_grant');
    expect(errorOf(await begin('unknown-program'))).toBe('401 invalid_client');
    expect(await token({ grant_type: 'password' })).toBe('400 unsupported_grant_type');
    expect(await token({})).toBe('400 invalid_request');
    expect(await token({ grant_type: deviceGrant })).toBe('400 invalid_request');
    expect(errorOf(await form('/oauth/revoke', {}))).toBe('400 invalid_request');
    const json = await fetch(`${weir.url}/oauth/token`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(400);
    const twice = await fetch(`${weir.url}/oauth/token`, {
      method: 'POST',
      body: 'grant_type=a&grant_type=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(((await twice.json()) as { error: string }).error).toBe('invalid_request');
  });

  test('wrong user codes are limited for each account, and a viewer cannot approve', async () => {
    const guesser = await another('guesser');
    for (let tries = 0; tries < 10; tries++)
      expect(codeOf(await guesser.post('/device', { code: 'BBBBBBBB' }))).toBe('field_invalid');
    const { user_code: userCode } = (await begin()).body;
    expect(codeOf(await guesser.post('/device', { code: userCode }))).toBe('sign_in_limited');
    const viewer = await personOf(weir, owner, 'viewer');
    expect(codeOf(await answer(viewer, userCode))).toBe('role_not_allowed');
    expect((await answer(member, userCode)).status).toBe(204);
  });
});

describe('a sign-in', () => {
  test('is renewed with a new refresh token; the token before and its budget stay', async () => {
    const first = await signIn();
    const second = await refresh(first['refresh_token']);
    expect(second.status).toBe(200);
    expect(second.body['refresh_token']).not.toBe(first['refresh_token']);
    expect(await call(second.body['access_token'])).toBe(200);
    expect(await call(first['access_token'])).toBe(200);
  });

  test('ends when a refresh token is used twice', async () => {
    const before = (await programsOf(member)).length;
    const first = await signIn();
    const second = (await refresh(first['refresh_token'])).body;
    expect(errorOf(await refresh(first['refresh_token']))).toBe('400 invalid_grant');
    expect(errorOf(await refresh(second['refresh_token']))).toBe('400 invalid_grant');
    await untilRefused(second['access_token']);
    expect(await programsOf(member)).toHaveLength(before);
  });

  test('of two renewals at once at most one works, and the sign-in ends', async () => {
    const first = await signIn();
    const both = await Promise.all([refresh(first['refresh_token']), refresh(first['refresh_token'])]);
    expect(both.filter(({ status }) => status === 200).length).toBeLessThan(2);
    await untilRefused(first['access_token']);
  });

  test('ends by revocation of its refresh token or of its access token; an unknown token is no error', async () => {
    for (const kind of ['refresh_token', 'access_token']) {
      const issued = await signIn();
      const revoked = await form('/oauth/revoke', { token: issued[kind] ?? '', client_id: 'my-agent' });
      expect(revoked.status).toBe(200);
      expect(errorOf(await refresh(issued['refresh_token']))).toBe('400 invalid_grant');
      await untilRefused(issued['access_token']);
    }
    expect((await form('/oauth/revoke', { token: 'unknown' })).status).toBe(200);
    expect((await form('/oauth/revoke', { token: weir.token })).status).toBe(200);
    expect(await call(weir.token)).toBe(200);
  });

  test('ends in the settings of its person, and only there', async () => {
    const issued = await signIn();
    const [program] = await programsOf(member);
    const path = `/programs/${program?.id}`;
    expect((await owner.call('DELETE', path)).status).toBe(404);
    expect((await member.call('DELETE', path)).status).toBe(204);
    await untilRefused(issued['access_token']);
    expect(errorOf(await refresh(issued['refresh_token']))).toBe('400 invalid_grant');
  });

  test('ends with its account', async () => {
    const person = await another('leaver');
    const issued = await signIn(person);
    const { account } = (await person.get('/session')).body as { account: AccountView };
    const disabled = await owner.call('PATCH', `/accounts/${account.id}`, { body: { disabled: true } });
    expect(disabled.status).toBe(200);
    expect(errorOf(await refresh(issued['refresh_token']))).toBe('400 invalid_grant');
    await untilRefused(issued['access_token']);
  });

  test('ends when its token is revoked: a renewal does not revive it', async () => {
    const issued = await signIn();
    const [program] = await programsOf(member);
    expect((await member.call('DELETE', `/tokens/${program?.tokenId}`)).status).toBe(200);
    expect(errorOf(await refresh(issued['refresh_token']))).toBe('400 invalid_grant');
    await untilRefused(issued['access_token']);
  });
});

describe('weir login', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-login-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'weir', 'login.json');
  const start = (...words: string[]) =>
    Bun.spawn([...weirProgram, ...words], {
      env: { ...process.env, XDG_CONFIG_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  async function run(...words: string[]) {
    const child = start(...words);
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { out: out.trim(), err, code };
  }

  test('prints URL and code, stores the tokens for its owner only, prints a token, and signs out', async () => {
    expect(await run('login', '--print-token')).toMatchObject({ code: 1, out: '' });
    const child = start('login', '--url', weir.url);
    const reader = child.stderr.getReader();
    const shown = new TextDecoder().decode((await reader.read()).value);
    const [, userCode] = /enter the code ([A-Z]{4}-[A-Z]{4})/.exec(shown) ?? [];
    expect(shown).toContain(`${weir.url}/console/device?user_code=${userCode}`);
    expect((await answer(member, userCode)).status).toBe(204);
    expect(await child.exited).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const printed = await run('login', '--print-token');
    expect(printed.code).toBe(0);
    expect(await call(printed.out)).toBe(200);
    expect((await run('login', '--print-token')).out).toBe(printed.out);

    const line = await run('login', '--status-line');
    expect(line.out).toMatch(/^\$0\.00 this month, \$2\.50 of \$2\.50 left, resets \d{4}-\d\d-01$/);

    // As if an hour had passed. Several scripts at once get one new token, and the sign-in survives it.
    const login = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...login, expiresAtMs: 0 }));
    const renewed = await Promise.all([1, 2, 3].map(() => run('login', '--print-token')));
    expect(new Set(renewed.map(({ out }) => out)).size).toBe(1);
    expect(renewed[0]?.out).not.toBe(printed.out);
    expect(await call(renewed[0]?.out)).toBe(200);

    expect(await run('logout')).toMatchObject({ code: 0 });
    await untilRefused(renewed[0]?.out);
    expect(await run('logout')).toMatchObject({ code: 1 });
  });
});
