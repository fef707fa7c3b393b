/** Itemizes a cost: class by class, each quantity times its price, in lines that add up to what was charged. */

import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import { type Price, type TokenRateName, tokenRateNames } from '../prices/price.ts';
import { tokenClasses, type UnitName, unitShares } from './cost.ts';
import type { UsageRow } from './ledger.ts';

/** The usual names of the classes. */
export const tokenClassNames = {
  input: 'input',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  cacheWrite1h: 'cache write 1 h',
  inputAudio: 'input audio',
  inputImage: 'input image',
  inputVideo: 'input video',
  cachedAudio: 'cached audio',
  cachedImage: 'cached image',
  cachedVideo: 'cached video',
  output: 'output',
  thinking: 'thinking',
  outputAudio: 'output audio',
  outputImage: 'output image',
  outputVideo: 'output video',
} as const satisfies Record<TokenRateName, string>;
type TokenClassName = (typeof tokenClassNames)[TokenRateName];

type UnitClassName = (typeof unitTerms)[UnitName][0];

/**
 * `estimate`: a sum without a breakdown, because what was used never became known. `difference`: what several calls for
 * one request were charged apart, beside their sum.
 */
export type CostClass = TokenClassName | UnitClassName | 'estimate' | 'difference';

export interface CostLine {
  readonly class: CostClass;
  readonly quantity: number;
  /** Nano-USD for `perUnits` of it. */
  readonly rateNano: bigint;
  readonly perUnits: number;
  readonly costNano: bigint;
}

type Charged = Pick<UsageRow, 'usage' | 'units' | 'costNano'>;

const tokensPerRate = 1_000_000;
const million = 1_000_000n;

/** Empty where nothing was used; undefined where the price is not known. */
export function costLines(row: Charged, price: Price | undefined): readonly CostLine[] | undefined {
  const { usage, units = {}, costNano } = row;
  if (!isKnown(usage) && !isCounted(units)) return costNano === 0n ? [] : [single('estimate', costNano)];
  if (price === undefined) return undefined;
  const lines = [...tokenLines(price, usage), ...unitLines(price, units)];
  const sum = lines.reduce((total, line) => total + line.costNano, 0n);
  return sum === costNano ? lines : [...lines, single('difference', costNano - sum)];
}

function isKnown({ input, output }: Usage): boolean {
  return [...Object.values(input), ...Object.values(output)].some((count) => count !== undefined);
}

function isCounted({ tokens: _tokens, ...units }: Consumption): boolean {
  return Object.values(units).some((count) => typeof count === 'number');
}

const single = (name: CostClass, costNano: bigint): CostLine => ({
  class: name,
  quantity: 1,
  rateNano: costNano,
  perUnits: 1,
  costNano,
});

/** A sum is rounded up once at its end: each line gets what the sum so far grew by, so that no line is rounded on its own. */
function roundedAlong(divisor: bigint): (share: bigint) => bigint {
  let shares = 0n;
  let nano = 0n;
  return (share) => {
    const before = nano;
    shares += share;
    nano = (shares + divisor - 1n) / divisor;
    return nano - before;
  };
}

function tokenLines(price: Price, usage: Usage): CostLine[] {
  const rounded = roundedAlong(million);
  return inOrder(tokenClasses(price, usage)).map(([name, tokens, rateNano]) => ({
    class: tokenClassNames[name],
    quantity: Number(tokens),
    rateNano,
    perUnits: tokensPerRate,
    costNano: rounded(tokens * rateNano),
  }));
}

function inOrder(classes: ReturnType<typeof tokenClasses>): ReturnType<typeof tokenClasses> {
  const used = classes.filter(([, tokens]) => tokens > 0n);
  return used.sort(([a], [b]) => tokenRateNames.indexOf(a) - tokenRateNames.indexOf(b));
}

/** As people price each; a rate is kept for a million of them, of seconds for a million minutes. */
export const unitTerms = {
  images: ['images', 1, million],
  seconds: ['seconds', 60, million],
  characters: ['characters', 1_000_000, 1n],
  searches: ['searches', 1_000, 1_000n],
  videoSeconds: ['video seconds', 1, million],
  videos: ['videos', 1, million],
  pages: ['pages', 1_000, 1_000n],
  webSearches: ['web searches', 1_000, 1_000n],
  requests: ['requests', 1_000, 1_000n],
} as const satisfies Record<UnitName, readonly [name: string, perUnits: number, rateShare: bigint]>;

function unitLines(price: Price, units: Consumption): CostLine[] {
  const { divisor, shares } = unitShares(price, units);
  const rounded = roundedAlong(divisor);
  return shares.map(({ name, quantity, rate, share }) => {
    const [label, perUnits, rateShare] = unitTerms[name];
    // A rate with a fraction of a nano-dollar is given for as many units as make it whole.
    const isWhole = rate % rateShare === 0n;
    return {
      class: label,
      quantity,
      rateNano: isWhole ? rate / rateShare : rate,
      perUnits: isWhole ? perUnits : perUnits * Number(rateShare),
      costNano: rounded(share),
    };
  });
}
