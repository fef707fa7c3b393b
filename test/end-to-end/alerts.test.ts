/** Alerts against real processes: a webhook receiver that fails twice, a real SMTP server, roles, and no secret in any answer. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type {
  AlertView,
  ChannelTestView,
  ChannelView,
  IssuedChannelView,
  RuleView,
} from '../../src/admin/contracts/alert-contract.ts';
import type { OrganizationView } from '../../src/admin/contracts/organization-contract.ts';
import { type HookReceiver, type MailServer, startHooks, startMail } from '../harness/alert-receivers.ts';
import { post, scripted } from '../harness/chat.ts';
import { type ConsoleClient, codeOf } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const password = 'canary-mail-w0rd';
let upstream: RunningUpstream;
let hooks: HookReceiver;
let mail: MailServer;
let weir: RunningWeir;
let owner: ConsoleClient;
let webhook: ChannelView;
let mailbox: ChannelView;

beforeAll(async () => {
  hooks = startHooks();
  [upstream, mail] = await Promise.all([startUpstream(), startMail('weir', password)]);
  const yaml = {
    providers: {
      open: { kind: 'openai', base_url: upstream.base, keys: ['sk-any'], models: ['gpt-4.1'] },
      closed: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', keys: ['sk-any'], models: ['gone'] },
    },
    prices: { 'open/gpt-4.1': { input: 1_000, output: 1_000 } },
    alerts: { poll_ms: 200, retry_ms: 100 },
    mail: { host: 'localhost', port: mail.port, user: 'weir', from: 'weir@example.com' },
    egress: { allowed_networks: ['127.0.0.1/32'], ca_file: mail.caFile },
    server: { public_url: 'https://weir.example' },
  };
  weir = await startWeir({ yaml, env: { WEIR_MAIL_PASSWORD: password } });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([upstream.stop(), hooks.stop(), mail.stop()]);
});

const history = async (query = ''): Promise<readonly AlertView[]> =>
  ((await owner.get(`/alerts${query}`)).body as { items: readonly AlertView[] }).items;

test('channels are made; a webhook gets a secret, which is shown once', async () => {
  const made = await owner.post('/alert-channels', { kind: 'webhook', name: 'ops', url: `${hooks.url}/canary-path` });
  expect(made.status).toBe(200);
  const issued = made.body as IssuedChannelView;
  expect(issued.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  webhook = issued.channel;
  hooks.secret = issued.secret ?? '';
  expect(webhook).toMatchObject({ kind: 'webhook', name: 'ops', host: new URL(hooks.url).host, disabled: false });
  const byMail = await owner.post('/alert-channels', { kind: 'mail', name: 'admins', to: ['ops@example.com'] });
  mailbox = (byMail.body as IssuedChannelView).channel;
  expect(byMail.body).toMatchObject({ channel: { kind: 'mail', to: ['ops@example.com'] } });
  expect(byMail.body).not.toHaveProperty('secret');
});

test.each([
  [{ kind: 'webhook', name: 'x' }, 'url'],
  [{ kind: 'webhook', name: 'x', url: 'ftp://a.example' }, 'url'],
  [{ kind: 'webhook', name: 'x', url: 'https://user:word@a.example' }, 'url'],
  [{ kind: 'webhook', name: 'x', url: 'https://a.example', secret: 'too-short-for-it' }, 'secret'],
  [{ kind: 'slack', name: 'x', url: 'https://a.example', secret: 'not-for-slack' }, 'secret'],
  [{ kind: 'mail', name: 'x', to: [] }, 'to'],
  [{ kind: 'mail', name: 'x', to: ['a b@example.com'] }, 'to[0]'],
  [{ kind: 'pigeon', name: 'x' }, 'kind'],
  [{ kind: 'slack', name: '  ', url: 'https://a.example' }, 'name'],
])('%j is refused at %s', async (body, param) => {
  const reply = await owner.post('/alert-channels', body);
  expect([reply.status, (reply.body as { error: { param: string } }).error.param]).toEqual([400, param]);
});

test('the test button sends now, and shows what the receiver answered', async () => {
  const ok = (await owner.post(`/alert-channels/${webhook.id}/test`)).body as ChannelTestView;
  expect(ok).toEqual({ ok: true, status: 200, answer: 'thank you' });
  expect(hooks.received.at(-1)).toMatchObject({
    path: '/canary-path',
    signatureFits: true,
    body: { type: 'alert.test' },
  });
  hooks.failures = 1;
  expect((await owner.post(`/alert-channels/${webhook.id}/test`)).body).toEqual({
    ...{ ok: false, status: 503, answer: 'status 503 come back later' },
  });
  const sent = (await owner.post(`/alert-channels/${mailbox.id}/test`)).body;
  expect(sent).toEqual({ ok: true, answer: '250 Message accepted as 42' });
  expect(mail.received).toMatchObject([
    { secure: true, user: true, from: 'weir@example.com', to: ['ops@example.com'] },
  ]);
  expect(mail.received[0]?.text).toContain('https://weir.example/console/alerts');
});

test('a private address is refused when it is sent to, as everywhere', async () => {
  const url = 'http://127.0.0.2:9/canary-path';
  const made = (await owner.post('/alert-channels', { kind: 'slack', name: 'private', url })).body as IssuedChannelView;
  const reply = await owner.post(`/alert-channels/${made.channel.id}/test`);
  expect(reply.body).toEqual({ ok: false, answer: 'The URL leads to no public address.' });
  expect((await owner.call('DELETE', `/alert-channels/${made.channel.id}`)).status).toBe(204);
});

test('a budget at 100 % reaches both channels once, although the receiver fails twice first', async () => {
  const rule = await owner.post('/alert-rules', {
    ...{ name: 'money', kinds: ['budget', 'provider-down'], channels: [webhook.id, mailbox.id] },
    quiet: { timeZone: 'UTC', from: timeIn(-2), to: timeIn(2) },
  });
  expect(rule.status).toBe(200);
  expect(rule.body as RuleView).toMatchObject({ budgetPercents: [50, 80, 100], severityMin: 'info', disabled: false });
  const { body } = await owner.post('/tokens', { name: 'spender', budgetUsd: '1', budgetPeriod: 'day' });
  const { id, token } = body as { id: string; token: string };
  const before = hooks.received.length;
  hooks.failures = 2;
  const usage = { prompt_tokens: 900, completion_tokens: 200, total_tokens: 1_100 };
  const script = { body: JSON.stringify(completionOf(usage)), contentType: 'application/json' };
  for (let tries = 0; tries < 20; tries++) {
    const next = await post({ base: weir.base, token }, scripted(script, { max_tokens: 10 }));
    await next.text();
    if (next.status === 402) break;
  }
  const alertsOf = async () => (await history('?kind=budget')).filter(({ subject }) => subject === `token:${id}`);
  const top = async () => (await alertsOf()).find(({ threshold }) => threshold === '100');
  await until(async () => (await top())?.deliveries.every(({ state }) => state === 'delivered') === true);
  const alert = await top();
  expect(alert).toMatchObject({ severity: 'critical', state: 'noted', title: 'Budget of token spender at 100 %' });
  const byChannel = new Map(alert?.deliveries.map(({ channelId, tries }) => [channelId, tries]));
  expect([byChannel.get(webhook.id), byChannel.get(mailbox.id)]).toEqual([3, 1]);
  // The quiet hours hold back all but what is critical.
  const tries = hooks.received.slice(before);
  expect(tries.map(({ status, signatureFits }) => [status, signatureFits])).toEqual([
    [503, true],
    [503, true],
    [200, true],
  ]);
  expect(new Set(tries.map((each) => each.id)).size).toBe(1);
  expect(tries[2]?.body).toMatchObject({
    type: 'alert.raised',
    data: { kind: 'budget', threshold: '100', facts: { unit: 'usd' } },
  });
  expect(mail.received.filter(({ text }) => text.includes('Budget of token spender at 100'))).toHaveLength(1);
});

test('budgets of the organization, a person and a token beside its first are found under the names of the ledger', async () => {
  const requests = (limit: number) => [{ unit: 'requests', limit, period: 'total' }];
  const created = await owner.post('/accounts', { name: 'Kim', role: 'member', password: 'a long password' });
  const { id: person } = (created.body as { account: { id: string } }).account;
  await owner.call('PATCH', `/accounts/${person}/terms`, { body: { terms: { budgets: requests(2) } } });
  await owner.call('PATCH', '/organization', { body: { terms: { budgets: requests(1_000) } } });
  // What a running Weir knows of the organization is at most a second old.
  await until(async () => {
    await (await post(weir, scripted({}, { max_tokens: 5 }))).text();
    const { terms } = (await owner.get('/organization')).body as OrganizationView;
    return terms?.budgets?.[0]?.spent !== '0';
  });
  const endUsers = { budgets: requests(1) };
  const terms = { name: 'two budgets', ownerId: person, budgetUsd: '1000', budgets: requests(2), endUsers };
  const { id, token } = (await owner.post('/tokens', terms)).body as { id: string; token: string };
  const reply = await post({ base: weir.base, token }, scripted({}, { max_tokens: 5, user: 'kim' }));
  expect(reply.status).toBe(200);
  await reply.text();
  await owner.call('PATCH', '/organization', {
    body: { terms: { budgets: [{ id: 'b1', ...requests(1)[0], limit: 1 }] } },
  });
  const seen = async () =>
    (await history('?kind=budget&limit=100')).map(({ subject, threshold }) => [subject, threshold]);
  const expected = [`person:${person}#b1`, `token:${id}#b1`];
  await until(async () => {
    const found = await seen();
    return expected.every((scope) => found.some(([subject, threshold]) => subject === scope && threshold === '50'));
  });
  await until(async () =>
    (await seen()).some(([subject, threshold]) => subject === 'org:org#b1' && threshold === '100'),
  );
  // End users have budgets too; there may be thousands of them.
  expect((await seen()).filter(([subject]) => subject?.startsWith('user:'))).toEqual([]);
  await owner.call('PATCH', '/organization', { body: { terms: { budgets: null } } });
});

test('a provider that serves nothing is raised, and shown as open', async () => {
  for (let tries = 0; tries < 6; tries++) await (await post(weir, scripted({}, { model: 'closed/gone' }))).text();
  await until(async () => (await history('?kind=provider-down&state=open')).length > 0);
  const [alert] = await history('?kind=provider-down');
  expect(alert).toMatchObject({
    subject: 'provider:closed',
    severity: 'critical',
    state: 'open',
    title: 'closed is down',
  });
});

test('a viewer reads, an administrator writes, a member sees nothing', async () => {
  const [viewer, admin, member] = [
    await personOf(weir, owner, 'viewer'),
    await personOf(weir, owner, 'admin'),
    await personOf(weir, owner, 'member'),
  ];
  for (const path of ['/alerts', '/alert-channels', '/alert-rules']) {
    expect([(await viewer.get(path)).status, (await admin.get(path)).status]).toEqual([200, 200]);
    expect(codeOf(await member.get(path))).toBe('role_not_allowed');
  }
  const id = webhook.id;
  expect(codeOf(await viewer.post(`/alert-channels/${id}/test`))).toBe('role_not_allowed');
  expect(codeOf(await viewer.call('PATCH', `/alert-channels/${id}`, { body: { disabled: true } }))).toBe(
    'role_not_allowed',
  );
  expect(codeOf(await viewer.post('/alert-rules', {}))).toBe('role_not_allowed');
  expect((await admin.call('PATCH', `/alert-channels/${id}`, { body: { name: 'operations' } })).body).toMatchObject({
    channel: { name: 'operations', host: new URL(hooks.url).host },
  });
});

test('changes keep what they do not name; a new secret replaces the old one', async () => {
  const renewed = (await owner.call('PATCH', `/alert-channels/${webhook.id}`, { body: { newSecret: true } })).body;
  hooks.secret = (renewed as IssuedChannelView).secret ?? '';
  expect((await owner.post(`/alert-channels/${webhook.id}/test`)).body).toMatchObject({ ok: true });
  expect(hooks.received.at(-1)).toMatchObject({ signatureFits: true, path: '/canary-path' });
  const rules = ((await owner.get('/alert-rules')).body as { items: RuleView[] }).items;
  const path = `/alert-rules/${rules[0]?.id}`;
  const changed = (await owner.call('PATCH', path, { body: { quiet: null, repeatMinutes: 60 } })).body as RuleView;
  expect(changed).toMatchObject({ name: 'money', repeatMinutes: 60, channels: [webhook.id, mailbox.id] });
  expect(changed.quiet).toBeUndefined();
  const zone = { quiet: { timeZone: 'Mars/Olympus', from: '22:00', to: '07:00' } };
  expect(codeOf(await owner.call('PATCH', path, { body: zone }))).toBe('field_invalid');
  expect(codeOf(await owner.call('PATCH', path, { body: { channels: ['ch_absent'] } }))).toBe('field_invalid');
  expect((await owner.call('DELETE', path)).status).toBe(204);
  expect(codeOf(await owner.call('DELETE', path))).toBe('not_found');
});

test('no answer, log line or audit entry has a secret', async () => {
  const texts = await Promise.all(
    ['/alerts', '/alert-channels', '/alert-rules', '/audit?limit=500', '/settings'].map(async (path) =>
      JSON.stringify((await owner.get(path)).body),
    ),
  );
  const all = [...texts, weir.output()].join('\n');
  expect(all).toContain('alert-channel-test');
  for (const secret of ['canary-path', password, hooks.secret]) expect(all).not.toContain(secret);
});

/** The time of day in so many hours. */
const timeIn = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

function completionOf(usage: object) {
  const message = { role: 'assistant', content: 'a', refusal: null };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4.1', choices, usage };
}
