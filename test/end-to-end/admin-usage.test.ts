/** Usage at the admin API, against real processes: exact to the last digit, and only for those who may see it. */

import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type {
  BudgetAlarmView,
  CountView,
  OverviewView,
  RequestDetailView,
  RequestsView,
  UsageRowView,
} from '../../src/admin/contracts/contract.ts';
import { nanoFromUsd, usdText } from '../../src/ledger/money.ts';
import { post, scripted, type Target } from '../harness/chat.ts';
import { ConsoleClient, type ConsoleReply, codeOf, setUpCodes } from '../harness/console-client.ts';
import { hasDatabase, needing } from '../harness/needs.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let upstream: RunningUpstream;
const weirs = new Map<string, RunningWeir>();
const engines = ['sqlite', 'postgres'] as const;

beforeAll(async () => {
  upstream = await startUpstream();
  const provider = (base: string) => ({ kind: 'openai', base_url: base, keys: ['sk-any'], models: ['gpt-4.1'] });
  const yaml = {
    providers: { closed: provider('http://127.0.0.1:1/v1'), open: provider(upstream.base) },
    models: {
      steady: { targets: [{ provider: 'open', model: 'gpt-4.1' }] },
      'failing-over': {
        targets: [
          { provider: 'closed', model: 'gpt-4.1', tier: 0 },
          { provider: 'open', model: 'gpt-4.1', tier: 1 },
        ],
      },
    },
    // Odd on purpose: no rounded number comes out even.
    prices: { 'open/gpt-4.1': { input: 1.234567, output: 7.654321, cache_read: 0.111111 } },
    clocks: { patience_ms: 0, read_on_ms: 0 },
  };
  await Promise.all(
    engines.filter(hasDatabase).map(async (database) => weirs.set(database, await startWeir({ yaml, database }))),
  );
});
afterAll(async () => {
  await Promise.all([...weirs.values()].map((weir) => weir.remove()));
  await upstream.stop();
});

/** A reply that used so many tokens. */
const reporting = (prompt: number, completion: number, cached = 0) => ({
  contentType: 'application/json',
  body: JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
    },
  }),
});

interface Person {
  readonly client: ConsoleClient;
  readonly target: Target;
  readonly tokenId: string;
}

for (const engine of engines) {
  const { beforeAll, describe, test } = needing(engine);
  describe(`usage on ${engine}`, () => {
    let weir: RunningWeir;
    let owner: Person;
    let member: Person;
    /** By the name of the request. */
    const ids: Record<string, string> = {};

    async function enter(client: ConsoleClient, tokenName: string, terms: object = {}): Promise<Person> {
      const { body } = await client.post('/tokens', { name: tokenName, ...terms });
      const { id, token } = body as { id: string; token: string };
      return { client, target: { base: weir.base, token }, tokenId: id };
    }

    const ask = async (name: string, { target }: Person, body: Record<string, unknown>): Promise<void> => {
      const reply = await post(target, body);
      await reply.text();
      ids[name] = reply.headers.get('x-request-id') ?? '';
    };

    beforeAll(async () => {
      const found = weirs.get(engine);
      if (found === undefined) throw new Error(`Weir does not run on ${engine}.`);
      weir = found;
      await until(() => setUpCodes(weir.output()).length > 0, 60_000, 'the set-up link');
      const client = new ConsoleClient(weir);
      const password = 'a long password';
      await client.post('/set-up', { code: setUpCodes(weir.output())[0], name: 'olga', password });
      await client.post('/accounts', { name: 'mara', role: 'member', password });
      const hers = new ConsoleClient(weir);
      await hers.signIn('mara', password);
      owner = await enter(client, 'the owner’s');
      member = await enter(hers, '=1+1');
      await ask('steady', owner, scripted(reporting(1_003, 77, 500), { model: 'steady' }));
      await ask('over', owner, scripted(reporting(11, 7), { model: 'failing-over' }));
      await ask('streamed', member, scripted({ deltas: 3 }, { model: 'steady', stream: true }));
      await ask('failed', member, scripted({ status: 422, body: '{"error":{"message":"no"}}' }, { model: 'steady' }));
      await ask('sandbox', member, { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Good day' }] });
      const listed = async () => (await requests(owner, 'limit=200')).items.length === 5;
      await until(listed, 60_000, 'five rows');
    });

    const get = async <Body>({ client }: Person, path: string): Promise<Body> => {
      const reply = await client.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
      return reply.body as Body;
    };
    const requests = (person: Person, query = '') => get<RequestsView>(person, `/usage/requests?${query}`);
    const detailOf = (person: Person, name: string) => get<RequestDetailView>(person, `/usage/requests/${ids[name]}`);
    const namesOf = (rows: readonly UsageRowView[]): string[] =>
      rows.map(({ requestId }) => Object.keys(ids).find((name) => ids[name] === requestId) ?? requestId);

    function expectLinesAddUp({ row, costLines = [] }: RequestDetailView): void {
      const sum = costLines.reduce((total, { costUsd }) => total + (nanoFromUsd(costUsd) ?? 0n), 0n);
      expect(usdText(sum)).toBe(row?.costUsd ?? '');
    }

    test('the detail of a request with a fallback to another provider', async () => {
      const detail = await detailOf(owner, 'over');
      expect(detail).toMatchObject({
        requestId: ids['over'],
        tokenName: 'the owner’s',
        row: { model: 'failing-over', provider: 'open', attempts: 2, status: 200 },
        priceVersion: 'operator',
        way: { lane: 'forward', from: 'openai-chat', to: 'openai-chat', losses: [] },
        hasContent: false,
      });
      expect(detail.attempts.map(({ provider, verdict, costUsd }) => [provider, verdict, costUsd])).toEqual([
        ['closed', 'target-down', '0.00'],
        ['open', '', detail.row?.costUsd],
      ]);
      expect(
        detail.costLines?.map(({ class: name, quantity, usd, perUnits }) => [name, quantity, usd, perUnits]),
      ).toEqual([
        ['input', 11, '1.234567', 1_000_000],
        ['output', 7, '7.654321', 1_000_000],
      ]);
      expect(detail.bytesIn).toBeGreaterThan(50);
      expect(detail.bytesOut).toBeGreaterThan(50);
      expectLinesAddUp(detail);
    });

    test('each price class has its own line, a price of zero has lines too, and a refusal has none', async () => {
      const cached = await detailOf(owner, 'steady');
      expect(cached.costLines?.map(({ class: name, quantity }) => [name, quantity])).toEqual([
        ['input', 503],
        ['cache read', 500],
        ['output', 77],
      ]);
      // 503 × 1.234567 + 500 × 0.111111 + 77 × 7.654321 dollars a million, rounded up to the nano-dollar once.
      expect(cached.row?.costNano).toBe(String(Math.ceil((503 * 1_234_567 + 500 * 111_111 + 77 * 7_654_321) / 1_000)));
      expectLinesAddUp(cached);
      const free = await detailOf(owner, 'sandbox');
      expect(free).toMatchObject({ priceVersion: 'free', row: { costUsd: '0.00' } });
      expect(free.costLines?.map(({ class: name, usd }) => [name, usd])).toEqual([
        ['input', '0.00'],
        ['output', '0.00'],
      ]);
      const refused = await detailOf(owner, 'failed');
      expect(refused).toMatchObject({ row: { status: 422, attempts: 1 }, costLines: [] });
      expect(refused.attempts.map(({ verdict }) => verdict)).toEqual(['request-fault']);
    });

    test('a translated request shows both formats and its losses', async () => {
      const reply = await fetch(`${weir.base}/messages`, {
        method: 'POST',
        headers: { 'x-api-key': owner.target.token, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'steady',
          max_tokens: 10,
          top_k: 3,
          messages: [{ role: 'user', content: 'Good day' }],
        }),
      });
      await reply.text();
      ids['translated'] = reply.headers.get('x-request-id') ?? '';
      const detail = await detailOf(owner, 'translated');
      expect(detail.way).toMatchObject({ lane: 'translate', from: 'anthropic-messages', to: 'openai-chat' });
      expect(detail.way?.losses).toContain('top_k');
      expectLinesAddUp(detail);
    });

    test('an image is a line in images', async () => {
      const reply = await fetch(`${weir.base}/images/generations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.target.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox-image', prompt: 'A weir', n: 2, size: '256x256' }),
      });
      expect(reply.status).toBe(200);
      await reply.text();
      ids['image'] = reply.headers.get('x-request-id') ?? '';
      const detail = await detailOf(owner, 'image');
      expect(detail.costLines?.find(({ class: name }) => name === 'images')).toMatchObject({
        quantity: 2,
        perUnits: 1,
      });
      expectLinesAddUp(detail);
    });

    test('filters by everything, several values of each', async () => {
      const found = async (query: string): Promise<string[]> => namesOf((await requests(owner, query)).items).sort();
      const first = ['failed', 'over', 'sandbox', 'steady', 'streamed'];
      expect((await found('')).filter((name) => first.includes(name))).toEqual(first);
      expect(await found('model=failing-over&model=sandbox-chat')).toEqual(['over', 'sandbox']);
      expect(await found(`token=${member.tokenId}`)).toEqual(['failed', 'sandbox', 'streamed']);
      expect(await found('status=4&status=5')).toEqual(['failed']);
      expect(await found('code=upstream_refused')).toEqual(['failed']);
      expect(await found('stream=true')).toEqual(['streamed']);
      expect(await found('provider=open&code=&stream=false&model=steady&model=failing-over')).toContain('over');
      expect(await found('min_cost_usd=0.0012')).toEqual(['steady']);
      expect(await found('min_duration_ms=900000')).toEqual([]);
      expect(await found('fallback=true')).toEqual(['over']);
      expect(await found(`id=${ids['over']?.slice(0, 20)}`)).toContain('over');
      expect(await found(`id=${ids['over']}`)).toEqual(['over']);
      expect(await found(`from=${Date.now() + 5_000}&to=${Date.now() + 9_000}`)).toEqual([]);
      const { account } = await get<{ account: { id: string } }>(member, '/session');
      expect(await found(`owner=${account.id}`)).toEqual(['failed', 'sandbox', 'streamed']);
      for (const query of [
        'status=9',
        'stream=maybe',
        'min_cost_usd=-1',
        'min_duration_ms=x',
        'limit=0',
        'cursor=x',
        'direction=up',
        'from=soon',
      ]) {
        const reply = await owner.client.get(`/usage/requests?${query}`);
        expect([query, reply.status, codeOf(reply)]).toEqual([query, 400, 'field_invalid']);
      }
    });

    test('pages go forward and back without gaps, and the tail has the newer rows', async () => {
      const whole = (await requests(owner, 'limit=200')).items.map(({ requestId }) => requestId);
      const paged: string[] = [];
      let page = await requests(owner, 'limit=2');
      for (;;) {
        paged.push(...page.items.map(({ requestId }) => requestId));
        if (page.older === undefined) break;
        page = await requests(owner, `limit=2&cursor=${encodeURIComponent(page.older)}`);
      }
      expect(paged).toEqual(whole);
      const { newer = '' } = await requests(owner, 'limit=2');
      const since = (cursor: string) => requests(owner, `direction=newer&cursor=${encodeURIComponent(cursor)}`);
      expect((await since(newer)).items).toEqual([]);
      await ask('latest', owner, scripted({}, { model: 'steady' }));
      const tail = await since(newer);
      expect(namesOf(tail.items)).toEqual(['latest']);
      expect((await since(tail.newer ?? '')).items).toEqual([]);
    });

    test('an overview and a count are the sums of all requests', async () => {
      const { items } = await requests(owner, 'limit=200');
      const view = await get<OverviewView>(owner, '/usage/overview');
      expect(view.total.requests).toBe(items.length);
      expect(view.total.failures).toBe(1);
      const costNano = items.reduce((sum, row) => sum + BigInt(row.costNano ?? 0), 0n);
      expect(view.total.costNano).toBe(costNano.toString());
      expect(view.before.requests).toBe(0);
      expect(view.buckets.reduce((sum, { requests: count }) => sum + count, 0)).toBe(items.length);
      expect(view.tokens.map(({ label }) => label).sort()).toEqual(['=1+1', 'the owner’s']);
      expect(view.codes.map(({ key, requests: count }) => [key, count])).toEqual([['upstream_refused', 1]]);
      expect(await get<CountView>(owner, '/usage/count')).toEqual({ requests: items.length, exact: true });
      expect(await get<CountView>(owner, '/usage/count?status=4')).toEqual({ requests: 1, exact: true });
    });

    test('a member sees only the requests of their own tokens, whatever they ask for', async () => {
      const own = ['failed', 'sandbox', 'streamed'];
      expect((await requests(member, 'owner=another')).items).toEqual([]);
      for (const query of ['', 'limit=200']) {
        expect(namesOf((await requests(member, query)).items).sort()).toEqual(own);
      }
      expect((await requests(member, `token=${owner.tokenId}`)).items).toEqual([]);
      expect((await requests(member, `id=${ids['over']}`)).items).toEqual([]);
      expect(await get<CountView>(member, '/usage/count')).toEqual({ requests: 3, exact: true });
      const view = await get<OverviewView>(member, '/usage/overview');
      expect([view.total.requests, view.tokens.map(({ key }) => key)]).toEqual([3, [member.tokenId]]);
      expect(view.models.map(({ key }) => key)).not.toContain('failing-over');
      expect((await detailOf(member, 'streamed')).row?.model).toBe('steady');
      const hidden = await member.client.get(`/usage/requests/${ids['over']}`);
      const absent = await member.client.get('/usage/requests/req_none');
      expect([hidden.status, hidden.body]).toEqual([404, absent.body]);
      const file = await exported(member, 'form=json');
      expect(namesOf(JSON.parse(file.text) as UsageRowView[]).sort()).toEqual(own);
    });

    test('a running request is shown to its owner, and to those who see everything', async () => {
      const other = new ConsoleClient(weir);
      await owner.client.post('/accounts', { name: 'nora', role: 'member', password: 'a long password' });
      await other.signIn('nora', 'a long password');
      const leaving = new AbortController();
      const stalling = scripted({ deltas: 9, cut: { after: 2, how: 'stall' } }, { model: 'steady', stream: true });
      const reply = await post(member.target, stalling, { signal: leaving.signal });
      const path = `/usage/requests/${reply.headers.get('x-request-id')}`;
      for (const person of [member, owner]) {
        const detail = await get<RequestDetailView>(person, path);
        expect(detail).not.toHaveProperty('row');
        expect(detail).toMatchObject({ tokenName: '=1+1', attempts: [{ provider: 'open' }] });
      }
      const [hidden, absent] = await Promise.all([other.get(path), other.get('/usage/requests/req_none')]);
      expect([hidden.status, hidden.body]).toEqual([404, absent.body]);
      leaving.abort();
      await until(async () => (await get<RequestDetailView>(member, path)).row !== undefined, 60_000, 'its end');
      ids['left'] = reply.headers.get('x-request-id') ?? '';
    });

    async function exported({ client }: Person, query: string) {
      const reply = await fetch(`${weir.url}/console/api/usage/export?${query}`, {
        headers: { cookie: client.cookie },
      });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    }

    test('a file holds the same rows as the list, and no cell is a formula', async () => {
      const { items } = await requests(owner, 'limit=200');
      const csv = await exported(owner, 'form=csv');
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toBe('attachment; filename="weir-requests.csv"');
      const [head = '', ...lines] = csv.text.trimEnd().split('\r\n');
      const columns = head.split(',');
      expect(lines.map((line) => line.split(',')[0])).toEqual(items.map(({ requestId }) => requestId));
      const names = new Set(lines.map((line) => line.split(',')[columns.indexOf('tokenName')]));
      expect(names).toEqual(new Set(['the owner’s', "'=1+1"]));
      const json = await exported(owner, 'form=json&model=failing-over');
      expect(JSON.parse(json.text)).toMatchObject(items.filter(({ model }) => model === 'failing-over'));
      expect((await exported(owner, 'form=xml')).status).toBe(400);
      expect((await exported({ ...owner, client: new ConsoleClient(weir) }, '')).status).toBe(401);
    });

    test('budgets near their limit, the nearest first, and only those that the account may see', async () => {
      const alarms = async (person: Person) =>
        (await get<{ items: readonly BudgetAlarmView[] }>(person, '/usage/budgets')).items;
      expect(await alarms(owner)).toEqual([]);
      // Each call costs a little more than 0.0012 dollars.
      const near = await enter(owner.client, 'near', { budgetUsd: '0.0016', budgetPeriod: 'month' });
      const far = await enter(owner.client, 'far', { budgetUsd: '5' });
      for (const person of [near, far]) {
        await ask('of a budget', person, scripted(reporting(1_000, 5), { model: 'steady', max_tokens: 5 }));
      }
      await until(async () => (await alarms(owner)).length > 0, 60_000, 'an alarm');
      const [alarm, ...others] = await alarms(owner);
      expect(others).toEqual([]);
      expect(alarm).toMatchObject({ tokenId: near.tokenId, tokenName: 'near', limitUsd: '0.0016', period: 'month' });
      expect(alarm?.share).toBeCloseTo(Number(alarm?.spentUsd) / 0.0016, 5);
      expect(await alarms(member)).toEqual([]);
    });

    // That both stores keep such prices is tested in `test/contract/request-detail.test.ts`.
    if (engine === 'sqlite' || isFullSize)
      test('the cost of a request is shown by the prices of its time, also after they were changed', async () => {
        const before = await detailOf(owner, 'steady');
        await weir.stop();
        const path = join(weir.dataFolder, 'weir.yaml');
        await Bun.write(path, (await Bun.file(path).text()).replace('7.654321', '9'));
        await weir.restart();
        expect(await detailOf(owner, 'steady')).toEqual(before);
        await ask('dearer', owner, scripted(reporting(0, 1_000_000), { model: 'steady' }));
        const after = await detailOf(owner, 'dearer');
        expect(after.costLines).toMatchObject([{ class: 'output', usd: '9.00', costUsd: '9.00' }]);
        expectLinesAddUp(await detailOf(owner, 'over'));
      });

    test('nothing is returned without signing in', async () => {
      const replies: ConsoleReply[] = [];
      const paths = ['overview', 'breakdown', 'requests', `requests/${ids['over']}`, 'count', 'budgets', 'export'];
      for (const path of [...paths, 'export/sums']) {
        replies.push(await new ConsoleClient(weir).get(`/usage/${path}`));
      }
      expect(new Set(replies.map(codeOf))).toEqual(new Set(['sign_in_required']));
    });
  });
}
