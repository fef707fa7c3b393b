/** Configuration from the console, against a real process: changes take effect at once and secrets stay hidden. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ConfiguredProviderView,
  ExportView,
  ModelDetailView,
  PresetView,
  PriceView,
  ProviderTrialView,
  RouteView,
} from '../../src/admin/contracts/configuration-contract.ts';
import { loadConfig } from '../../src/config/load.ts';
import { makeCertificates } from '../harness/certificates.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const goodKey = `canary-good-${crypto.randomUUID()}`;
const secondKey = `canary-second-${crypto.randomUUID()}`;
const wrongKey = `canary-wrong-${crypto.randomUUID()}`;
const headerSecret = `canary-header-${crypto.randomUUID()}`;
const proxyPassword = `canary-proxy-${crypto.randomUUID()}`;
const canaries = [goodKey, secondKey, wrongKey, headerSecret, proxyPassword];
const adminPassword = `a-long-password-${crypto.randomUUID()}`;

/** A provider that accepts two keys, and holds a reply back until it is released. */
function startProvider() {
  const seen: { readonly key: string; readonly header: string | null; readonly model: string }[] = [];
  let hold: Promise<void> | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      const { pathname } = new URL(request.url);
      if (pathname === '/moved/models') return Response.redirect('https://elsewhere.example/v1/models', 302);
      if (pathname === '/page/models') return new Response('<html>hello</html>');
      if (!pathname.startsWith('/v1/')) return Response.json({ error: { message: 'no such path' } }, { status: 404 });
      if (key !== goodKey && key !== secondKey) {
        const message = `Incorrect API key provided: ${key} (${encodeURIComponent(key)}).`;
        return Response.json(
          { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } },
          { status: 401 },
        );
      }
      if (pathname === '/v1/models') return Response.json({ object: 'list', data: [{ id: 'one' }, { id: 'two' }] });
      const { model } = (await request.json()) as { model: string };
      seen.push({ key, header: request.headers.get('x-team-token'), model });
      await hold;
      const message = { role: 'assistant', content: `from ${model}`, refusal: null };
      const usage = { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
    },
  });
  return {
    port: server.port ?? 0,
    base: `http://127.0.0.1:${server.port}/v1`,
    seen,
    holdBack(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = promise;
      return () => {
        hold = undefined;
        resolve();
      };
    },
    stop: () => server.stop(true),
  };
}

async function signedIn(weir: RunningWeir): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  await client.signIn('admin', adminPassword);
  return client;
}

const itemsOf = <Item>({ body }: ConsoleReply): readonly Item[] => (body as { items: readonly Item[] }).items;
const errorOf = ({ body }: ConsoleReply) =>
  (body as { error: { message: string; param?: string; code: string } }).error;
const ask = (weir: RunningWeir, model: string): Promise<Response> =>
  fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });
const providerNamed = async (client: ConsoleClient, name: string) =>
  itemsOf<ConfiguredProviderView>(await client.get('/providers')).find((provider) => provider.name === name);
const change = (client: ConsoleClient, name: string, body: object) =>
  client.call('PATCH', `/providers/${name}`, { body });

describe('configuration from the console', () => {
  const provider = startProvider();
  let weir: RunningWeir;
  let admin: ConsoleClient;

  beforeAll(async () => {
    weir = await startWeir({
      env: { WEIR_ADMIN_PASSWORD: adminPassword, WEIR_LOG_LEVEL: 'debug' },
      yaml: `providers:
  fixed:
    kind: openai-chat
    base_url: ${provider.base}
    key: ${goodKey}
    models: [filed]
models:
  from-file:
    targets: [{ provider: fixed, model: filed }]
prices:
  'fixed/*': { input: 1, output: 1 }
`,
    });
    admin = await signedIn(weir);
  });
  afterAll(async () => {
    provider.stop();
    await weir.remove();
  });

  const entry = { kind: 'openai-chat', base_url: provider.base };

  test('presets are listed, and entries of the file are shown locked, with their line', async () => {
    const presets = itemsOf<PresetView>(await admin.get('/presets'));
    expect(presets.length).toBeGreaterThan(40);
    expect(presets.find(({ kind }) => kind === 'openai-chat')).toMatchObject({ needsBaseUrl: true, configured: true });
    expect(presets.find(({ kind }) => kind === 'bedrock')?.settings).toEqual([
      { name: 'region', required: true, example: 'us-east-1' },
    ]);
    expect(await providerNamed(admin, 'fixed')).toMatchObject({
      origin: 'file',
      originText: 'weir.yaml, line 2',
      locked: true,
      state: 'serving',
      entry: { kind: 'openai-chat', base_url: provider.base, models: ['filed'] },
      keys: [{ id: 'key-1', locked: true, state: 'no-data' }],
      routes: ['from-file'],
    });
    expect(await providerNamed(admin, 'sandbox')).toMatchObject({ origin: 'built-in', locked: true, free: true });
    const [route] = itemsOf<RouteView>(await admin.get('/routes'));
    expect(route).toMatchObject({ alias: 'from-file', originText: 'weir.yaml, line 8', locked: true });
    const [price] = itemsOf<PriceView>(await admin.get('/prices'));
    expect(price).toMatchObject({
      pattern: 'fixed/*',
      originText: 'weir.yaml, line 11',
      entry: { input: 1, output: 1 },
    });
    const locked = await change(admin, 'fixed', { draining: true });
    expect([locked.status, errorOf(locked).param]).toEqual([400, 'name']);
    expect((await change(admin, 'absent', {})).status).toBe(404);
  });

  test('a draft is tried before it is stored, and a wrong key shows the exact refusal without the key', async () => {
    const tried = async (given: object, keys: object[]): Promise<ProviderTrialView> =>
      (await admin.post('/providers/trial', { name: 'draft', entry: { ...entry, ...given }, keys }))
        .body as ProviderTrialView;
    expect(await tried({}, [{ value: goodKey }])).toMatchObject({ ok: true, models: ['one', 'two'] });
    const wrong = await tried({}, [{ value: wrongKey }]);
    expect(wrong).toMatchObject({ ok: false, error: { code: 'key_refused', status: 401 } });
    expect(JSON.parse(wrong.error?.body ?? '')).toEqual({
      error: {
        message: 'Incorrect API key provided: [key] ([key]).',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      },
    });
    expect(wrong.error?.hint).toContain('Check the key');
    const origin = `http://127.0.0.1:${provider.port}`;
    const { tls } = makeCertificates(['127.0.0.1']);
    await using distrusted = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => new Response('never') });
    const codes = await Promise.all(
      [
        [{ base_url: `${origin}/v9` }, 'path_wrong'],
        [{ base_url: `${origin}/page` }, 'not_a_list'],
        [{ base_url: `${origin}/moved` }, 'redirected'],
        [{ base_url: 'http://127.0.0.1:1/v1' }, 'connection_refused'],
        [{ base_url: `https://127.0.0.1:${distrusted.port}/v1` }, 'tls_failed'],
        [{ base_url: `https://127.0.0.1:${provider.port}/v1` }, 'unreachable'],
        [{ base_url: 'http://absent.invalid/v1' }, 'host_unknown'],
        [{ kind: 'perplexity' }, 'not_tryable'],
      ].map(async ([given, code]) => [(await tried(given as object, [{ value: goodKey }])).error?.code, code]),
    );
    for (const [found, expected] of codes) expect(found).toBe(expected);
    for (const address of ['http://169.254.169.254/v1', 'http://[fe80::1]/v1', 'http://2852039166/v1']) {
      const refused = await admin.post('/providers/trial', {
        name: 'draft',
        entry: { ...entry, base_url: address },
        keys: [{ value: goodKey }],
      });
      expect([refused.status, errorOf(refused).param]).toEqual([400, 'entry.base_url']);
    }
    expect(await providerNamed(admin, 'draft')).toBeUndefined();
  }, 300_000);

  test('mistakes are reported with their place and the file reader’s message', async () => {
    const refusals: [object, string, RegExp][] = [
      [
        { name: 'up', entry: { ...entry, base_url: 'ftp://nowhere' }, keys: [] },
        'entry.base_url',
        /found "ftp:\/\/nowhere\/"; allowed: /,
      ],
      [{ name: 'up', entry: { ...entry, base_ulr: 'x' }, keys: [] }, 'entry.base_ulr', /did you mean base_url/],
      [{ name: 'up', entry: { kind: 'opena' }, keys: [] }, 'entry.kind', /did you mean openai/],
      [{ name: 'up', entry: { kind: 'openai' }, keys: [] }, 'keys', /one key or more/],
      [{ name: 'up', entry, keys: [{ value: 'a b' }] }, 'keys[0].value', /found \(hidden\)/],
      [{ name: 'u p', entry, keys: [] }, 'name', /a name of letters/],
      [{ name: 'sandbox', entry, keys: [] }, 'name', /taken/],
      [{ name: 'fixed', entry, keys: [] }, 'name', /taken by a provider from weir\.yaml, line 2/],
      [{ name: 'up', entry: { ...entry, key_file: '/etc/passwd' }, keys: [] }, 'entry.key_file', /only weir\.yaml/],
      [{ name: 'up', entry: { ...entry, proxy: 'http://169.254.169.254:80' }, keys: [] }, 'entry.proxy', /credentials/],
      [
        { name: 'up', entry: { ...entry, profiles: { m: { thinking: 'often' } } }, keys: [] },
        'entry.profiles.m.thinking.kind',
        /allowed: one of never, always, switch/,
      ],
    ];
    for (const [body, param, message] of refusals) {
      const reply = await admin.post('/providers', body);
      expect([reply.status, codeOf(reply), errorOf(reply).param]).toEqual([400, 'field_invalid', param]);
      expect(errorOf(reply).message).toMatch(message);
    }
    const route = await admin.post('/routes', { alias: 'r', entry: { targets: [{ provider: 'fixd', model: 'm' }] } });
    expect(errorOf(route)).toMatchObject({ param: 'entry.targets[0].provider', code: 'field_invalid' });
    const price = await admin.post('/prices', { pattern: 'p', entry: { input: 1 } });
    expect(errorOf(price)).toMatchObject({ param: 'entry', code: 'field_invalid' });
    const twoStars = await admin.post('/routes', {
      alias: '*x*',
      entry: { targets: [{ provider: 'fixed', model: '*' }] },
    });
    expect(errorOf(twoStars).param).toBe('alias');
    const proto = await admin.post('/routes', {
      alias: '__proto__',
      entry: { targets: [{ provider: 'fixed', model: 'm' }] },
    });
    expect(errorOf(proto).param).toBe('alias');
  });

  test('a provider that is added is served at once, and changes to it take effect at once', async () => {
    expect((await ask(weir, 'up/one')).status).toBe(404);
    const headers = { 'x-team-token': headerSecret, 'x-title': 'Weir' };
    const made = await admin.post('/providers', {
      name: 'up',
      entry: { ...entry, headers },
      keys: [{ value: `${wrongKey}\n` }],
    });
    expect(made.body).toMatchObject({
      name: 'up',
      origin: 'console',
      locked: false,
      state: 'serving',
      entry: { headers: { 'x-team-token': '(hidden)', 'x-title': 'Weir' } },
      keys: [{ id: 'key-1', locked: false, ending: wrongKey.slice(-4) }],
    });
    expect((await ask(weir, 'up/one')).status).toBe(503);
    const shown = (await providerNamed(admin, 'up'))?.entry;
    const swapped = await change(admin, 'up', {
      entry: shown,
      addKeys: [{ id: 'key-1', value: goodKey }, { value: secondKey }],
      removeKeys: ['key-1'],
    });
    expect(swapped.status).toBe(200);
    // A key that took the name of a refused one is not cooling down.
    expect((await ask(weir, 'up/one')).status).toBe(200);
    expect((await ask(weir, 'up/one')).status).toBe(200);
    expect(new Set(provider.seen.map(({ key }) => key))).toEqual(new Set([goodKey, secondKey]));
    expect(provider.seen.at(-1)?.header).toBe(headerSecret);
    await until(async () => (await ask(weir, 'two')).status === 200, 60_000, 'the list of models');
    expect((await providerNamed(admin, 'up'))?.models).toEqual(['one', 'two']);
    const trial = await admin.post('/providers/up/trial', {});
    expect(trial.body).toMatchObject({ ok: true, models: ['one', 'two'] });
    const clash = await change(admin, 'up', { addKeys: [{ id: 'key-2', value: goodKey }] });
    expect(errorOf(clash).param).toBe('addKeys[0].id');
    const spaced = await change(admin, 'up', { addKeys: [{ value: 'a b' }] });
    expect(errorOf(spaced)).toMatchObject({ param: 'addKeys[0].value', code: 'field_invalid' });
    const none = await change(admin, 'up', { entry: { kind: 'openai' }, removeKeys: ['key-1', 'key-2'] });
    expect(errorOf(none).param).toBe('addKeys');
  });

  test('its model profiles take effect at once, and stay when the entry is sent back as shown', async () => {
    const contextOf = async (model: string) => {
      const headers = { authorization: `Bearer ${weir.token}` };
      const reply = await fetch(`${weir.base}/models/${encodeURIComponent(model)}`, { headers });
      return ((await reply.json()) as { context_length?: number }).context_length;
    };
    expect(await contextOf('up/one')).toBeUndefined();
    const profiles = {
      'o*': { context_tokens: 4_096, output_tokens_max: 512, thinking: { kind: 'effort', efforts: ['low', 'high'] } },
    };
    const shown = (await providerNamed(admin, 'up'))?.entry;
    expect((await change(admin, 'up', { entry: { ...shown, profiles } })).body).toMatchObject({ entry: { profiles } });
    expect(await contextOf('up/one')).toBe(4_096);
    await change(admin, 'up', { entry: (await providerNamed(admin, 'up'))?.entry });
    expect(await contextOf('up/one')).toBe(4_096);
    expect((await providerNamed(admin, 'up'))?.keys).toHaveLength(2);
    const detail = await admin.get('/model?id=up%2Fone');
    expect(detail.body).toMatchObject({ contextTokens: 4_096, outputTokensMax: 512 });
  });

  test('draining finishes requests in flight and takes no new ones; disabling ends them', async () => {
    const letGo = provider.holdBack();
    const before = provider.seen.length;
    const inFlight = ask(weir, 'up/one');
    await until(() => provider.seen.length === before + 1, 60_000, 'the request');
    expect((await change(admin, 'up', { draining: true })).body).toMatchObject({
      state: 'draining',
      health: { inFlight: 1 },
    });
    expect((await ask(weir, 'up/one')).status).toBe(503);
    letGo();
    expect((await inFlight).status).toBe(200);
    expect(await providerNamed(admin, 'up')).toMatchObject({ state: 'draining', health: { inFlight: 0 } });
    await change(admin, 'up', { draining: false });
    expect((await ask(weir, 'up/one')).status).toBe(200);
    const shown = (await providerNamed(admin, 'up'))?.entry;
    expect((await change(admin, 'up', { entry: { ...shown, enabled: false } })).body).toMatchObject({
      state: 'disabled',
    });
    expect((await ask(weir, 'up/one')).status).toBe(404);
    await change(admin, 'up', { entry: shown });
    expect((await ask(weir, 'up/one')).status).toBe(200);
    expect(provider.seen.at(-1)?.header).toBe(headerSecret);
  });

  test('a route of two tiers falls back to the second when the first is down, and is explained', async () => {
    await admin.post('/providers', { name: 'down', entry: { ...entry, base_url: 'http://127.0.0.1:1/v1' }, keys: [] });
    const targets = [
      { provider: 'down', model: 'one' },
      { provider: 'up', model: 'two', tier: 1 },
    ];
    const route = await admin.post('/routes', { alias: 'team/best', entry: { targets } });
    expect(route.body).toMatchObject({ alias: 'team/best', origin: 'console', entry: { targets } });
    const reply = await ask(weir, 'team/best');
    expect([reply.status, provider.seen.at(-1)?.model]).toEqual([200, 'two']);
    const body = { model: 'team/best', messages: [{ role: 'user', content: 'hello' }] };
    const explained = await admin.post('/explain', { endpoint: 'chat', body });
    expect(explained.body).toMatchObject({
      object: 'weir.explanation',
      model: 'team/best',
      candidates: [{ provider: 'down' }, { provider: 'up', price_bound_usd: null }],
    });
    const generate = { model: 'team/best', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
    expect((await admin.post('/explain', { endpoint: 'generate-content', body: generate })).body).toMatchObject({
      object: 'weir.explanation',
    });
    const embed = { model: 'sandbox-embed', input: 'x' };
    expect((await admin.post('/explain', { endpoint: 'embeddings', body: embed })).body).toMatchObject({
      operation: 'embed',
    });
    expect(errorOf(await admin.post('/explain', { endpoint: 'nothing', body: {} })).param).toBe('endpoint');
    const detail = (await admin.get('/model?id=team%2Fbest')).body as ModelDetailView;
    expect(detail).toMatchObject({ alias: true, route: { alias: 'team/best', locked: false }, choose: 'weighted' });
    expect(detail.targets.map(({ provider: name, tier }) => [name, tier])).toEqual([
      ['down', 0],
      ['up', 1],
    ]);
    expect(detail.prices.map(({ source }) => source)).toEqual(['unknown', 'unknown']);
    await admin.call('DELETE', '/providers/down');
    const left = itemsOf<RouteView>(await admin.get('/routes')).find(({ alias }) => alias === 'team/best');
    expect(left?.problem).toContain('"down"');
    expect((await ask(weir, 'team/best')).status).toBe(200);
  });

  test('a new price applies to later requests, not to those in flight', async () => {
    const priced = (input: number) => admin.post('/prices', { pattern: 'up/*', entry: { input, output: 0 } });
    const costOf = (reply: Response) => reply.headers.get('x-weir-cost-usd') ?? reply.headers.get('x-weir-cost');
    expect((await priced(1)).status).toBe(200);
    const letGo = provider.holdBack();
    const before = provider.seen.length;
    const inFlight = ask(weir, 'up/one');
    await until(() => provider.seen.length === before + 1, 60_000, 'the request');
    await priced(3);
    letGo();
    const first = await inFlight;
    const second = await ask(weir, 'up/one');
    expect([Number(costOf(first)), Number(costOf(second))]).toEqual([0.001, 0.003]);
    const detail = (await admin.get('/model?id=up%2Fone')).body as ModelDetailView;
    expect(detail.prices).toEqual([
      {
        provider: 'up',
        model: 'one',
        source: 'operator',
        version: expect.stringMatching(/^operator@20/),
        lines: [
          { class: 'input', usd: '3.00', per: '1,000,000 tokens' },
          { class: 'output', usd: '0.00', per: '1,000,000 tokens' },
        ],
      },
    ]);
    expect((await admin.call('DELETE', '/prices?pattern=up%2F*')).status).toBe(204);
    expect((await admin.call('DELETE', '/prices?pattern=up%2F*')).status).toBe(404);
    expect((await admin.call('DELETE', '/prices?pattern=fixed%2F*')).status).toBe(400);
    await priced(3);
  });

  test('a route that demands moderation takes effect at once', async () => {
    const entryOf = (moderation?: string) => ({
      targets: [{ provider: 'up', model: 'one' }],
      ...(moderation !== undefined && { moderation }),
    });
    await admin.post('/routes', { alias: 'guarded', entry: entryOf('before') });
    const violent = () =>
      fetch(`${weir.base}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'guarded',
          messages: [{ role: 'user', content: 'I want to kill them all and stab everyone' }],
        }),
      });
    const refused = await violent();
    expect(await refused.json()).toMatchObject({ error: { code: 'content_refused' } });
    await admin.post('/routes', { alias: 'guarded', entry: entryOf() });
    expect((await violent()).status).toBe(200);
    expect((await admin.call('DELETE', '/routes?alias=guarded')).status).toBe(204);
    expect((await violent()).status).toBe(404);
  });

  test('everything is audited, without a secret', async () => {
    const log = itemsOf<{ action: string; subject: string; detail: object }>(await admin.get('/audit?limit=200'));
    for (const action of [
      'provider-create',
      'provider-change',
      'provider-delete',
      'route-change',
      'route-delete',
      'price-change',
      'price-delete',
    ]) {
      expect(log.map((each) => each.action)).toContain(action);
    }
    const [create] = log.filter(({ action }) => action === 'provider-create').toReversed();
    expect(create).toMatchObject({ subject: 'provider:up', detail: { kind: 'openai-chat', keys: ['key-1'] } });
    for (const canary of canaries) expect(JSON.stringify(log)).not.toContain(canary);
  });

  test('an export loads as weir.yaml and means the same', async () => {
    await admin.post('/providers', {
      name: 'proxied',
      entry: { kind: 'openai', proxy: `http://me:${proxyPassword}@127.0.0.1:9`, enabled: false },
      keys: [{ value: goodKey }],
    });
    const { yaml, variables } = (await admin.get('/export')).body as ExportView;
    expect(variables).toEqual(['UP_API_KEY', 'UP_API_KEY_2', 'PROXIED_API_KEY']);
    for (const canary of canaries) expect(yaml).not.toContain(canary);
    expect(yaml).toContain('# providers.up.headers.x-team-token is not written here');
    const config = loadConfig({
      environment: { UP_API_KEY: 'k1', UP_API_KEY_2: 'k2', PROXIED_API_KEY: 'k3' },
      readFile: (path) => (path.endsWith('weir.yaml') ? yaml : undefined),
      workingFolder: '/',
    });
    expect(config.providers).toMatchObject([
      {
        name: 'up',
        kind: 'openai-chat',
        baseUrl: provider.base,
        keys: [
          { id: 'key-1', value: 'k1' },
          { id: 'key-2', value: 'k2' },
        ],
        headers: { 'x-title': 'Weir' },
        profiles: {
          'o*': {
            context_tokens: 4_096,
            output_tokens_max: 512,
            thinking: { kind: 'effort', efforts: ['low', 'high'] },
          },
        },
      },
      { name: 'proxied', kind: 'openai', enabled: false },
    ]);
    // The route still names a deleted provider, which the file would refuse.
    expect(config.models).toEqual([
      { alias: 'team/best', targets: [{ provider: 'up', model: 'two', weight: 1, tier: 1 }] },
    ]);
    expect(config.prices).toMatchObject([{ pattern: 'up/*', input: 3, output: 0 }]);
    await admin.call('DELETE', '/providers/proxied');
  });

  test('a restart keeps it, and neither the files nor the log hold a key', async () => {
    await weir.stop();
    await weir.restart();
    admin = await signedIn(weir);
    expect((await ask(weir, 'up/one')).status).toBe(200);
    expect(await providerNamed(admin, 'up')).toMatchObject({
      models: ['one', 'two'],
      keys: [{ id: 'key-1' }, { id: 'key-2' }],
    });
    expect(itemsOf<PriceView>(await admin.get('/prices')).map(({ pattern }) => pattern)).toEqual(['fixed/*', 'up/*']);
    await weir.stop();
    const names = (await readdir(weir.dataFolder, { recursive: true })).filter((name) => !name.endsWith('weir.yaml'));
    for (const name of names) {
      const bytes = await Bun.file(join(weir.dataFolder, name))
        .bytes()
        .catch(() => new Uint8Array());
      const text = Buffer.from(bytes).toString('latin1');
      for (const canary of canaries) expect([name, text.includes(canary)]).toEqual([name, false]);
    }
    for (const canary of canaries) expect(weir.output()).not.toContain(canary);
  }, 300_000);
});
