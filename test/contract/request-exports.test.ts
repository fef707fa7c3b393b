/** The export of requests on a schedule, on both engines: each row in one file, also those that come late; one replica at a time. */

import { expect, setDefaultTimeout } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScheduledExport } from '../../src/admin/exports/scheduled-export.ts';
import type { UsageRow } from '../../src/ledger/ledger.ts';
import { BucketResults } from '../../src/store/results/bucket-results.ts';
import { FolderResults } from '../../src/store/results/folder-results.ts';
import type { ResultStore } from '../../src/store/results/result-store.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { startBucket } from '../harness/scripted-bucket.ts';
import { aUsageRow, engines, type StorePlace } from '../harness/store-places.ts';

setDefaultTimeout(300_000);

const hour = 3_600_000;
const day = 24 * hour;
const begin = Date.UTC(2026, 10, 17);

for (const { name, place } of engines) {
  const { afterAll, beforeAll, describe, test } = needing(name);
  describe(name, () => {
    let home: StorePlace;
    let store: Store;
    let folder: string;
    let now = begin + 6 * hour;
    beforeAll(async () => {
      home = await place();
      store = await home.open();
      folder = mkdtempSync(join(tmpdir(), 'weir-exports-'));
    });
    afterAll(async () => {
      await home.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    const rows = (count: number, atMs: number, prefix: string): UsageRow[] =>
      Array.from({ length: count }, (_, index) => aUsageRow({ requestId: `${prefix}-${index}`, atMs: atMs + index }));
    const sum = async (): Promise<void> => {
      while (await store.analytics.rollup.step(now));
    };
    const exportTo = (
      to: ResultStore,
      given: { format?: 'jsonl' | 'csv'; every?: 'hour' | 'day'; target?: string } = {},
    ) =>
      createScheduledExport({
        exports: store.requestExports,
        usage: store.usage,
        tokens: store.tokens,
        errors: store.requestErrors,
        place: to,
        target: 'folder',
        format: 'jsonl',
        every: 'hour',
        retentionDays: 30,
        nowMs: () => now,
        onFault: (error) => {
          throw error;
        },
        ...given,
      });
    const idsIn = (name: string): string[] =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { requestId: string }).requestId);
    const next = (): void => {
      now += 10 * 60_000;
    };

    test('each row is in the file of its hour, and only there', async () => {
      await store.usage.insertMany([...rows(1_203, begin, 'a'), ...rows(3, begin + hour, 'b')]);
      await store.usage.insertMany(rows(2, now - 60_000, 'not-yet'));
      await sum();
      const exporting = exportTo(new FolderResults({ folder }));
      expect(await exporting.pass()).toBe(2);
      expect(await exporting.pass()).toBeUndefined();
      expect(readdirSync(folder).sort()).toEqual(['requests-2026-11-17-00.jsonl', 'requests-2026-11-17-01.jsonl']);
      expect(new Set(idsIn('requests-2026-11-17-00.jsonl')).size).toBe(1_203);
      expect(idsIn('requests-2026-11-17-01.jsonl').sort()).toEqual(['b-0', 'b-1', 'b-2']);
      next();
      expect(await exporting.pass()).toBe(0);
    });

    test('a row that comes late is added to the file of its hour, and no other file is written', async () => {
      await store.usage.insertMany(rows(1, begin + hour + 5_000, 'late'));
      await home.query(`INSERT INTO usage_marks (grain_ms, start_ms, mark) VALUES (${hour}, ${begin + hour}, 'm')`);
      await sum();
      next();
      expect(await exportTo(new FolderResults({ folder })).pass()).toBe(1);
      expect(idsIn('requests-2026-11-17-01.jsonl').sort()).toEqual(['b-0', 'b-1', 'b-2', 'late-0']);
    });

    test('of two replicas one exports; a file that could not be written is written by the next pass', async () => {
      next();
      const target = 'other';
      const failing = new FolderResults({ folder });
      failing.write = () => Promise.reject(new Error('no space'));
      const [first, second] = await Promise.allSettled([
        exportTo(failing, { target }).pass(),
        exportTo(failing, { target }).pass(),
      ]);
      expect([first, second].map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      now += day;
      expect(await exportTo(new FolderResults({ folder }), { target, format: 'csv' }).pass()).toBeGreaterThan(1);
      const csv = readFileSync(join(folder, 'requests-2026-11-17-01.csv'), 'utf8').trim().split('\r\n');
      expect([csv[0]?.slice(0, 13), csv.length]).toEqual(['requestId,at,', 5]);
    });

    test('into a bucket, a file for each day; what is too old is removed, and its rows are not exported again', async () => {
      const access = { bucket: 'b', region: 'r', accessKeyId: 'id', secretAccessKey: 'secret-of-the-bucket' };
      const bucket = startBucket(access);
      try {
        const to = new BucketResults({ ...access, endpoint: bucket.endpoint, prefix: 'exports/' });
        const given = { target: 'bucket', every: 'day' } as const;
        next();
        await sum();
        expect(await exportTo(to, given).pass()).toBe(1);
        const [[key, { bytes }] = ['', { bytes: new Uint8Array() }]] = [...bucket.objects];
        expect(key).toBe('exports/requests-2026-11-17.jsonl');
        expect(new TextDecoder().decode(bytes).trim().split('\n')).toHaveLength(1_209);
        now += 40 * day;
        expect(await exportTo(to, given).pass()).toBe(0);
        expect(bucket.objects.size).toBe(0);
        now += hour;
        expect(await exportTo(to, given).pass()).toBe(0);
      } finally {
        await bucket.stop();
      }
    });
  });
}
