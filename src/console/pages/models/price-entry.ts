/** Between what people type about a price and the entry that `weir.yaml` would hold for it. */

import type { PriceEntry, PriceView, TargetPriceView } from '../../../admin/contracts/configuration-contract.ts';

export const tokenFields = ['input', 'output', 'cache_read', 'cache_write'] as const;
export const unitFields = ['image', 'minute', 'characters', 'searches', 'video_second', 'video'] as const;
const priceFields = [...tokenFields, ...unitFields] as const;
export type PriceField = (typeof priceFields)[number];

export type PriceTexts = Readonly<Record<PriceField, string>>;

export function textsOfPrice(entry: PriceEntry): PriceTexts {
  const text = (field: PriceField) => (entry[field] === undefined ? '' : String(entry[field]));
  return Object.fromEntries(priceFields.map((field) => [field, text(field)])) as Record<PriceField, string>;
}

const fieldOfClass: Readonly<Record<string, PriceField>> = {
  input: 'input',
  output: 'output',
  'cache read': 'cache_read',
  'cache write': 'cache_write',
  images: 'image',
  seconds: 'minute',
  characters: 'characters',
  searches: 'searches',
  'video seconds': 'video_second',
  videos: 'video',
};

/** The prices in effect as a beginning for an own one; those without a field come from their source as before. */
export function entryOfLines(lines: TargetPriceView['lines']): PriceEntry {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const field = fieldOfClass[line.class];
      return field === undefined ? [] : [[field, Number(line.usd)]];
    }),
  );
}

/** What the form has no field for and must not lose: other kinds of tokens, tiers, steps, kinds of images. */
export function besideFields(entry: PriceEntry): PriceEntry {
  const known: readonly string[] = priceFields;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !known.includes(name)));
}

export interface ReadPrice {
  readonly entry: PriceEntry;
  /** Fields that hold no amount. */
  readonly wrong: readonly PriceField[];
  /** Enough is said to charge by. */
  readonly whole: boolean;
}

export function readPrice(texts: PriceTexts): ReadPrice {
  const entry: Partial<Record<PriceField, number>> = {};
  const wrong: PriceField[] = [];
  for (const field of priceFields) {
    const text = texts[field].trim().replace(',', '.');
    if (text === '') continue;
    const amount = Number(text);
    if (/^[0-9]*\.?[0-9]+$/.test(text) && amount <= 1_000_000) entry[field] = amount;
    else wrong.push(field);
  }
  const byTokens = entry.input !== undefined && entry.output !== undefined;
  const byUnits = unitFields.some((field) => entry[field] !== undefined);
  return { entry, wrong, whole: byTokens || byUnits };
}

/** The own price that decides for a model, found as the server finds it: the first whose pattern fits either name. */
export function decidingPrice(
  prices: readonly PriceView[],
  { provider, model }: { readonly provider: string; readonly model: string },
): PriceView | undefined {
  return prices.find(({ pattern }) => fits(pattern, `${provider}/${model}`) || fits(pattern, model));
}

function fits(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const source = pattern
    .split('*')
    .map((literal) => literal.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 's').test(name);
}
