/** How long the console waits for sums of a million requests, by every dimension and on both engines. */

import { missingPrograms } from '../scripts/services.ts';
import { type Dimension, dimensions } from '../src/admin/contracts/contract.ts';
import { type AnalyticsAdmin, createAnalyticsAdmin } from '../src/admin/usage/analytics.ts';
import type { AnalyticsFilter } from '../src/store/analytics/analytics-store.ts';
import { engines, type StorePlace } from '../test/harness/store-places.ts';
import { addCrowd } from '../test/harness/usage-crowd.ts';
import { median } from './statistics.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const spanDays = 90;
/** Not at the edge of an hour: the ends of ranges are read from rows. */
const toMs = Date.UTC(2026, 9, 1, 10, 37);
const fromMs = toMs - spanDays * dayMs;
const repeats = 7;

const filters: readonly (readonly [string, AnalyticsFilter])[] = [
  ['', {}],
  [', one account', { ownerId: 'owner-7' }],
  [', one model', { models: ['model-3'] }],
  [', one user', { endUsers: ['user-9'] }],
];

interface Answer {
  readonly what: string;
  readonly medianMs: number;
  readonly mostMs: number;
}

/** What is measured of one engine. */
async function answersOf(admin: AnalyticsAdmin): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const measure = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const times: number[] = [];
    for (let round = 0; round < repeats; round += 1) {
      const startedMs = performance.now();
      await work();
      times.push(performance.now() - startedMs);
    }
    answers.push({ what, medianMs: median(times), mostMs: Math.max(...times) });
  };
  for (const [name, filter] of filters) {
    for (const days of name === '' ? [1, 7, 30, spanDays] : [spanDays]) {
      const range = { fromMs: toMs - days * dayMs, toMs };
      await measure(`overview, ${days} days${name}`, () => admin.overview(range, filter));
      const by = (each: Dimension) => admin.breakdown({ by: each, range, filter, order: 'cost', limit: 8 });
      for (const each of dimensions) await measure(`by ${each}, ${days} days${name}`, () => by(each));
    }
  }
  return answers;
}

async function fill(place: StorePlace, rows: number, say: (text: string) => void): Promise<AnalyticsAdmin> {
  const store = await place.open();
  say(`${rows} rows`);
  await addCrowd(place, { rows, fromMs, toMs, tokens: 200 });
  const startedMs = performance.now();
  while (await store.analytics.rollup.step(toMs));
  const cells = await place.query('SELECT view, COUNT(*) FROM usage_cells GROUP BY view ORDER BY view');
  const sizes = cells.map(([view, count]) => `${view} ${count}`).join(', ');
  say(`summed in ${Math.round((performance.now() - startedMs) / 1_000)} s; cells: ${sizes}`);
  if (place.databaseUrl !== undefined) await place.query('VACUUM ANALYZE usage_cells');
  return createAnalyticsAdmin({ analytics: store.analytics, tokens: store.tokens, errors: store.requestErrors });
}

/** A line for each query: the median and the longest of several answers, in milliseconds. */
export async function measureUsage(rows: number, say: (text: string) => void): Promise<string> {
  const columns: (readonly Answer[])[] = [];
  const names: string[] = [];
  // A store's threads do not keep a process alive.
  const alive = setInterval(() => undefined, 1_000);
  for (const engine of engines) {
    if (engine.name === 'postgres' && missingPrograms().includes('postgres')) continue;
    const place = await engine.place();
    try {
      columns.push(await answersOf(await fill(place, rows, (text) => say(`${engine.name}: ${text}`))));
      names.push(engine.name);
    } finally {
      await place.dispose();
    }
  }
  clearInterval(alive);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : cell.padStart(20))).join('');
  const head = line([`${rows} requests, ms`, ...names.map((name) => `${name} (most)`)]);
  const lines = (columns[0] ?? []).map(({ what }, at) => {
    const figures = columns.map((column) => column[at]).filter((answer) => answer !== undefined);
    return line([what, ...figures.map(({ medianMs, mostMs }) => `${medianMs.toFixed(0)} (${mostMs.toFixed(0)})`)]);
  });
  return [head, ...lines].join('\n');
}
