/** Reads the text of a price table in any of the public formats, which is detected by content, not by name. */

import { createHash } from 'node:crypto';
import { lineAt, linesAt, parseJson } from './json-text.ts';
import { readGenaiPrices } from './read-genai-prices.ts';
import { readLitellm } from './read-litellm.ts';
import { readModelsDev } from './read-models-dev.ts';
import type { PriceTable, TableSource } from './table.ts';
import { dayAt, fieldOf, isFields, TableError, type TablePath } from './table-error.ts';

/** The largest text that is looked at. */
const tableCharactersMax = 32 * 1024 * 1024;

const byteOrderMark = 0xfeff;

const readers = { 'genai-prices': readGenaiPrices, 'models.dev': readModelsDev, litellm: readLitellm } as const;

/**
 * What is not understood is left out and named with key and line; throws a `TableError` with them where that is too
 * much, or the text is no table. `asOf` is the date of the data, where its carrier gives
 * it; without one, the newest date in the table counts, or else a part of its digest becomes its version.
 */
export function readTable(given: string, asOf?: string): PriceTable {
  const text = given.charCodeAt(0) === byteOrderMark ? given.slice(1) : given;
  if (text.length > tableCharactersMax) throw new TableError([], `It is longer than ${tableCharactersMax} characters.`);
  const raw = parseJson(text);
  const source = sourceOf(raw);
  if (source === undefined) {
    const forms = 'models.dev’s api.json, LiteLLM’s model_prices_and_context_window.json or genai-prices’ data.json';
    throw new TableError([], `It is none of the tables that are known: ${forms}.`);
  }
  const day = asOf ?? (source === 'models.dev' ? newestDay(raw) : undefined);
  const version = `${source} ${day ?? createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  const placeOf = (path: TablePath) => (source === 'genai-prices' ? placeInList(raw, path) : path);
  try {
    const table = readers[source](raw, version, day);
    const { named } = table.leftOut;
    if (named.length === 0) return table;
    const lines = linesAt(
      text,
      named.map(({ path }) => placeOf(path)),
    );
    return {
      ...table,
      leftOut: { ...table.leftOut, named: named.map((one, at) => ({ ...one, line: lines[at] ?? 1 })) },
    };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw error.at(lineAt(text, placeOf(error.path)));
  }
}

/** How many entries are looked at to tell one form from another. */
const sampled = 50;

function sourceOf(raw: unknown): TableSource | undefined {
  if (Array.isArray(raw)) {
    const isProvider = (one: unknown) => isFields(one) && Object.hasOwn(one, 'id') && Object.hasOwn(one, 'models');
    return raw.length > 0 && raw.slice(0, sampled).some(isProvider) ? 'genai-prices' : undefined;
  }
  if (!isFields(raw)) return undefined;
  const entries = Object.values(raw).slice(0, sampled).filter(isFields);
  if (entries.some((entry) => Object.hasOwn(entry, 'litellm_provider'))) return 'litellm';
  return entries.some((entry) => isFields(fieldOf(entry, 'models'))) ? 'models.dev' : undefined;
}

/** The newest day on which a model's entry was changed. */
function newestDay(raw: unknown): string | undefined {
  let newest: string | undefined;
  for (const host of isFields(raw) ? Object.values(raw) : []) {
    const models = isFields(host) ? fieldOf(host, 'models') : undefined;
    for (const model of isFields(models) ? Object.values(models) : []) {
      const day = isFields(model) ? dayAt(fieldOf(model, 'last_updated')) : undefined;
      if (day !== undefined && (newest === undefined || day > newest)) newest = day;
    }
  }
  return newest;
}

/** A path names hosts and models of a list; in the text they are found by index. */
function placeInList(raw: unknown, [host, ...rest]: TablePath): TablePath {
  if (typeof host !== 'string') return host === undefined ? [] : [host, ...rest];
  const indexOf = (list: unknown, name: string | number | undefined): number =>
    Array.isArray(list) ? list.findIndex((one) => isFields(one) && fieldOf(one, 'id') === name) : -1;
  const index = indexOf(raw, host);
  const provider: unknown = Array.isArray(raw) ? raw[index] : undefined;
  const models = isFields(provider) ? fieldOf(provider, 'models') : undefined;
  const model = indexOf(models, rest[0]);
  return model === -1 ? [index, ...rest] : [index, 'models', model, ...rest.slice(1)];
}
