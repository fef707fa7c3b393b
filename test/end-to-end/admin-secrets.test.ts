/** An administrator changes a provider's destination: no sealed key and no hidden header goes to the new URL. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AuditView } from '../../src/admin/contracts/account-contract.ts';
import type { ChangedProviderView, ConfiguredProviderView } from '../../src/admin/contracts/configuration-contract.ts';
import { ConsoleClient, type ConsoleReply } from '../harness/console-client.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

const keyCanary = `canary-key-${crypto.randomUUID()}`;
const headerCanary = `canary-header-${crypto.randomUUID()}`;
const adminPassword = `a-long-password-${crypto.randomUUID()}`;

/** Lists one model and records everything that it receives, as text. */
function startListener() {
  const received: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      received.push(`${request.url} ${JSON.stringify([...request.headers])}`);
      return Response.json({ object: 'list', data: [{ id: 'one' }] });
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) };
}

const home = startListener();
const elsewhere = startListener();
let weir: RunningWeir;
let admin: ConsoleClient;

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: adminPassword } });
  admin = new ConsoleClient(weir);
  await admin.signIn('admin', adminPassword);
});
afterAll(async () => {
  home.stop();
  elsewhere.stop();
  await weir.remove();
});
afterEach(() => {
  const leaked = elsewhere.received.filter((text) => text.includes(keyCanary) || text.includes(headerCanary));
  expect(leaked).toEqual([]);
});

const entry = {
  kind: 'openai-chat',
  base_url: `${home.origin}/v1`,
  headers: { 'x-secret': headerCanary, 'x-title': 'Weir' },
};
const shown = { ...entry, headers: { ...entry.headers, 'x-secret': '(hidden)' } };
const change = (name: string, body: object) => admin.call('PATCH', `/providers/${name}`, { body });
const messageOf = ({ body }: ConsoleReply) => (body as { error: { message: string } }).error.message;
const paramOf = ({ body }: ConsoleReply) => (body as { error: { param?: string } }).error.param;
const tried = (name: string) => admin.post(`/providers/${name}/trial`);
const auditOf = async (action: string): Promise<readonly AuditView[]> =>
  ((await admin.get(`/audit?action=${action}`)).body as { items: readonly AuditView[] }).items;

async function made(name: string, given: object = {}, keys: readonly object[] = [{ value: keyCanary }]): Promise<void> {
  const reply = await admin.post('/providers', { name, entry: { ...entry, ...given }, keys });
  expect(reply.status).toBe(200);
}

describe('sealed secrets of a provider', () => {
  test('a changed base URL removes keys and hidden header values, and the reply says so', async () => {
    await made('moved');
    const reply = await change('moved', { entry: { ...shown, base_url: `${elsewhere.origin}/v1` } });
    expect(reply.status).toBe(200);
    const view = reply.body as ChangedProviderView;
    expect(view.removed).toEqual({ because: ['base_url'], keys: ['key-1'], headers: ['x-secret'] });
    expect(view.keys).toEqual([]);
    expect(view.entry.headers).toEqual({ 'x-title': 'Weir' });
    const before = elsewhere.received.length;
    expect((await tried('moved')).body).toMatchObject({ ok: true });
    expect(elsewhere.received.length).toBeGreaterThan(before);
    const [written] = await auditOf('provider-change');
    expect(written?.detail).toMatchObject({ keysRemoved: ['key-1'], headersRemoved: ['x-secret'] });
  });

  test('secrets entered again in the same call are kept', async () => {
    await made('again');
    const headers = { 'x-secret': 'entered-again-1234567', 'x-title': 'Weir' };
    const reply = await change('again', {
      entry: { ...shown, base_url: `${elsewhere.origin}/v1`, headers },
      addKeys: [{ id: 'key-1', value: 'typed-again-0123456789abcd' }],
    });
    const view = reply.body as ChangedProviderView;
    expect(view.removed).toEqual({ because: ['base_url'], keys: ['key-1'], headers: [] });
    expect(view.keys.map(({ ending }) => ending)).toEqual(['abcd']);
    await tried('again');
    const last = elsewhere.received.at(-1) ?? '';
    expect([last.includes('typed-again-'), last.includes('entered-again-')]).toEqual([true, true]);
  });

  test('a changed proxy, kind, setting or header that names a host counts as another destination', async () => {
    const changes: [string, object, string][] = [
      ['proxy', { proxy: elsewhere.origin }, 'proxy'],
      ['kind', { kind: 'anthropic-messages' }, 'kind'],
      ['host', { headers: { ...shown.headers, host: 'mine.example' } }, 'headers.host'],
      ['forwarded', { headers: { ...shown.headers, 'x-forwarded-host': 'mine.example' } }, 'headers.x-forwarded-host'],
    ];
    for (const [name, given, because] of changes) {
      await made(name);
      const view = (await change(name, { entry: { ...shown, ...given } })).body as ChangedProviderView;
      expect(view.removed).toEqual({ because: [because], keys: ['key-1'], headers: ['x-secret'] });
      await tried(name);
    }
  });

  test('where a key is needed, the change is refused until keys are entered again', async () => {
    const azure = { kind: 'azure', settings: { resource: 'mine' } };
    await made('strict', { ...azure, base_url: undefined });
    const reply = await change('strict', { entry: { ...azure, settings: { resource: 'other' } } });
    expect([reply.status, paramOf(reply)]).toEqual([400, 'addKeys']);
    expect(messageOf(reply)).toContain('settings.resource changed');
    const { items } = (await admin.get('/providers')).body as { items: readonly ConfiguredProviderView[] };
    const kept = items.find(({ name }) => name === 'strict');
    expect([kept?.entry.settings, kept?.keys.length]).toEqual([azure.settings, 1]);
  });

  test('other changes, and the same URL in another spelling, keep them', async () => {
    await made('stays');
    const same = { ...shown, base_url: `${entry.base_url}/`, models: ['one'], region: 'eu' };
    const renamed = { ...same, headers: { ...shown.headers, 'x-title': 'Other', 'x-added': 'yes' } };
    for (const body of [{ entry: same }, { entry: renamed }, { draining: true }, { draining: false }]) {
      const view = (await change('stays', body)).body as ChangedProviderView;
      expect([view.removed, view.keys.length]).toEqual([undefined, 1]);
    }
    await tried('stays');
    const last = home.received.at(-1) ?? '';
    expect([last.includes(keyCanary), last.includes(headerCanary)]).toEqual([true, true]);
  });

  test('a trial of a draft cannot name a stored provider, and every trial is in the audit log with its URL', async () => {
    await made('kept');
    const draft = { name: 'kept', entry: { ...shown, base_url: `${elsewhere.origin}/v1` }, keys: [] };
    expect((await admin.post('/providers/trial', draft)).status).toBe(400);
    const hidden = await admin.post('/providers/trial', { ...draft, name: 'draft' });
    expect([hidden.status, paramOf(hidden)]).toEqual([400, 'entry.headers.x-secret']);
    await tried('kept');
    const open = { kind: 'openai-chat', base_url: `${elsewhere.origin}/v1` };
    await admin.post('/providers/trial', { name: 'draft', entry: open, keys: [] });
    const [ofDraft, ofKept] = await auditOf('provider-trial');
    expect(ofDraft).toMatchObject({
      subject: 'provider:draft',
      detail: { url: `${elsewhere.origin}/v1`, draft: true, ok: true },
    });
    expect(ofKept).toMatchObject({
      subject: 'provider:kept',
      detail: { url: `${home.origin}/v1`, draft: false, ok: true },
    });
  });
});
