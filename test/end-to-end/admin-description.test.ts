/** Every route of the admin API against a real process with data: what it takes and replies is what its description says. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWeirAdmin, type WeirAdmin, WeirError } from '../../clients/typescript/weir-admin.ts';
import { describedRoutes } from '../../src/admin/description/described-routes.ts';
import type { KeyRouteName, QueryParameter, RouteDescription } from '../../src/admin/description/route-description.ts';
import { adminAccess, type CheckedFetch, checkedFetch } from '../harness/admin-access.ts';
import { startHooks } from '../harness/alert-receivers.ts';
import { post } from '../harness/chat.ts';
import { ownerOf } from '../harness/console-session.ts';
import { FakeIssuer, fakeClientId } from '../harness/fake-issuer.ts';
import { tableTexts } from '../harness/price-files.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(60_000);

let weir: RunningWeir;
let issuer: FakeIssuer;
let admin: WeirAdmin;
let checked: CheckedFetch;
let call: (method: string, path: string) => Promise<Response>;
const hooks = startHooks();
const upstream = startModels();
const ids = { token: '', team: '', account: '', request: '', task: '', endUser: '' };

/** A provider with a priced model, one without a price, and one that will be shut down. */
function startModels() {
  const data = [{ id: 'gpt-4.1' }, { id: 'mystery' }, { id: 'old', shutdown_date: '2090-01-14' }];
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data });
      const { model } = (await request.json()) as { model: string };
      const message = { role: 'assistant', content: 'Hello', refusal: null };
      const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
    },
  });
}

beforeAll(async () => {
  issuer = await FakeIssuer.start();
  const base_url = `http://127.0.0.1:${upstream.port}/v1`;
  const yaml = {
    providers: {
      open: { kind: 'openai', base_url, keys: [{ id: 'main', key: 'sk-any' }], region: 'eu' },
      closed: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', key: 'sk-any', models: ['gone'] },
    },
    models: { named: { targets: [{ provider: 'open', model: 'gpt-4.1', only: { labels: ['ci'] } }] } },
    prices: { 'open/gpt-4.1': { input: 2, output: 8, above: { 200000: { input: 4 } } } },
    alerts: { poll_ms: 200, retry_ms: 100 },
    egress: { allowed_networks: ['127.0.0.1/32'] },
    jwt: { issuers: { ci: { issuer: issuer.url, audiences: ['weir'], rules: [{ endpoints: ['chat'] }] } } },
    sign_in: { issuers: { fake: { issuer: issuer.url, client_id: fakeClientId, allowed_groups: ['staff'] } } },
  };
  weir = await startWeir({ yaml, env: { WEIR_TASKS_ASK_EVERY_MS: '50' } });
  const options = await adminAccess(weir, await ownerOf(weir));
  checked = checkedFetch(options.fetch ?? ((url, init) => fetch(url, init)));
  admin = createWeirAdmin({ ...options, fetch: checked.fetch });
  const headers = { authorization: `Bearer ${options.key}` };
  const root = `${weir.url}${options.basePath ?? '/admin/v1'}`;
  call = (method, path) => checked.fetch(root + path, { method, headers });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([issuer.stop(), hooks.stop(), upstream.stop(true)]);
});

const isError = (code: string) => (error: unknown) => error instanceof WeirError && error.code === code;
const failure = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error) => error);

describe('writes', () => {
  test('the organization, its teams, projects and people', async () => {
    const budget = { unit: 'usd', limit: 5, period: 'day', models: ['gpt-*'] } as const;
    await admin.organization.change({ name: 'Example', terms: { budgets: [budget] } });
    const team = await admin.teams.create({ name: 'Research', terms: { rpm: 5_000, labels: ['ci'] } });
    ids.team = team.id;
    const raise = { limit: '20', until: '2099-01-01' };
    await admin.teams.change(team.id, {
      terms: { budgets: [{ unit: 'usd', limit: '10', period: 'month', models: ['gpt-*'], raise }], concurrency: 50 },
    });
    const project = await admin.teams.createProject(team.id, { name: 'Assistant' });
    await admin.projects.change(project.id, { name: 'Helper', terms: { tpm: 1_000_000 } });
    await admin.projects.remove(project.id);
    const { account, password } = await admin.accounts.create({ name: 'ada', role: 'member' });
    expect(password).toBeString();
    ids.account = account.id;
    await admin.accounts.change(account.id, { name: 'Ada' });
    await admin.accounts.changeTerms(account.id, { terms: { rpm: 100 } });
    await admin.teams.setMember(team.id, account.id, { role: 'admin' });
    expect((await admin.teams.members(team.id)).items).toHaveLength(1);
    await admin.accounts.resetPassword(account.id);
    expect(await admin.accounts.revokeSessions(account.id)).toEqual({ sessionsRevoked: 0 });
    expect(await admin.accounts.removeFactors(account.id)).toEqual({ factorsRemoved: 0 });
    const { invitation, url } = await admin.invitations.create({ role: 'member', teamId: team.id, teamRole: 'viewer' });
    expect(url).toContain('/console/invitation#');
    await admin.invitations.create({ role: 'viewer', note: 'stays open' });
    await admin.invitations.revoke(invitation.id);
    const other = await admin.teams.create({ name: 'Other' });
    await admin.teams.setMember(other.id, account.id, { role: 'viewer' });
    await admin.teams.removeMember(other.id, account.id);
    await admin.teams.remove(other.id);
    await admin.signIn.testIssuer('fake');
    expect((await admin.jwt.revoke({ issuer: 'ci', subject: 'job' })).tokenId).toBeString();
    await admin.jwt.revoke({ issuer: 'ci', jti: 'one' });
  });

  test('providers, routes, prices and settings', async () => {
    const entry = { kind: 'openai', base_url: `http://127.0.0.1:${upstream.port}/v1`, headers: { 'x-a': 'b' } };
    const draft = { name: 'drawn', entry, keys: [{ id: 'one', value: 'sk-one' }] };
    expect((await admin.providers.tryDraft(draft)).ok).toBe(true);
    await admin.providers.create(draft);
    await admin.providers.change('drawn', { addKeys: [{ value: 'sk-two' }], removeKeys: ['one'], draining: true });
    const moved = await admin.providers.change('drawn', { entry: { ...entry, base_url: 'http://127.0.0.1:1/v1' } });
    expect(moved.removed?.because).toEqual(['base_url']);
    expect((await admin.providers.try('closed')).error?.code).toBeString();
    expect((await admin.providers.pause('closed', { paused: true })).state).toBe('paused');
    await admin.providers.pause('closed', { paused: false });
    await admin.routes.put({ alias: 'quick', entry: { targets: [{ provider: 'open', model: 'gpt-4.1' }] } });
    const messages = [{ role: 'user', content: 'Hello' }];
    const explained = await admin.routes.explain({ endpoint: 'chat', body: { model: 'quick', messages } });
    expect(explained.candidates[0]?.provider).toBe('open');
    await admin.prices.put({ pattern: 'quick*', entry: { input: 1, output: 2, currency: 'USD', images: { hd: 0.1 } } });
    const path = join(weir.dataFolder, 'table.json');
    await writeFile(path, tableTexts['models.dev']({ 'gpt-4.1': { input: 200, output: 8 } }));
    expect((await weir.command('prices', 'update', '--file', path)).code).toBe(0);
    await until(async () => (await admin.priceTables.get()).tables.some(({ held }) => held.length > 0));
    await admin.priceTables.confirm({ source: 'models.dev', all: true });
    const { items } = await admin.settings.change({ values: { 'content_storage.requests': true } });
    expect(items[0]?.value).toBe(true);
    expect((await admin.home.change({ title: 'Models' })).title).toBe('Models');
  });

  test('channels and rules of alerts', async () => {
    const hook = { kind: 'webhook', name: 'ops', url: hooks.url } as const;
    const { channel, secret } = await admin.alertChannels.create(hook);
    expect(secret).toStartWith('whsec_');
    await admin.alertChannels.change(channel.id, { name: 'operations' });
    expect(await admin.alertChannels.test(channel.id)).toMatchObject({ ok: true, status: 200 });
    const kinds = ['budget', 'provider-down'] as const;
    const rule = await admin.alertRules.create({ name: 'money', kinds, channels: [channel.id], budgetPercents: [50] });
    const quiet = { timeZone: 'Europe/Berlin', from: '03:00', to: '03:01' };
    expect((await admin.alertRules.change(rule.id, { quiet, repeatMinutes: 60 })).quiet?.criticalPasses).toBe(true);
    const mail = await admin.alertChannels.create({ kind: 'mail', name: 'mail', to: ['a@example.com'] });
    await admin.alertChannels.remove(mail.channel.id);
    const second = await admin.alertRules.create({ name: 'second', kinds: ['token-expiry'], channels: [] });
    await admin.alertRules.remove(second.id);
  });

  test('tokens, and their use', async () => {
    const made = await admin.tokens.create({
      name: 'agent',
      unitId: ids.team,
      ownerId: ids.account,
      budgetUsd: '0.0065',
      budgetPeriod: 'day',
      expiresAt: '2099-01-01',
      addresses: ['127.0.0.0/8'],
      endpoints: ['chat', 'videos'],
      moderate: null,
      budgets: [{ unit: 'tokens', limit: 1_000_000, period: 'month' }],
      endUsers: { rpm: 100, budgets: [{ unit: 'usd', limit: 5, period: 'day' }] },
    });
    ids.token = made.id;
    await admin.tokens.change(made.id, { rpm: 500, subTokensMax: 2, labels: ['ci'] });
    const { token } = await admin.tokens.rotate(made.id, { overlapMs: 1_000 });
    const messages = [{ role: 'user', content: 'Hello' }];
    const ask = async (by: string, model: string) => {
      const body = { model, messages, max_tokens: 500, user: 'user-7' };
      const reply = await post({ base: weir.base, token: by }, body);
      await reply.arrayBuffer();
      return reply.headers.get('x-request-id') ?? '';
    };
    ids.request = await ask(token, 'open/gpt-4.1');
    ids.endUser = (await admin.endUsers.list()).items[0]?.id ?? '';
    const limits = { budgets: [{ unit: 'requests', limit: 100, period: 'day' }], rpm: 5, models: ['open/*'] } as const;
    expect((await admin.endUsers.change(ids.endUser, { terms: limits, note: 'x' })).own).toContain('rpm');
    for (const model of ['open/mystery', 'open/old', 'closed/gone', 'nowhere']) await ask(weir.token, model);
    const video = { model: 'sandbox-video', prompt: 'a lake', duration: 1, width: 64, height: 36, fps: 10 };
    const ordered = await fetch(`${weir.base}/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(video),
    });
    ids.task = ((await ordered.json()) as { task_id: string }).task_id;
    await until(async () => (await failure(admin.usage.content(ids.request))) === undefined);
    await until(async () => (await admin.tasks.list({ state: 'completed' })).items.length > 0);
    await until(async () => (await admin.alerts.list({ kind: 'budget' })).items.length > 0);
  });
});

type GetRoute = Extract<KeyRouteName, `GET ${string}`>;
const range = 'from=2020-01-01&to=2029-01-01';

/** Where each route that reads is asked, beside its plain path. */
const reads: Readonly<Record<GetRoute, () => readonly string[]>> = {
  'GET /console/api/sign-in/settings': () => ['/sign-in/settings'],
  'GET /console/api/invitations': () => ['/invitations'],
  'GET /console/api/accounts': () => ['/accounts'],
  'GET /console/api/accounts/{id}/sessions': () => [`/accounts/${ids.account}/sessions`],
  'GET /console/api/accounts/{id}/terms': () => [`/accounts/${ids.account}/terms`],
  'GET /console/api/organization': () => ['/organization'],
  'GET /console/api/teams/{id}/members': () => [`/teams/${ids.team}/members`],
  'GET /console/api/tokens': () => ['/tokens', '/tokens?sort=-total&limit=1', `/tokens?q=agent&team=${ids.team}`],
  'GET /console/api/tokens/{id}': () => [`/tokens/${ids.token}`],
  'GET /console/api/usage/requests': () => ['/usage/requests', '/usage/requests?top=cost', '/usage/requests?limit=1'],
  'GET /console/api/usage/requests/{id}': () => [`/usage/requests/${ids.request}`],
  'GET /console/api/usage/requests/{id}/content': () => [`/usage/requests/${ids.request}/content`],
  'GET /console/api/usage/overview': () => ['/usage/overview', '/usage/overview?bucket=hour&model=open/gpt-4.1'],
  'GET /console/api/usage/breakdown': () => ['/usage/breakdown?by=label', '/usage/breakdown?by=user&limit=1'],
  'GET /console/api/usage/count': () => [`/usage/count?${range}`],
  'GET /console/api/usage/export': () => [`/usage/export?${range}`, `/usage/export?form=json&${range}`],
  'GET /console/api/usage/export/sums': () => ['', '&form=json'].map((rest) => `/usage/export/sums?by=day,team${rest}`),
  'GET /console/api/usage/budgets': () => ['/usage/budgets'],
  'GET /console/api/usage/unpriced': () => ['/usage/unpriced'],
  'GET /console/api/usage/ending': () => ['/usage/ending'],
  'GET /console/api/models': () => ['/models'],
  'GET /console/api/model': () => ['/model?id=named', '/model?id=sandbox-chat', '/model?id=open/old'],
  'GET /console/api/tasks': () => ['/tasks'],
  'GET /console/api/tasks/{id}/videos/{index}': () => [`/tasks/${ids.task}/videos/0`],
  'GET /console/api/presets': () => ['/presets'],
  'GET /console/api/providers': () => ['/providers'],
  'GET /console/api/routes': () => ['/routes'],
  'GET /console/api/prices': () => ['/prices'],
  'GET /console/api/price-tables': () => ['/price-tables'],
  'GET /console/api/export': () => ['/export'],
  'GET /console/api/health': () => ['/health'],
  'GET /console/api/settings': () => ['/settings'],
  'GET /console/api/home': () => ['/home'],
  'GET /console/api/audit': () => ['/audit?limit=500', '/audit?action=token-create'],
  'GET /console/api/jwt/revocations': () => ['/jwt/revocations'],
  'GET /console/api/end-users': () => ['/end-users', '/end-users?limit=1&blocked=false', `/end-users?team=${ids.team}`],
  'GET /console/api/end-users/{id}': () => [`/end-users/${ids.endUser}`],
  'GET /console/api/alerts': () => ['/alerts', '/alerts?kind=budget'],
  'GET /console/api/alert-channels': () => ['/alert-channels'],
  'GET /console/api/alert-rules': () => ['/alert-rules'],
};

describe('reads', () => {
  for (const [name, paths] of Object.entries(reads)) {
    test(name, async () => {
      for (const path of paths()) {
        const reply = await call('GET', path);
        expect([path, reply.status]).toEqual([path, 200]);
      }
    });
  }

  test('had something to show in every list', async () => {
    const lists = [
      '/usage/budgets',
      '/usage/ending',
      '/usage/unpriced',
      '/alerts',
      '/tasks',
      '/invitations',
      '/jwt/revocations',
      '/routes',
    ];
    for (const path of [...lists, '/prices', '/providers', '/alert-rules', '/audit', '/models', '/usage/requests']) {
      const { items } = (await (await call('GET', path)).json()) as { items: readonly unknown[] };
      expect([path, items.length > 0]).toEqual([path, true]);
    }
  });

  const described = Object.entries(describedRoutes) as [KeyRouteName, RouteDescription][];
  test.each(
    described.filter(([, { query }]) => query !== undefined).map(([name]) => name),
  )('%s reads every parameter that it describes', async (name) => {
    const { query = {} }: RouteDescription = describedRoutes[name];
    const [method = '', path = ''] = name.replace('/console/api', '').split(' ');
    const needed = Object.entries<QueryParameter>(query).filter(([, { required }]) => required === true);
    for (const parameter of Object.keys(query)) {
      const others = needed
        .filter(([other]) => other !== parameter)
        .map(([other]): [string, string] => [other, 'model']);
      // Too long for any parameter, and no word, number or date.
      const words = new URLSearchParams([...others, [parameter, 'x'.repeat(400)]]);
      const reply = await call(method, `${path}?${words}`);
      const { error } = (await reply.json()) as { error: { param: string; code: string } };
      expect([parameter, error.code, error.param]).toEqual([parameter, 'field_invalid', parameter]);
    }
  });
});

describe('the end', () => {
  test('what was made can be removed', async () => {
    await admin.providers.remove('drawn');
    await admin.routes.remove({ alias: 'quick' });
    await admin.prices.remove({ pattern: 'quick*' });
    await admin.endUsers.forget(ids.endUser);
    expect((await admin.tokens.revoke(ids.token)).state).toBe('revoked');
    const refusal = await failure(admin.teams.remove('team_absent'));
    expect(refusal).toSatisfy(isError('not_found'));
  });

  test('every route was called', () => {
    expect(Object.keys(describedRoutes).filter((name) => !checked.called.has(name as KeyRouteName))).toEqual([]);
  });
});
