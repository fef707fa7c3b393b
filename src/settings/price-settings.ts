/** Settings of the price tables: where newer ones come from, and what another host’s price of a model is used for. */

import { z } from 'zod';
import { row } from './setting-row.ts';
import { choice, integer, list, type ValueKind, valueKind } from './values.ts';

const placesAllowed = 'an http, https or file URL, a file path, or a list of them';

/** One place or a list of them. */
function places(): ValueKind<readonly string[]> {
  const place = () =>
    z.string({ error: placesAllowed }).trim().min(1, { error: placesAllowed }).max(2_000).refine(isPlace, {
      error: placesAllowed,
    });
  const many = list(place, placesAllowed);
  const build = () => z.preprocess((value) => (typeof value === 'string' ? [value] : value), many.schema);
  return valueKind(placesAllowed, build as () => z.ZodType<readonly string[]>, many);
}

function isPlace(value: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined) return true;
  return ['http', 'https', 'file'].includes(scheme) && URL.canParse(value);
}

export const priceRows = {
  'price_tables.guesses': row(choice(['display', 'budgets', 'off']), 'display', {
    live: true,
    meaning:
      'How to use another provider’s price for the same model if a provider’s own price is unknown: `display` for tokens without a budget, `budgets` for all tokens, `off` for none.',
  }),
  'price_tables.url': row(places(), [], {
    hasPassword: true,
    place: 'priceTables.places',
    example: 'https://models.dev/api.json',
    meaning:
      'URLs or files of newer price lists, in order of priority: models.dev’s `api.json`, LiteLLM’s `model_prices_and_context_window.json` or genai-prices’ `data.json`. Default: only the bundled list.',
  }),
  'price_tables.refresh_hours': row(integer(1, 8_760), 24, {
    unit: 'hours',
    meaning: 'Interval between updates of fetched price lists.',
  }),
} as const;
