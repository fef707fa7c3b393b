import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenTerms } from '../../access/caller.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { openStore } from '../../store/open-store.ts';
import { type BreakdownView, dimensions } from '../contracts/contract.ts';
import { type AnalyticsAdmin, createAnalyticsAdmin } from './analytics.ts';
import type { BreakdownQuestion } from './breakdown.ts';
import type { SumExportQuestion } from './sum-export.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 9, 14, 10, 30);
const range = { fromMs: now - 40 * day, toMs: now };

function aRow(given: Partial<UsageRow>): UsageRow {
  return {
    requestId: 'r1',
    atMs: now - hour,
    tokenId: 'one',
    endpoint: 'chat',
    model: 'fast',
    provider: 'up',
    upstreamModel: 'fast-1',
    stream: true,
    attempts: 1,
    status: 200,
    code: '',
    usage: { input: { total: 10, cacheRead: 4 }, output: { total: 5 } },
    costNano: 1_000_000_000n,
    estimated: false,
    priceVersion: 'library',
    totalMs: 12,
    bytesIn: 1,
    bytesOut: 1,
    keyId: 'key-1',
    ...given,
  };
}

/** Token one is red and blue and Ann's, two is blue, three has neither. */
const rows: readonly UsageRow[] = [
  aRow({ requestId: 'r1', endUser: 'u1', tags: ['nightly', 'eu'] }),
  aRow({ requestId: 'r2', atMs: now - 2 * day, tokenId: 'two', costNano: 2_000_000_000n, model: 'slow' }),
  aRow({ requestId: 'r3', atMs: now - 2 * day, tokenId: 'three', costNano: 4_000_000_000n, endUser: 'u2' }),
  aRow({ requestId: 'r4', atMs: now - 35 * day, tokenId: 'one', status: 502, code: 'upstream_failed', costNano: 0n }),
  aRow({ requestId: 'r5', atMs: now - 35 * day, tokenId: 'gone', costNano: 0n, priceVersion: '', model: 'unpriced' }),
];

async function withStore(work: (admin: AnalyticsAdmin) => Promise<void>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'weir-breakdown-'));
  const store = await openStore({ databaseUrl: undefined, dataFolder, synchronous: 'normal', nowMs: Date.now });
  try {
    const ann = { id: 'acc-ann', name: 'Ann', nameKey: 'ann', role: 'member', passwordHash: 'x' } as const;
    await store.accounts.insert({ ...ann, createdAtMs: now });
    const labels = { one: ['red', 'blue'], two: ['blue'], three: undefined };
    for (const [id, own] of Object.entries(labels)) {
      await store.tokens.insert({
        ...{ id, digest: `digest-${id}`, hint: '', createdAtMs: now - 50 * day },
        ...(id === 'one' && { ownerId: 'acc-ann' }),
        terms: { name: `=${id}`, ...(own !== undefined && { labels: own }) } as TokenTerms,
      });
    }
    await store.usage.insertMany(rows);
    while (await store.analytics.rollup.step(now));
    await store.requestErrors.insertMany([
      { requestId: 'r4', attempt: 0, atMs: now, provider: 'up', keyId: '', code: 'x', message: 'All, "failed".' },
    ]);
    await work(createAnalyticsAdmin({ analytics: store.analytics, tokens: store.tokens, errors: store.requestErrors }));
  } finally {
    await store.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

const asked = (given: Partial<BreakdownQuestion>): BreakdownQuestion => ({
  ...{ by: 'model', range, filter: {}, order: 'cost', limit: 8 },
  ...given,
});

const groupsOf = ({ items }: BreakdownView) => items.map(({ key, label, requests }) => [key, label, requests]);

test('every dimension has its groups under the names that people know, the largest first', async () => {
  await withStore(async (admin) => {
    const groups = async (by: BreakdownQuestion['by']) => groupsOf(await admin.breakdown(asked({ by })));
    expect(await groups('model')).toEqual([
      ['fast', 'fast', 3],
      ['slow', 'slow', 1],
      ['unpriced', 'unpriced', 1],
    ]);
    expect(await groups('token')).toEqual([
      ['three', '=three', 1],
      ['two', '=two', 1],
      ['one', '=one', 2],
      ['gone', 'gone', 1],
    ]);
    expect(await groups('label')).toEqual([
      ['', '', 2],
      ['blue', 'blue', 3],
      ['red', 'red', 2],
    ]);
    expect(await groups('owner')).toEqual([
      ['', '', 3],
      ['acc-ann', 'Ann', 2],
    ]);
    expect(await groups('user')).toEqual([
      ['u2', 'u2', 1],
      ['', '', 3],
      ['u1', 'u1', 1],
    ]);
    expect(await groups('key')).toEqual([['up/key-1', 'up/key-1', 5]]);
    expect(await groups('code')).toEqual([
      ['', '', 4],
      ['upstream_failed', 'upstream_failed', 1],
    ]);
    expect([await groups('provider'), await groups('endpoint')]).toEqual([[['up', 'up', 5]], [['chat', 'chat', 5]]]);
  });
});

test('series have a point for each start, add up to their groups, and what is not shown is the rest', async () => {
  await withStore(async (admin) => {
    for (const by of dimensions) {
      const view = await admin.breakdown(asked({ by, limit: 1 }));
      const overview = await admin.overview(range, {});
      expect(view.starts).toEqual(overview.buckets.map(({ at }) => at));
      expect([view.total, view.bucket, view.items.length]).toEqual([overview.total, 'day', 1]);
      const shown = [...view.items, ...(view.rest === undefined ? [] : [view.rest])];
      expect([by, shown.reduce((sum, { requests }) => sum + requests, 0)]).toEqual([by, 5]);
      for (const { series, requests, failures, costNano, cacheReadTokens } of shown) {
        expect(series).toHaveLength(view.starts.length);
        expect(series.reduce((sum, point) => sum + point.requests, 0)).toBe(requests);
        expect(series.reduce((sum, point) => sum + point.failures, 0)).toBe(failures);
        expect(series.reduce((sum, point) => sum + point.cacheReadTokens, 0)).toBe(cacheReadTokens);
        expect(series.reduce((sum, point) => sum + BigInt(point.costNano ?? 0), 0n)).toBe(BigInt(costNano ?? 0));
      }
    }
  });
});

test('a token with several labels counts in each, once in the rest, and the view says so', async () => {
  await withStore(async (admin) => {
    const view = await admin.breakdown(asked({ by: 'label', order: 'requests', limit: 1 }));
    expect([view.overlapping, groupsOf(view), view.rest?.requests]).toEqual([true, [['blue', 'blue', 3]], 2]);
    const whole = await admin.breakdown(asked({ by: 'label' }));
    expect(whole).not.toHaveProperty('rest');
    expect((await admin.breakdown(asked({ by: 'owner' }))).overlapping).toBe(false);
  });
});

test('a sum of nothing but unpriced requests has no cost, in the point and in the group', async () => {
  await withStore(async (admin) => {
    const { items } = await admin.breakdown(asked({ filter: { models: ['unpriced'] } }));
    expect(items.map(({ key, costUsd, costNano, unpriced }) => [key, costUsd, costNano, unpriced])).toEqual([
      ['unpriced', null, null, 1],
    ]);
    expect(items[0]?.series.find(({ requests }) => requests > 0)).toMatchObject({ requests: 1, costNano: null });
  });
});

test('filters narrow the groups and the total alike, and the order can be another', async () => {
  await withStore(async (admin) => {
    const blue = await admin.breakdown(asked({ by: 'token', filter: { labels: ['blue'] }, order: 'requests' }));
    expect([groupsOf(blue), blue.total.requests]).toEqual([
      [
        ['one', '=one', 2],
        ['two', '=two', 1],
      ],
      3,
    ]);
    const user = await admin.breakdown(asked({ by: 'user', filter: { models: ['fast'] }, order: 'tokens', limit: 1 }));
    expect(user.total.requests).toBe(3);
    const ofUser = await admin.breakdown(asked({ by: 'token', filter: { endUsers: ['u1'] } }));
    expect([groupsOf(ofUser), ofUser.rest]).toEqual([[['one', '=one', 1]], undefined]);
    const ofKey = await admin.breakdown(asked({ by: 'token', filter: { keys: ['up/key-2'] } }));
    expect([ofKey.items, ofKey.total.requests]).toEqual([[], 0]);
  });
});

test('a bucket that a query names is used, unless there would be too many', async () => {
  await withStore(async (admin) => {
    const year = { fromMs: now - 400 * day, toMs: now };
    const view = await admin.breakdown(asked({ range: year, bucket: 'day' }));
    expect([view.bucket, view.starts.length]).toEqual(['day', 401]);
    expect((await admin.overview(year, {}, 'day')).buckets).toHaveLength(401);
    const exact = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 1) + 500 * hour };
    expect((await admin.overview(exact, {}, 'hour')).buckets).toHaveLength(500);
    for (const [lengthMs, bucket] of [
      [500 * hour + 1, 'hour'],
      [501 * day, 'day'],
      [3_000 * day, 'minute'],
    ] as const) {
      const given = { range: { fromMs: exact.fromMs - 1, toMs: exact.fromMs + lengthMs }, bucket };
      expect(admin.breakdown(asked(given))).rejects.toMatchObject({ code: 'field_invalid', param: 'bucket' });
      expect(admin.overview(given.range, {}, bucket)).rejects.toMatchObject({ param: 'bucket' });
    }
  });
});

const textOf = async (admin: AnalyticsAdmin, given: Partial<SumExportQuestion>): Promise<string> => {
  const pieces = admin.exportSums({ by: ['day'], range, filter: {}, form: 'csv', ...given });
  return (await Array.fromAsync(pieces)).join('');
};

test('a file of sums has a row for each period and group, with names beside ids', async () => {
  await withStore(async (admin) => {
    expect(await textOf(admin, { by: ['month', 'token', 'model'] })).toBe(
      [
        'month,token,token_name,model,requests,failures,input_tokens,cache_read_tokens,output_tokens,cost_usd,unpriced',
        '2026-09,gone,gone,unpriced,1,0,10,4,5,,1',
        "2026-09,one,'=one,fast,1,1,10,4,5,0.00,0",
        "2026-10,one,'=one,fast,1,0,10,4,5,1.00,0",
        "2026-10,three,'=three,fast,1,0,10,4,5,4.00,0",
        "2026-10,two,'=two,slow,1,0,10,4,5,2.00,0",
        '',
      ].join('\r\n'),
    );
    expect(await textOf(admin, { by: ['owner', 'label'] })).toBe(
      [
        'owner,owner_name,label,requests,failures,input_tokens,cache_read_tokens,output_tokens,cost_usd,unpriced',
        ',,,2,0,20,8,10,4.00,1',
        ',,blue,1,0,10,4,5,2.00,0',
        'acc-ann,Ann,blue,2,1,20,8,10,1.00,0',
        'acc-ann,Ann,red,2,1,20,8,10,1.00,0',
        '',
      ].join('\r\n'),
    );
    const days = JSON.parse(await textOf(admin, { by: ['day', 'user'], form: 'json', filter: { tokenIds: ['one'] } }));
    expect(days).toMatchObject([
      { day: '2026-09-09', user: '', requests: 1, failures: 1, cost_usd: '0.00' },
      { day: '2026-10-14', user: 'u1', requests: 1, failures: 0, cost_usd: '1.00' },
    ]);
    expect(JSON.parse(await textOf(admin, { form: 'json', range: { fromMs: 0, toMs: 1 } }))).toEqual([]);
    for (const by of [[], ['day', 'month'], ['model', 'model']] as const) {
      expect(textOf(admin, { by })).rejects.toMatchObject({ code: 'field_invalid', param: 'by' });
    }
  });
});

test('the file of requests says who, with which key, what was cached and which error the client was sent', async () => {
  await withStore(async (admin) => {
    const csv = (await Array.fromAsync(admin.exportText(range, {}, 'csv'))).join('').split('\r\n');
    expect(csv[0]).toEndWith(
      ',labels,ownerId,ownerName,endUser,keyId,error,requests,teamId,teamName,projectId,projectName,tags',
    );
    expect(csv.find((line) => line.startsWith('r1,'))).toEndWith(
      ',library,4,red blue,acc-ann,Ann,u1,key-1,,,,,,,"nightly,eu"',
    );
    expect(csv.find((line) => line.startsWith('r4,'))).toEndWith(
      ',red blue,acc-ann,Ann,,key-1,"All, ""failed"".",,,,,,',
    );
    expect(csv.find((line) => line.startsWith('r5,'))).toEndWith(',4,,,,,key-1,,,,,,,');
  });
});
