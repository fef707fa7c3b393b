import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenTerms } from '../../access/caller.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { openStore } from '../../store/open-store.ts';
import type { UsageRowView } from '../contracts/contract.ts';
import { type AnalyticsAdmin, createAnalyticsAdmin } from './analytics.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 9, 14, 10, 30);

function aRow(given: Partial<UsageRow>): UsageRow {
  return {
    requestId: 'r1',
    atMs: now - hour,
    tokenId: 'token-1',
    endpoint: 'chat',
    model: 'fast',
    provider: 'up',
    upstreamModel: 'fast-1',
    stream: true,
    attempts: 1,
    status: 200,
    code: '',
    usage: { input: { total: 10 }, output: { total: 5 } },
    costNano: 1_500_000_000n,
    estimated: false,
    priceVersion: 'library',
    totalMs: 12,
    bytesIn: 1,
    bytesOut: 1,
    ...given,
  };
}

async function withRows(rows: readonly UsageRow[], work: (admin: AnalyticsAdmin) => Promise<void>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'weir-analytics-'));
  const store = await openStore({ databaseUrl: undefined, dataFolder, synchronous: 'normal', nowMs: Date.now });
  try {
    await store.usage.insertMany(rows);
    while (await store.analytics.rollup.step(now));
    const token = { id: 'token-1', digest: 'digest', hint: '', createdAtMs: now } as const;
    await store.tokens.insert({ ...token, terms: { name: 'My app' } as TokenTerms });
    await work(createAnalyticsAdmin({ analytics: store.analytics, tokens: store.tokens, errors: store.requestErrors }));
  } finally {
    await store.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

const joined = async (pieces: AsyncIterable<string>): Promise<string> => (await Array.fromAsync(pieces)).join('');

test('an overview has every bucket, the period before, and names instead of ids', async () => {
  const rows = [
    aRow({ requestId: 'r1', firstEventMs: 4 }),
    aRow({ requestId: 'r2', atMs: now - 3 * hour, tokenId: 'token-2', status: 502, code: 'upstream_failed' }),
    aRow({ requestId: 'r3', atMs: now - 25 * hour, costNano: 1n }),
  ];
  await withRows(rows, async (admin) => {
    const view = await admin.overview({ fromMs: now - day, toMs: now }, {});
    expect(view.bucket).toBe('hour');
    expect(view.buckets).toHaveLength(25);
    expect(view.buckets[0]?.at).toBe('2026-10-13T10:00:00.000Z');
    expect(view.buckets.map(({ requests }) => requests).filter(Boolean)).toEqual([1, 1]);
    expect(view.buckets[1]).not.toHaveProperty('totalP50Ms');
    expect(view.total).toEqual({
      requests: 2,
      failures: 1,
      inputTokens: 20,
      cacheReadTokens: 0,
      outputTokens: 10,
      costUsd: '3.00',
      costNano: '3000000000',
      unpriced: 0,
      firstEventP50Ms: 4,
      firstEventP95Ms: 4,
      totalP50Ms: 12,
      totalP95Ms: 12,
    });
    expect(view.before).toMatchObject({ requests: 1, costNano: '1' });
    expect(view.tokens.map(({ key, label }) => [key, label])).toEqual([
      ['token-1', 'My app'],
      ['token-2', 'token-2'],
    ]);
    expect(view.models.map(({ key, requests }) => [key, requests])).toEqual([['fast', 2]]);
    expect(view.codes.map(({ key }) => key)).toEqual(['upstream_failed']);
    expect(view).not.toHaveProperty('rowsFrom');
  });
});

test('the bucket follows the range, and a range that makes no sense is refused', async () => {
  await withRows([], async (admin) => {
    const bucketOf = async (lengthMs: number) => {
      const { bucket, buckets } = await admin.overview({ fromMs: now - lengthMs, toMs: now }, {});
      expect(buckets.length).toBeLessThan(200);
      return bucket;
    };
    expect(await bucketOf(hour)).toBe('minute');
    expect(await bucketOf(2 * hour + 1)).toBe('hour');
    expect(await bucketOf(7 * day)).toBe('hour');
    expect(await bucketOf(90 * day)).toBe('day');
    expect(await bucketOf(365 * day)).toBe('week');
    const { buckets } = await admin.overview({ fromMs: now - 365 * day, toMs: now }, {});
    expect(new Set(buckets.map(({ at }) => new Date(at).getUTCDay()))).toEqual(new Set([1]));
    for (const range of [
      { fromMs: now, toMs: now },
      { fromMs: Number.NaN, toMs: now },
      { fromMs: now - 3_661 * day, toMs: now },
    ]) {
      expect(admin.overview(range, {})).rejects.toMatchObject({ code: 'field_invalid' });
    }
    const many = Array.from({ length: 65 }, (_, index) => `m${index}`);
    expect(admin.count({ fromMs: 0, toMs: 1 }, { models: many })).rejects.toMatchObject({ param: 'models' });
  });
});

test('requests come in pages with cursors that lead there and back', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => aRow({ requestId: `r${index}`, atMs: now - index * hour }));
  await withRows(rows, async (admin) => {
    const query = { range: { fromMs: now - day, toMs: now + 1 }, filter: { models: ['fast'] }, limit: 2 };
    const ids = ({ items }: { items: readonly UsageRowView[] }) => items.map(({ requestId }) => requestId);
    const first = await admin.requests(query);
    expect(ids(first)).toEqual(['r0', 'r1']);
    expect(first.items[0]).toMatchObject({ tokenName: 'My app', costUsd: '1.50' });
    const second = await admin.requests({ ...query, cursor: first.older });
    expect(ids(second)).toEqual(['r2', 'r3']);
    expect(ids(await admin.requests({ ...query, cursor: second.newer, direction: 'newer' }))).toEqual(['r0', 'r1']);
    const last = await admin.requests({ ...query, cursor: second.older });
    expect(ids(last)).toEqual(['r4']);
    expect(last.older).toBeUndefined();
    expect(admin.requests({ ...query, cursor: 'nonsense' })).rejects.toMatchObject({ code: 'field_invalid' });
    expect(await admin.count(query.range, query.filter)).toEqual({ requests: 5, exact: true });
  });
});

test('files hold every row, and no name becomes a formula', async () => {
  const rows = [
    aRow({ requestId: 'r1', model: '=HYPERLINK("http://evil.example")' }),
    aRow({ requestId: 'r2', atMs: now - 2 * hour, model: 'two,\n"parts"', firstEventMs: 3 }),
  ];
  await withRows(rows, async (admin) => {
    const range = { fromMs: now - day, toMs: now };
    const csv = await joined(admin.exportText(range, {}, 'csv'));
    const [head, first, ...rest] = csv.split('\r\n');
    expect(head).toStartWith('requestId,at,tokenId,');
    expect(first).toStartWith(
      `r1,2026-10-14T09:30:00.000Z,token-1,My app,chat,"'=HYPERLINK(""http://evil.example"")",up,`,
    );
    expect(rest.join('\r\n')).toContain('"two,\n""parts""",up,fast-1,true,1,200,,10,5,1.50,1500000000,false,3,12');
    const json = JSON.parse(await joined(admin.exportText(range, {}, 'json'))) as UsageRowView[];
    expect(json.map(({ requestId, costNano }) => [requestId, costNano])).toEqual([
      ['r1', '1500000000'],
      ['r2', '1500000000'],
    ]);
    expect(JSON.parse(await joined(admin.exportText({ fromMs: 0, toMs: 1 }, {}, 'json')))).toEqual([]);
  });
});
