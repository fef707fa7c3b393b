/**
 * The declared rows of money against the code that they replaced: positions written out by hand, kept here as the reference. Over
 * random rows both make the same cells, the same rows in the tables of both engines, and the same records.
 */

import { describe, expect, test } from 'bun:test';
import type { AttemptClosing, AttemptOpening, UsageRow } from '../../src/ledger/ledger.ts';
import { closingTable, openingTable } from '../../src/store/attempts/attempt-table.ts';
import type { Store } from '../../src/store/store.ts';
import { usageTable } from '../../src/store/usage/usage-table.ts';
import { needing } from '../harness/needs.ts';
import { Random } from '../harness/random.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

type Cell = string | number | bigint | boolean | null;

/** Cut at 256 characters, no NUL, no half of a surrogate pair. */
const storable = (text: string): string => text.slice(0, 256).replaceAll('\0', '\u{fffd}').toWellFormed();
const money = (nano: bigint): Cell => (Number.isSafeInteger(Number(nano)) ? Number(nano) : nano.toString());
const whole = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value);

const columns =
  'request_id, at_ms, token_id, endpoint, model, provider, upstream_model, stream, attempts, status, code, ' +
  'input_total, input_fresh, input_cache_read, input_cache_write, input_audio, input_image, ' +
  'output_total, output_text, output_thinking, output_audio, output_image, ' +
  'cost_nano, estimated, price_version, first_event_ms, total_ms, bytes_in, bytes_out, price_name, units, way';

function unitsCell({ units, usage: { input, output, serviceTier } }: UsageRow): string | null {
  const { cacheWrite1h, video, cachedAudio, cachedImage, cachedVideo } = input;
  const read = cacheWrite1h ?? video ?? cachedAudio ?? cachedImage ?? cachedVideo;
  const more = {
    ...(read !== undefined && { input: { cacheWrite1h, video, cachedAudio, cachedImage, cachedVideo } }),
    ...(output.video !== undefined && { output: { video: output.video } }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
  const text = JSON.stringify({ ...units, ...(Object.keys(more).length > 0 && { more }) });
  return text === '{}' ? null : text;
}

/** One usage row by positions. */
function usageCells(row: UsageRow): Cell[] {
  const { input, output } = row.usage;
  return [
    ...[row.requestId, Math.round(row.atMs), row.tokenId, storable(row.endpoint), storable(row.model)],
    ...[storable(row.provider), storable(row.upstreamModel), row.stream ? 1 : 0, row.attempts, row.status],
    storable(row.code),
    ...[input.total, input.fresh, input.cacheRead, input.cacheWrite, input.audio, input.image].map(whole),
    ...[output.total, output.text, output.thinking, output.audio, output.image].map(whole),
    ...[money(row.costNano), row.estimated ? 1 : 0, row.priceVersion, whole(row.firstEventMs)],
    ...[whole(row.totalMs) ?? 0, whole(row.bytesIn) ?? 0, whole(row.bytesOut) ?? 0],
    ...[row.priceName ?? null, unitsCell(row), row.way ?? null],
  ];
}

/** What a SELECT of `columns` returns, read by positions. */
function usageRecord(cells: readonly Cell[]): UsageRow {
  const number = (at: number): number => Number(cells[at]);
  const text = (at: number): string => String(cells[at]);
  const known = (from: number, names: readonly string[]) =>
    Object.fromEntries(names.map((name, at) => [name, cells[from + at]] as const).flatMap(numberIfAny));
  const { more, ...units } = JSON.parse(String(cells[30] ?? '{}'));
  return {
    ...{ requestId: text(0), atMs: number(1), tokenId: text(2), endpoint: text(3), model: text(4), provider: text(5) },
    ...{ upstreamModel: text(6), stream: number(7) === 1, attempts: number(8), status: number(9), code: text(10) },
    usage: {
      input: { ...known(11, ['total', 'fresh', 'cacheRead', 'cacheWrite', 'audio', 'image']), ...more?.input },
      output: { ...known(17, ['total', 'text', 'thinking', 'audio', 'image']), ...more?.output },
      ...(more?.serviceTier !== undefined && { serviceTier: more.serviceTier }),
    },
    ...{ costNano: BigInt(String(cells[22])), estimated: number(23) === 1, priceVersion: text(24) },
    ...(cells[25] !== null && { firstEventMs: number(25) }),
    ...{ totalMs: number(26), bytesIn: number(27), bytesOut: number(28) },
    ...(cells[29] !== null && { priceName: text(29) }),
    ...(Object.keys(units).length > 0 && { units }),
    ...(cells[31] !== null && { way: text(31) }),
  };
}

const numberIfAny = ([name, cell]: readonly [string, Cell | undefined]): [string, number][] =>
  cell === null || cell === undefined ? [] : [[name, Number(cell)]];

const openingCells = (opening: AttemptOpening, instanceId: string): Cell[] => [
  ...[opening.attemptId, opening.requestId, opening.tokenId, money(opening.reserveNano), money(opening.estimateNano)],
  ...[instanceId, storable(opening.provider), storable(opening.model), Math.round(opening.atMs)],
  ...[storable(opening.keyId ?? ''), opening.reserveTokens],
];

/** With what breaks escapes and engines, half a surrogate pair, and now and then longer than a name may be. */
const aText = (random: Random): string =>
  random.text() + random.pick(['', '$1', '?', '\ud83c']) + 'x'.repeat(random.chance(0.1) ? 300 : 0);

/** Whole, fractional, absent, no number. */
const aCount = (random: Random): number | undefined =>
  random.pick([undefined, 0, random.int(0, 100_000), random.next() * 900, Number.NaN, 2 ** 40 + random.int(0, 999)]);

/** Some of them beyond what a number holds exactly. */
const anAmount = (random: Random): bigint =>
  BigInt(random.int(0, 1_000_000_000)) + (random.chance(0.3) ? 2n ** 60n : 0n);

/** Exactly the counts that are there: absent is no property. */
const present = <Shape extends object>(shape: Shape): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;

function aRow(random: Random, requestId: string): UsageRow {
  const count = (): number | undefined => aCount(random);
  const rare = (): number | undefined => (random.chance(0.2) ? random.int(0, 999) : undefined);
  const maybe = (): string | undefined => (random.chance() ? random.name() : undefined);
  return present({
    ...{ requestId, atMs: 1_700_000_000_000 + random.next() * 1_000_000, tokenId: random.name() },
    ...{ endpoint: aText(random), model: aText(random), provider: aText(random), upstreamModel: aText(random) },
    ...{ stream: random.chance(), attempts: random.int(1, 5), status: random.int(200, 599), code: aText(random) },
    usage: {
      input: present({
        ...{ total: count(), fresh: count(), cacheRead: count(), cacheWrite: count(), audio: count(), image: count() },
        ...{ cacheWrite1h: rare(), video: rare(), cachedAudio: rare(), cachedImage: rare(), cachedVideo: rare() },
      }),
      output: present({
        ...{ total: count(), text: count(), thinking: count(), audio: count(), image: count(), video: rare() },
      }),
      ...(random.chance(0.2) && { serviceTier: 'flex' as const }),
    },
    ...{ costNano: anAmount(random), estimated: random.chance(), priceVersion: random.name() },
    ...{ firstEventMs: count(), totalMs: count() ?? 0, bytesIn: random.int(0, 9_999), bytesOut: random.int(0, 9_999) },
    ...{ priceName: maybe(), way: maybe() },
    units: random.chance(0.3) ? { images: random.int(0, 9), seconds: random.next(), imageKind: 'high' } : undefined,
  }) as UsageRow;
}

const seed = 20_261_116;
const rowsMax = 200;
const literal = (cell: Cell): string =>
  typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : cell === null ? 'NULL' : String(cell);

describe('cells', () => {
  test('of usage rows, openings and closings are those of the positions', () => {
    const random = new Random(seed);
    for (let at = 0; at < 2_000; at += 1) {
      const row = aRow(random, `request-${at}`);
      const cells = usageCells(row);
      // A column that was added later comes after these.
      expect(usageTable.pack(row, undefined).slice(0, cells.length)).toEqual(cells as never);
      const opening: AttemptOpening = {
        ...{ attemptId: `r${at}.1`, requestId: `r${at}`, tokenId: aText(random), scopes: [], provider: aText(random) },
        ...{
          reserveNano: anAmount(random),
          reserveTokens: at,
          estimateNano: anAmount(random),
          model: aText(random),
          atMs: at + 0.6,
        },
        ...(at % 2 === 0 && { keyId: aText(random) }),
      };
      expect(openingTable.pack(opening, 'instance')).toEqual(openingCells(opening, 'instance') as never);
      const costNano = anAmount(random);
      const closing: AttemptClosing = {
        ...{ attemptId: `r${at}.1`, costNano, estimated: at % 3 === 0, atMs: at, row },
        ...(at % 2 === 0 && { tokens: at }),
      };
      const packed = closingTable.pack(closing, undefined);
      const carried = usageTable.pack(row, undefined);
      expect(packed).toEqual([
        `r${at}.1`,
        money(costNano),
        at % 3 === 0,
        at,
        carried,
        '',
        at % 2 === 0 ? at : null,
      ] as never);
    }
  });
});

for (const engine of engines) {
  const { afterAll, beforeAll, describe, test } = needing(engine.name);
  describe(`rows on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeAll(async () => {
      place = await engine.place();
      store = await place.open();
    });
    afterAll(() => place.dispose());

    const inTable = async (where: string) =>
      (await place.query(`SELECT ${columns} FROM usage_rows WHERE ${where} ORDER BY request_id`)) as Cell[][];

    test('written by names are the rows that positions write, and either reader reads the same of either', async () => {
      const random = new Random(seed);
      const rows = Array.from({ length: rowsMax }, (_, at) => aRow(random, `named-${String(at).padStart(3, '0')}`));
      await store.usage.insertMany(rows);
      const byPosition = rows.map((row) => usageCells({ ...row, requestId: row.requestId.replace('named', 'placed') }));
      const tuples = byPosition.map((cells) => `(${cells.map(literal).join(', ')})`);
      await place.query(`INSERT INTO usage_rows (${columns}) VALUES ${tuples.join(', ')}`);

      const named = await inTable("request_id LIKE 'named-%'");
      const placed = await inTable("request_id LIKE 'placed-%'");
      expect(named).toHaveLength(rowsMax);
      expect(named.map((cells) => cells.slice(1))).toEqual(placed.map((cells) => cells.slice(1)));
      for (const cells of [...named, ...placed]) {
        const expected = usageRecord(cells);
        expect(await store.usage.byId(String(cells[0]))).toEqual(expected);
      }
    });

    test('of an attempt that was swept, and of one that was closed by its own process', async () => {
      const random = new Random(seed);
      const first = await place.open();
      const opening = {
        ...{
          attemptId: 'swept.1',
          requestId: 'swept',
          tokenId: 'token',
          scopes: [],
          reserveNano: 9n,
          reserveTokens: 0,
        },
        ...{ estimateNano: 2n ** 60n + 7n, provider: 'up', model: 'model', keyId: 'key', atMs: 1_000 },
      };
      await first.attempts.open(opening);
      expect(await store.attempts.sweep(first.instanceId, 1_250)).toBe(1);
      const none = Array<null>(11).fill(null);
      expect((await inTable("request_id = 'swept'"))[0]?.map(String)).toEqual(
        [
          ...['swept', 1_000, 'token', '', 'model', 'up', 'model', 0, 1, 500, 'swept', ...none],
          ...[opening.estimateNano, 1, '', null, 250, 0, 0, null, null, null],
        ].map(String),
      );
      const row = { ...aRow(random, 'swept'), costNano: 5n };
      await first.attempts.close({ attemptId: 'swept.1', costNano: 5n, estimated: false, atMs: 1_300, row });
      expect((await inTable("request_id = 'swept'"))[0]?.map(String)).toEqual(usageCells(row).map(String));
    });
  });
}
