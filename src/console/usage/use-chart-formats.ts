/** How charts write their values: short on an axis, and still as people say them. */

import { useMemo } from 'react';
import { moneyText } from '../texts/money.ts';
import { countText, shortCountText } from '../texts/number.ts';
import { durationText } from '../texts/time.ts';
import type { Words } from '../words/en.ts';
import { useSpeech } from '../words/use-words.tsx';

const nanoPerUsd = 1e9;
const wholeDigitsMax = 10_000;
const secondMs = 1_000;
const shortMs = 10 * secondMs;

type Format = (value: number) => string;

export function useChartFormats(): Readonly<Record<'count' | 'money' | 'duration', Format>> {
  const { tag, words } = useSpeech();
  return useMemo(
    () => ({
      // The axis may ask for halves, and there is no half request.
      count: (value) =>
        Number.isInteger(value) ? (value < wholeDigitsMax ? countText : shortCountText)(value, tag) : '',
      money: (value) => moneyText(BigInt(Math.round(value * nanoPerUsd)), tag),
      duration: (value) => axisDuration(value, tag, words.units),
    }),
    [tag, words],
  );
}

/** An axis has round steps, of which people need no more digits than they have. */
function axisDuration(ms: number, tag: string, units: Words['units']): string {
  if (ms >= shortMs) return durationText(ms, tag, units);
  const [value, unit, decimals] = ms < secondMs ? [ms, units.ms, ms < 10 ? 1 : 0] : [ms / secondMs, units.s, 2];
  return `${new Intl.NumberFormat(tag, { maximumFractionDigits: decimals }).format(value)} ${unit}`;
}
