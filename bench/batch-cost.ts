/** What a batch of the ledger costs PostgreSQL and Weir by its size: CPU time for the batch itself and for each item. */

import type { BudgetScope } from '../src/ledger/ledger.ts';
import { openStore } from '../src/store/open-store.ts';
import { postgresWith } from '../test/harness/postgres.ts';
import { anOpening, aScope, aUsageRow } from '../test/harness/store-places.ts';
import { postmasterOf } from './fleet.ts';
import { familyMicros } from './processes.ts';
import { fitLine } from './statistics.ts';

const sizes = [1, 4, 16, 64, 256] as const;
const budgetKinds = ['no budget', 'one budget', '64 budgets'] as const;
type BudgetKind = (typeof budgetKinds)[number];
const limitNano = 10n ** 15n;

interface Sample {
  readonly items: number;
  readonly postgresMicros: number;
  readonly weirMicros: number;
}

const none: readonly BudgetScope[] = [];
const one = [aScope(limitNano, 'token:one')];
const many = Array.from({ length: 64 }, (_, nth) => [aScope(limitNano, `token:many-${nth}`)]);

/** Requests of one caller share the list of its budgets, as in the gateway. */
function scopesOf(kind: BudgetKind, nth: number): readonly BudgetScope[] {
  if (kind === 'no budget') return none;
  return kind === 'one budget' ? one : (many[nth % many.length] ?? none);
}

/** As many openings at once as the size says, which are one batch, and then their closings. */
async function rounds(store: Awaited<ReturnType<typeof openStore>>, kind: BudgetKind, size: number, count: number) {
  for (let round = 0; round < count; round += 1) {
    const atMs = Date.now();
    const openings = Array.from({ length: size }, (_, nth) => {
      const opening = anOpening({ scopes: scopesOf(kind, nth), atMs });
      return { ...opening, attemptId: `${opening.requestId}.1` };
    });
    await Promise.all(openings.map(store.attempts.open));
    await Promise.all(
      openings.map(({ attemptId, requestId }) =>
        store.attempts.close({
          attemptId,
          costNano: 500n,
          estimated: false,
          atMs,
          row: aUsageRow({ requestId, atMs, costNano: 500n, attempts: 1 }),
        }),
      ),
    );
  }
}

export async function measureBatches(itemsEach: number, say: (text: string) => void): Promise<string> {
  const url = await postgresWith('autovacuum=on');
  const store = await openStore({ databaseUrl: url, dataFolder: '', synchronous: 'normal', nowMs: Date.now });
  const postmaster = await postmasterOf(url);
  const lines = ['| budgets | items | PostgreSQL µs per batch | Weir µs per batch |', '| --- | --: | --: | --: |'];
  const fits: string[] = [];
  for (const kind of budgetKinds) {
    await rounds(store, kind, 64, 30);
    const samples: Sample[] = [];
    for (const size of sizes) {
      say(`${kind}, batches of ${size}`);
      const count = Math.max(8, Math.min(150, Math.round(itemsEach / size)));
      const before = { postgres: familyMicros(postmaster), weir: process.cpuUsage() };
      await rounds(store, kind, size, count);
      const used = process.cpuUsage(before.weir);
      samples.push({
        items: size,
        postgresMicros: (familyMicros(postmaster) - before.postgres) / (2 * count),
        weirMicros: (used.user + used.system) / (2 * count),
      });
    }
    for (const { items, postgresMicros, weirMicros } of samples)
      lines.push(`| ${kind} | ${items} | ${postgresMicros.toFixed(0)} | ${weirMicros.toFixed(0)} |`);
    const postgres = fitLine(samples.map(({ items, postgresMicros }) => [items, postgresMicros]));
    const weir = fitLine(samples.map(({ items, weirMicros }) => [items, weirMicros]));
    fits.push(
      `${kind}: PostgreSQL ${postgres.fixed.toFixed(0)} µs + ${postgres.slope.toFixed(1)} µs per item, ` +
        `Weir ${weir.fixed.toFixed(0)} µs + ${weir.slope.toFixed(1)} µs per item`,
    );
  }
  await store.close();
  return [...lines, '', ...fits].join('\n');
}
