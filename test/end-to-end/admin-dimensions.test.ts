/** Usage by dimension at the admin API, against real processes: end users of every format, keys, labels, owners, and files of sums. */

import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { BreakdownView, OverviewView, RequestsView } from '../../src/admin/contracts/contract.ts';
import { dimensions } from '../../src/admin/contracts/contract.ts';
import { ConsoleClient, codeOf, setUpCodes } from '../harness/console-client.ts';
import { hasDatabase, needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const weirs = new Map<string, RunningWeir>();
const engines = ['sqlite', 'postgres'] as const;

beforeAll(async () => {
  await Promise.all(
    engines.filter(hasDatabase).map(async (database) => weirs.set(database, await startWeir({ database }))),
  );
});
afterAll(async () => {
  await Promise.all([...weirs.values()].map((weir) => weir.remove()));
});

const messages = [{ role: 'user', content: 'Good day' }];

for (const engine of engines) {
  const { beforeAll, describe, test } = needing(engine);
  describe(`dimensions on ${engine}`, () => {
    let weir: RunningWeir;
    let owner: ConsoleClient;
    let member: ConsoleClient;
    const tokens: Record<'owners' | 'members', { readonly id: string; readonly token: string }> = {
      owners: { id: '', token: '' },
      members: { id: '', token: '' },
    };

    const send = async (
      whose: keyof typeof tokens,
      path: string,
      body: object | FormData,
      tags = '',
    ): Promise<number> => {
      const isForm = body instanceof FormData;
      const reply = await fetch(`${weir.base}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens[whose].token}`,
          ...(!isForm && { 'content-type': 'application/json' }),
          ...(tags !== '' && { 'x-weir-tags': tags }),
        },
        body: isForm ? body : JSON.stringify(body),
      });
      await reply.text();
      return reply.status;
    };
    const get = async <Body>(client: ConsoleClient, path: string): Promise<Body> => {
      const reply = await client.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
      return reply.body as Body;
    };
    const breakdown = (client: ConsoleClient, query: string) => get<BreakdownView>(client, `/usage/breakdown?${query}`);
    const countsOf = ({ items }: BreakdownView) =>
      Object.fromEntries(items.map(({ label, requests }) => [label, requests]));

    beforeAll(async () => {
      const found = weirs.get(engine);
      if (found === undefined) throw new Error(`Weir does not run on ${engine}.`);
      weir = found;
      await until(() => setUpCodes(weir.output()).length > 0, 60_000, 'the set-up link');
      owner = new ConsoleClient(weir);
      const password = 'a long password';
      await owner.post('/set-up', { code: setUpCodes(weir.output())[0], name: 'olga', password });
      await owner.post('/accounts', { name: 'mara', role: 'member', password });
      member = new ConsoleClient(weir);
      await member.signIn('mara', password);
      const created = async (client: ConsoleClient, terms: object) =>
        (await client.post('/tokens', terms)).body as { id: string; token: string };
      tokens.owners = await created(owner, { name: 'shop', labels: ['team-a', 'prod'] });
      tokens.members = await created(member, { name: 'lab' });
      const form = new FormData();
      form.set('model', 'sandbox-image');
      form.set('prompt', 'A weir');
      form.set('user', 'edit-user');
      form.set('image', new File([onePixel], 'a.png', { type: 'image/png' }));
      const model = 'sandbox-chat';
      const sent = [
        await send('owners', '/chat/completions', { model, messages, user: 'ann' }, 'nightly, eu'),
        await send('owners', '/chat/completions', { model, messages, safety_identifier: 'bo' }, 'nightly'),
        await send('owners', '/messages', { model, messages, max_tokens: 10, metadata: { user_id: 'ann' } }),
        await send('owners', '/responses', { model, input: 'Good day', safety_identifier: 'cy', store: false }),
        await send('owners', '/embeddings', { model: 'sandbox-embed', input: 'Good day', user: 'ann' }),
        await send('owners', '/images/edits', form),
        await send('members', '/chat/completions', { model, messages, user: 'dee' }),
        await send('members', '/chat/completions', { model, messages }),
      ];
      expect(sent).toEqual(Array.from({ length: 8 }, () => 200));
      const listed = async () => (await get<RequestsView>(owner, '/usage/requests?status=2')).items.length === 8;
      await until(listed, 60_000, 'eight rows');
    });

    test('the end user of every format is a group, and a request without one is in none', async () => {
      const view = await breakdown(owner, 'by=user&order=requests&limit=100&status=2');
      expect(countsOf(view)).toEqual({ ann: 3, bo: 1, cy: 1, 'edit-user': 1, dee: 1, '': 1 });
      expect(view.items[0]?.key).toBe('ann');
      expect(view).toMatchObject({ by: 'user', bucket: 'hour', overlapping: false, total: { requests: 8 } });
      expect(view).not.toHaveProperty('rest');
      for (const { series, requests } of view.items) {
        expect(series).toHaveLength(view.starts.length);
        expect(series.reduce((sum, point) => sum + point.requests, 0)).toBe(requests);
      }
      const overview = await get<OverviewView>(owner, `/usage/overview?from=${view.from}&to=${view.to}&status=2`);
      expect(overview.buckets.map(({ at }) => at)).toEqual([...view.starts]);
    });

    test('a request counts in each of its tags, and once in the total', async () => {
      const view = await breakdown(owner, 'by=tag&order=requests&status=2');
      expect(countsOf(view)).toEqual({ '': 6, nightly: 2, eu: 1 });
      expect([view.overlapping, view.total.requests, view.rest]).toEqual([true, 8, undefined]);
      const one = await breakdown(owner, 'by=tag&order=requests&status=2&limit=1');
      expect([countsOf(one), one.rest?.requests]).toEqual([{ '': 6 }, 2]);
      expect(countsOf(await breakdown(owner, 'by=user&tag=nightly'))).toEqual({ ann: 1, bo: 1 });
      expect(countsOf(await breakdown(owner, 'by=tag&user=ann'))).toEqual({ '': 2, nightly: 1, eu: 1 });
      const { items } = await get<RequestsView>(owner, '/usage/requests?tag=eu');
      expect(items.map(({ tags, endUser }) => [tags, endUser])).toEqual([[['nightly', 'eu'], 'ann']]);
      expect(await get<object>(owner, '/usage/count?tag=nightly&tag=eu')).toEqual({ requests: 2, exact: true });
      expect((await get<OverviewView>(owner, '/usage/overview?tag=Nightly')).total.requests).toBe(0);
      const sums = await get<string>(owner, '/usage/export/sums?by=tag,token&form=csv&status=2');
      expect(sums.split('\r\n').map((line) => line.split(',').toSpliced(1, 1).slice(0, 3).join())).toContain(
        'nightly,shop,2',
      );
      const file = await get<string>(owner, '/usage/export?form=csv&tag=eu');
      expect(file.split('\r\n')[0]).toEndWith(',tags');
      expect(file.split('\r\n')[1]).toContain('nightly');
    });

    test('tokens, owners and labels under their names; what has no label is one group', async () => {
      expect(countsOf(await breakdown(owner, 'by=token&status=2'))).toEqual({ shop: 6, lab: 2 });
      expect(countsOf(await breakdown(owner, 'by=owner&status=2'))).toEqual({ olga: 6, mara: 2 });
      const labels = await breakdown(owner, 'by=label&status=2');
      expect([countsOf(labels), labels.overlapping]).toEqual([{ 'team-a': 6, prod: 6, '': 2 }, true]);
      const one = await breakdown(owner, 'by=label&status=2&limit=1&order=requests');
      expect([one.items.length, one.rest?.key, one.rest?.requests]).toEqual([1, '', 2]);
      expect(countsOf(await breakdown(owner, 'by=provider&status=2'))).toEqual({ sandbox: 8 });
      expect(Object.keys(countsOf(await breakdown(owner, 'by=key&status=2')))[0]).toStartWith('sandbox/');
    });

    test('filters by label, user and key, once and several times, in every query', async () => {
      const counted = async (query: string) => {
        const { items } = await get<RequestsView>(owner, `/usage/requests?${query}`);
        const { total } = await get<OverviewView>(owner, `/usage/overview?${query}`);
        const { requests } = await get<{ requests: number }>(owner, `/usage/count?${query}`);
        expect([query, total.requests, requests]).toEqual([query, items.length, items.length]);
        return requests;
      };
      expect(await counted('status=2&label=team-a')).toBe(6);
      expect(await counted('status=2&label=other')).toBe(0);
      expect(await counted('status=2&user=ann&user=cy')).toBe(4);
      expect(await counted('status=2&user=ann&label=prod&endpoint=chat')).toBe(1);
      const key = Object.keys(countsOf(await breakdown(owner, 'by=key')))[0] ?? '';
      expect(await counted(`status=2&key=${encodeURIComponent(key)}`)).toBe(8);
      expect(await counted('status=2&key=sandbox/other&key=x')).toBe(0);
    });

    test('a member sees only what their own tokens used, by every dimension and in files', async () => {
      for (const by of dimensions) {
        const view = await breakdown(member, `by=${by}&status=2&limit=100`);
        expect([by, view.total.requests]).toEqual([by, 2]);
        expect(JSON.stringify(view)).not.toContain('ann');
        expect((await breakdown(member, `by=${by}&owner=another`)).total.requests).toBe(0);
      }
      expect(countsOf(await breakdown(member, 'by=owner&status=2'))).toEqual({ mara: 2 });
      expect((await breakdown(member, 'by=user&label=prod')).items).toEqual([]);
      const rows = JSON.parse(await sums(member, 'by=token,user&form=json&status=2')) as { token_name: string }[];
      expect(new Set(rows.map(({ token_name: name }) => name))).toEqual(new Set(['lab']));
    });

    async function sums(client: ConsoleClient, query: string): Promise<string> {
      const reply = await fetch(`${weir.url}/console/api/usage/export/sums?${query}`, {
        headers: { cookie: client.cookie },
      });
      expect([query, reply.status]).toEqual([query, 200]);
      return reply.text();
    }

    test('a file of sums adds up to the overview', async () => {
      const csv = await sums(owner, 'by=day,model,token&status=2');
      const [head = '', ...lines] = csv.trimEnd().split('\r\n');
      expect(head).toBe(
        'day,model,token,token_name,requests,failures,input_tokens,cache_read_tokens,output_tokens,cost_usd,unpriced',
      );
      const { total } = await get<OverviewView>(owner, '/usage/overview?status=2');
      const sum = (column: string): number =>
        lines.reduce((all, line) => all + Number(line.split(',')[head.split(',').indexOf(column)]), 0);
      expect([sum('requests'), sum('input_tokens')]).toEqual([total.requests, total.inputTokens]);
      expect(JSON.parse(await sums(owner, 'by=month&by=endpoint&form=json&status=2'))).toBeArrayOfSize(5);
    });

    test('parameters that make no sense are refused by name', async () => {
      const refused = async (path: string, param: string) => {
        const reply = await owner.get(`/usage/${path}`);
        const { error } = reply.body as { error?: { param?: string } };
        expect([path, reply.status, codeOf(reply), error?.param]).toEqual([path, 400, 'field_invalid', param]);
      };
      await refused('breakdown', 'by');
      await refused('breakdown?by=color', 'by');
      await refused('breakdown?by=model&limit=101', 'limit');
      await refused('breakdown?by=model&limit=0', 'limit');
      await refused('breakdown?by=model&order=size', 'order');
      await refused('breakdown?by=model&bucket=year', 'bucket');
      await refused('breakdown?by=model&from=2026-01-01&to=2026-02-01&bucket=minute', 'bucket');
      await refused('overview?from=2020-01-01&to=2026-02-01&bucket=day', 'bucket');
      await refused('export/sums', 'by');
      await refused('export/sums?by=day,month', 'by');
      await refused('export/sums?by=model,model', 'by');
      await refused('export/sums?by=status', 'by');
      await refused(`breakdown?by=model&${Array.from({ length: 65 }, (_, at) => `label=l${at}`).join('&')}`, 'label');
      expect(
        (await breakdown(owner, 'by=model&limit=100&from=2026-01-01&to=2026-02-01&bucket=day')).starts,
      ).toHaveLength(31);
    });
  });
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
