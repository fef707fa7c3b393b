/**
 * For every price of the bundled table, and of the public tables where they are beside the project, for any usage: what
 * is held covers what is charged, and what is charged is the sum of its lines.
 */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { serviceTiers, type Usage } from '../../src/conversation/usage.ts';
import { boundOf, costOf, unitCostOf, unitNames } from '../../src/ledger/cost.ts';
import { costLines } from '../../src/ledger/cost-lines.ts';
import type { Consumption } from '../../src/operations/consumption.ts';
import type { Price } from '../../src/prices/price.ts';
import { loadPriceLibrary } from '../../src/prices/price-library.ts';
import { readTable } from '../../src/prices/tables/read-table.ts';
import { type PriceTable, priceOf } from '../../src/prices/tables/table.ts';
import { Random } from '../harness/random.ts';
import { testShared } from '../harness/recordings.ts';
import { sized } from '../harness/size.ts';

const atMs = Date.parse('2026-11-16T12:00:00Z');

/** Sizes around the steps that prices have, and far from them. */
const sizes = [0, 1, 7, 999, 128_000, 200_000, 200_001, 272_001, 512_001, 1_000_000, 40_000_000];

function count(random: Random, most: number): number | undefined {
  const draw = random.int(0, 9);
  if (draw < 3) return undefined;
  // Providers also report parts that are larger than the whole.
  return draw === 9 ? most + random.int(0, 1_000) : random.int(0, most);
}

function randomUsage(random: Random): { usage: Usage; inputMost: number; outputMost: number } {
  const inputTotal = random.pick(sizes);
  const outputTotal = random.pick(sizes);
  const part = (most: number) => count(random, most);
  const tier = random.pick([undefined, ...serviceTiers]);
  const cacheWrite = part(inputTotal);
  const isSumSaid = random.int(0, 4) > 0;
  const input = {
    ...(isSumSaid && { total: inputTotal }),
    fresh: part(inputTotal),
    cacheRead: part(inputTotal),
    cacheWrite,
    cacheWrite1h: part(cacheWrite ?? 0),
    audio: part(inputTotal),
    image: part(inputTotal),
    video: part(inputTotal),
    cachedAudio: part(inputTotal),
    cachedImage: part(inputTotal),
    cachedVideo: part(inputTotal),
  };
  const output = {
    ...(isSumSaid && { total: outputTotal }),
    text: part(outputTotal),
    thinking: part(outputTotal),
    audio: part(outputTotal),
    image: part(outputTotal),
    video: part(outputTotal),
  };
  const sum = (...parts: (number | undefined)[]) => parts.reduce<number>((total, one) => total + (one ?? 0), 0);
  return {
    usage: { input, output, ...(tier !== undefined && { serviceTier: tier }) },
    inputMost: isSumSaid ? inputTotal : sum(input.fresh, input.cacheRead, input.cacheWrite),
    outputMost: isSumSaid ? outputTotal : sum(output.text, output.thinking, output.audio, output.image, output.video),
  };
}

/** What was used of units, and the most that could have been used before the kind of an image or a video was known. */
function randomUnits(random: Random, price: Price): { units: Consumption; most: Consumption } {
  const units: Record<string, number | string> = {};
  const most: Record<string, number> = {};
  for (const name of unitNames) {
    if (random.int(0, 2) === 0) continue;
    const isWhole = name !== 'seconds' && name !== 'videoSeconds';
    const used = isWhole ? random.int(0, 5_000) : random.int(0, 5_000_000) / 1_000;
    units[name] = used;
    most[name] = used + random.int(0, 3);
  }
  const kinds = Object.keys({ ...price.units?.imagesOf });
  const resolutions = Object.keys({ ...price.units?.videoSecondsOf });
  if (kinds.length > 0 && random.int(0, 1) === 0) units['imageKind'] = random.pick(kinds);
  if (resolutions.length > 0 && random.int(0, 1) === 0) units['videoKind'] = random.pick(resolutions);
  return { units, most };
}

/** Nothing, or what is not as it must be. */
function fault(price: Price, random: Random): string | undefined {
  const { usage, inputMost, outputMost } = randomUsage(random);
  const { units, most } = randomUnits(random, price);
  const held = boundOf(price, { inputTokensMax: inputMost, outputTokensMax: outputMost }) + unitCostOf(price, most);
  const costNano = costOf(price, usage) + unitCostOf(price, units);
  const detail = () =>
    JSON.stringify({ price, usage, units, most }, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  if (held < costNano) return `${held} was held for ${costNano}: ${detail()}`;
  const lines = costLines({ usage, units, costNano }, price) ?? [];
  const sum = lines.reduce((total, line) => total + line.costNano, 0n);
  if (sum !== costNano) return `${sum} is the sum of lines for ${costNano}: ${detail()}`;
  const made = lines.find((line) => line.class === 'difference');
  return made === undefined ? undefined : `a line was made up for the difference: ${detail()}`;
}

function check(table: PriceTable, casesEach: number): number {
  let checked = 0;
  for (const [host, model, { price }] of table.entries(atMs)) {
    if (price === undefined) continue;
    const random = new Random(checked);
    for (let index = 0; index < casesEach; index++) {
      const found = fault(priceOf(price, table.version), random);
      if (found !== undefined) throw new Error(`${host}/${model}, case ${index}: ${found}`);
    }
    checked++;
  }
  return checked;
}

describe('reserve covers charge, and lines add up to it', () => {
  test('for every model of the bundled table', async () => {
    expect(check(await loadPriceLibrary(), sized(6, 20))).toBeGreaterThan(1_400);
  });

  for (const [file, least] of [
    ['models-dev.json', 4_000],
    ['litellm-prices.json', 2_000],
  ] as const) {
    testShared(`for every model of ${file}`, `tables/${file}`, (place) => {
      expect(check(readTable(readFileSync(place, 'utf8')), sized(2, 4))).toBeGreaterThan(least);
    });
  }
});
