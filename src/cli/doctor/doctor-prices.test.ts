import { describe, expect, test } from 'bun:test';
import type { KeptTable, KeptTables } from '../../configuration/kept-tables.ts';
import { checkPrices } from './doctor-prices.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');
const fetches = { dueAtMs: 0, addresses: '', triedAtMs: undefined, fault: undefined };
const none: KeptTables = { revision: 1, tables: [], faults: [] };

function aTable(asOf: string | undefined, held: number): KeptTable {
  const head = {
    source: 'models.dev',
    origin: '/tmp/t.json',
    version: 'models.dev x',
    asOf,
    fetchedAtMs: nowMs,
    models: 3,
    stamp: 2,
    held: '[]',
  };
  // Only what is counted matters here.
  const whole = { leftOut: { models: 0 } };
  return { head, whole, held: Array.from({ length: held }, () => ({})) } as unknown as KeptTable;
}

const details = (kept: KeptTables, more: Partial<Parameters<typeof checkPrices>[0]> = {}) =>
  checkPrices({ kept, fetches, addresses: [], ...more }, nowMs).map(({ state, detail }) => `${state}: ${detail}`);

describe('what the doctor says of prices', () => {
  test('the bundled table alone, older than 45 days: a warning with the one command and the setting', () => {
    const [first, second, ...more] = details(none);
    expect(first).toMatch(/^ok: genai-prices@[\d.]+ \(\d+ days old\)$/);
    expect(second).toStartWith('warning: the newest table is older than 45 days: `weir prices update --url ');
    expect(second).toContain('price_tables.url');
    expect(more).toEqual([]);
  });

  test('a table of 45 days is not old yet, one of 46 is, and one that has no day counts from when it was fetched', () => {
    const count = (asOf: string | undefined) => details({ ...none, tables: [aTable(asOf, 0)] }).length;
    expect([count('2026-10-02'), count('2026-10-01'), count(undefined)]).toEqual([1, 2, 1]);
    expect(details({ ...none, tables: [aTable(undefined, 0)] })[0]).toContain('models.dev x (fetched 0 days ago), ');
  });

  test('a table that is older than the bundled one, as after an upgrade, is reported with how to remove it', () => {
    expect(details({ ...none, tables: [aTable('2026-01-01', 0)] })).toContain(
      'warning: models.dev x is older than the bundled price list and takes precedence over it: update it, or remove it with `weir prices remove models.dev`',
    );
  });

  test('what waits, what could not be fetched and what cannot be read', () => {
    const kept: KeptTables = {
      ...none,
      tables: [aTable('2026-11-15', 2)],
      faults: [{ head: aTable('2026-11-15', 0).head, fault: 'line 3: no price' }],
    };
    const fault = 'http://x: The answer was 500.';
    expect(details(kept, { fetches: { ...fetches, fault }, addresses: ['http://x'] }).slice(1)).toEqual([
      `warning: the last fetch failed: ${fault}`,
      'warning: models.dev x cannot be read by this version: line 3: no price',
      'warning: 2 prices wait for a confirmation: weir prices held',
    ]);
    // Tables are not fetched any more: an old fault is not reported.
    expect(details(kept, { fetches: { ...fetches, fault } })).toHaveLength(3);
  });
});
