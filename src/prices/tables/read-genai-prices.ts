/** genai-prices, data.json: a list of providers with rules for names and prices by date and time of day. https://github.com/pydantic/genai-prices (read 2026-11-16). */

import { type NameMatch, nameMatch } from '../name-match.ts';
import type { Rate, TokenRateName, UnitPrices } from '../price.ts';
import { LeftOuts } from './left-out.ts';
import {
  type ElsewhereEntry,
  flatRate,
  type PriceTable,
  powers,
  type TableEntry,
  type TablePrice,
  tokenNano,
  unitNano,
  weightOf,
  withoutUnknown,
} from './table.ts';
import {
  dayAt,
  type Fields,
  fieldOf,
  fieldsOf,
  hostsMax,
  isFields,
  isName,
  listOf,
  modelsMax,
  mustBeUsd,
  nameOf,
  otherPrices,
  priceAt,
  shown,
  TableError,
  type TablePath,
  tokensAt,
} from './table-error.ts';

/** Where several are of one class, the highest counts. */
const rateKeys: Readonly<Record<string, TokenRateName>> = {
  input_mtok: 'input',
  input_text_mtok: 'input',
  cache_read_mtok: 'cacheRead',
  cache_text_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_5m_mtok: 'cacheWrite',
  cache_text_write_mtok: 'cacheWrite',
  cache_text_write_5m_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
  cache_text_write_1h_mtok: 'cacheWrite1h',
  input_audio_mtok: 'inputAudio',
  input_image_mtok: 'inputImage',
  input_video_mtok: 'inputVideo',
  cache_audio_read_mtok: 'cachedAudio',
  cache_image_read_mtok: 'cachedImage',
  cache_video_read_mtok: 'cachedVideo',
  output_mtok: 'output',
  output_text_mtok: 'output',
  output_reasoning_mtok: 'thinking',
  output_audio_mtok: 'outputAudio',
  output_image_mtok: 'outputImage',
  output_video_mtok: 'outputVideo',
};

type UnitKey = Exclude<keyof UnitPrices, 'imagesOf' | 'videoSecondsOf' | 'tools'>;
const unitKeys: Readonly<Record<string, readonly [unit: UnitKey, power: number]>> = {
  audio_hours: ['seconds', powers.perUnit],
  input_audio_hours: ['seconds', powers.perUnit],
  output_audio_hours: ['seconds', powers.perUnit],
  input_mchars: ['characters', powers.perMillion],
  input_document_kpages: ['pages', powers.perThousand],
  rerank_searches_kcount: ['searches', powers.perThousand],
  web_searches_kcount: ['webSearches', powers.perThousand],
  requests_kcount: ['requests', powers.perThousand],
};

/** Fees for each call of a tool that the provider runs. */
const callFees: Readonly<Record<string, string>> = { storage_searches_kcount: 'file_search' };

const minutesPerHour = 60n;

/** A list of prices that is there and empty: nothing costs anything. */
const free: TablePrice = { input: flatRate(0n), output: flatRate(0n) };

interface TimedPrice {
  /** From when on, or between which seconds of the day; neither for always. */
  readonly fromMs: number | undefined;
  readonly between: readonly [fromSecond: number, toSecond: number] | undefined;
  /** Absent where nothing is known of it. */
  readonly price: TablePrice | undefined;
}

interface Model {
  readonly id: string;
  readonly matches: NameMatch;
  prices(): readonly TimedPrice[];
  readonly facts: TableEntry;
}

interface Host {
  readonly id: string;
  readonly makes: NameMatch;
  models(): readonly Model[];
  /** Hosts whose prices are this one's too. */
  readonly others: readonly string[];
}

const never: NameMatch = () => false;

/** `isTrusted`: Weir's tests check the bundled table, so each host and price is read only when it is first needed. */
export function readGenaiPrices(raw: unknown, version: string, asOf?: string, isTrusted = false): PriceTable {
  const leftOuts = new LeftOuts();
  const list = listOf(raw, [], hostsMax);
  let count = 0;
  const hosts = list.flatMap((one, index) => {
    const given = isFields(one) ? fieldOf(one, 'models') : undefined;
    const listed = Array.isArray(given) ? given.length : 0;
    const wrong = Math.max(1, listed);
    const host = leftOuts.tried(hostName(one), '', () => readHost(one, [index], { leftOuts, isTrusted }), wrong);
    count += host === undefined ? wrong : listed;
    return host ?? [];
  });
  if (!isTrusted) {
    if (count > modelsMax) throw new TableError([], `There are more than ${modelsMax} models.`);
    for (const host of hosts) for (const model of host.models()) model.prices();
    leftOuts.check(count);
  }
  const leftOut = leftOuts.report();
  return tableOf(hosts, { version, unread: leftOuts.kinds, leftOut, ...(asOf !== undefined && { asOf }) });
}

/** Empty where it has none. */
function hostName(raw: unknown): string {
  const id = isFields(raw) ? fieldOf(raw, 'id') : undefined;
  return isName(id) ? id : '';
}

interface Reading {
  readonly leftOuts: LeftOuts;
  readonly isTrusted: boolean;
}

function readHost(raw: unknown, at: TablePath, reading: Reading): Host {
  const fields = fieldsOf(raw, at);
  const id = nameOf(fieldOf(fields, 'id'), [...at, 'id']);
  mustBeUsd(fields, [id]);
  const makes = fieldOf(fields, 'model_match');
  const others = fieldOf(fields, 'fallback_model_providers') ?? [];
  const list = listOf(fieldOf(fields, 'models'), [id, 'models'], modelsMax);
  let models: readonly Model[] | undefined;
  return {
    id,
    makes: makes === undefined || makes === null ? never : nameMatch(makes, [id, 'model_match']),
    models() {
      models ??= list.flatMap((model, index) => readModel(model, id, index, reading) ?? []);
      return models;
    },
    others: listOf(others, [id, 'fallback_model_providers'], 50).map(String),
  };
}

/** A model that cannot be read keeps its name, so that no rule of another one matches it; only one without a name is gone. */
function readModel(raw: unknown, host: string, index: number, { leftOuts }: Reading): Model | undefined {
  const id = hostName(raw);
  const model = leftOuts.tried(host, id, () => {
    const fields = fieldsOf(raw, [host, 'models', index]);
    const at = [host, nameOf(fieldOf(fields, 'id'), [host, 'models', index, 'id'])];
    mustBeUsd(fields, at);
    return { fields, matches: nameMatch(fieldOf(fields, 'match'), [...at, 'match']) };
  });
  if (model === undefined) {
    return id === '' ? undefined : { id, matches: (name) => name === id.toLowerCase(), prices: () => [], facts: {} };
  }
  const { fields, matches } = model;
  const contextTokens = tokensAt(fieldOf(fields, 'context_window'));
  let prices: readonly TimedPrice[] | undefined;
  return {
    id,
    matches,
    prices() {
      prices ??= leftOuts.tried(host, id, () => readPrices(leftOuts, fields, [host, id])) ?? [];
      return prices;
    },
    facts: {
      ...(contextTokens !== undefined && { contextTokens }),
      ...(fieldOf(fields, 'deprecated') === true && { deprecated: true as const }),
    },
  };
}

function readPrices(leftOuts: LeftOuts, model: Fields, [host, id]: readonly [string, string]): readonly TimedPrice[] {
  const left: TablePath[] = [];
  const [raw, at] = [fieldOf(model, 'prices'), [host, id, 'prices']];
  const prices = Array.isArray(raw)
    ? listOf(raw, at, 50).map((one, index) => {
        const place = [...at, index];
        const fields = fieldsOf(one, place);
        const price = readPrice(fieldsOf(fieldOf(fields, 'prices'), [...place, 'prices']), [...place, 'prices'], left);
        return { ...readConstraint(fieldOf(fields, 'constraint'), [...place, 'constraint']), price };
      })
    : [{ fromMs: undefined, between: undefined, price: readPrice(fieldsOf(raw, at), at, left) }];
  const others = otherPrices(model, 'prices').map((key) => [host, id, key]);
  for (const path of [...left, ...others]) {
    leftOuts.kind(String(path.at(-1)));
    leftOuts.key(host, id, path);
  }
  if (others.length === 0) return prices;
  return prices.map((one) => ({ ...one, price: withoutUnknown(one.price) }));
}

function readConstraint(raw: unknown, at: TablePath): Pick<TimedPrice, 'fromMs' | 'between'> {
  if (raw === undefined || raw === null) return { fromMs: undefined, between: undefined };
  const fields = fieldsOf(raw, at);
  const start = fieldOf(fields, 'start_date');
  if (start !== undefined) {
    const day = dayAt(start);
    if (day === undefined) throw new TableError([...at, 'start_date'], `${shown(start)} is no day.`);
    return { fromMs: Date.parse(`${day}T00:00:00Z`), between: undefined };
  }
  const between = (['start_time', 'end_time'] as const).map((name) => {
    const second = secondOfDay(fieldOf(fields, name));
    if (second === undefined) throw new TableError([...at, name], `${shown(fieldOf(fields, name))} is no time of day.`);
    return second;
  });
  return { fromMs: undefined, between: [between[0] ?? 0, between[1] ?? 0] };
}

const secondsPerDay = 86_400;

function secondOfDay(value: unknown): number | undefined {
  const parts = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/.exec(
    typeof value === 'string' ? value : '',
  );
  if (parts === null) return undefined;
  const [, hours, minutes, seconds, sign, zoneHours = '0', zoneMinutes = '0'] = parts;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60 * (sign === '-' ? -1 : 1);
  const second = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) - zone;
  return (second + secondsPerDay) % secondsPerDay;
}

/** Undefined where nothing is known of it. */
function readPrice(fields: Fields, at: TablePath, left: TablePath[]): TablePrice | undefined {
  mustBeUsd(fields, at);
  if (Object.keys(fields).length === 0) return free;
  const rates: { [Name in TokenRateName]?: Rate } = {};
  const units: { [Unit in UnitKey]?: bigint } = {};
  const tools: Record<string, bigint> = {};
  const leftBefore = left.length;
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    const place = [...at, key];
    const name = Object.hasOwn(rateKeys, key) ? rateKeys[key] : undefined;
    if (name !== undefined) {
      const rate = readRate(value, place);
      const known = rates[name];
      if (known === undefined || known.nanoPerMillion < rate.nanoPerMillion) rates[name] = rate;
    } else if (Object.hasOwn(unitKeys, key)) {
      const [unit, power] = unitKeys[key] as (typeof unitKeys)[string];
      const nano = priceAt(value, place, (usd) => unitNano(usd, power));
      const each = unit === 'seconds' ? (nano + minutesPerHour - 1n) / minutesPerHour : nano;
      if ((units[unit] ?? -1n) < each) units[unit] = each;
    } else if (Object.hasOwn(callFees, key)) {
      tools[callFees[key] ?? key] = priceAt(value, place, (usd) => unitNano(usd, powers.perThousand));
    } else if (!/currency/i.test(key) && value !== 0 && value !== false) left.push(place);
  }
  const sold: UnitPrices = { ...units, ...(Object.keys(tools).length > 0 && { tools }) };
  const price = { ...rates, ...(Object.keys(sold).length > 0 && { units: sold }) };
  if (left.length > leftBefore) return withoutUnknown(price);
  return Object.keys(price).length === 0 ? undefined : price;
}

function readRate(value: unknown, at: TablePath): Rate {
  const nanoOf = (usd: unknown, place: TablePath) =>
    priceAt(usd, place, (given) => tokenNano(given, powers.perMillion));
  if (typeof value !== 'object' || value === null) return { nanoPerMillion: nanoOf(value, at), tiers: [] };
  const fields = fieldsOf(value, at);
  const tiers = listOf(fieldOf(fields, 'tiers'), [...at, 'tiers'], 20).map((one, index) => {
    const place = [...at, 'tiers', index];
    const tier = fieldsOf(one, place);
    const start = fieldOf(tier, 'start');
    if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0)
      throw new TableError([...place, 'start'], `${shown(start)} is no number of tokens.`);
    return { aboveInputTokens: start, nanoPerMillion: nanoOf(fieldOf(tier, 'price'), [...place, 'price']) };
  });
  return {
    nanoPerMillion: nanoOf(fieldOf(fields, 'base'), [...at, 'base']),
    tiers: tiers.sort((a, b) => a.aboveInputTokens - b.aboveInputTokens),
  };
}

function isActive({ fromMs, between }: TimedPrice, atMs: number): boolean {
  if (fromMs !== undefined) return atMs >= fromMs;
  if (between === undefined) return true;
  const second = (atMs / 1_000) % secondsPerDay;
  const [from, to] = between;
  return to < from ? second >= from || second < to : second >= from && second < to;
}

/** The last that applies, as the table's own library has it. */
function priceAtTime(prices: readonly TimedPrice[], atMs: number): TablePrice | undefined {
  return (prices.findLast((one) => isActive(one, atMs)) ?? prices[0])?.price;
}

/** The highest of a day: a discount that one host gives at night does not apply at another. */
function priceOfDay(prices: readonly TimedPrice[], atMs: number): TablePrice | undefined {
  const dated = prices.filter(({ between }) => between === undefined);
  const hourly = prices.filter(({ between }) => between !== undefined).map(({ price }) => price);
  const always = priceAtTime(dated, atMs);
  return [...(always === undefined ? [] : [always]), ...hourly].reduce<TablePrice | undefined>(
    (highest, price) =>
      highest === undefined || (price !== undefined && weightOf(price) > weightOf(highest)) ? price : highest,
    undefined,
  );
}

const compactDay = /(-)(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

/** By the name as it is, then with a date written out. */
function modelIn(host: Host, name: string): Model | undefined {
  const models = host.models();
  const found = models.find(({ matches }) => matches(name));
  if (found !== undefined) return found;
  const written = name.replace(compactDay, '$1$2-$3-$4');
  return written === name ? undefined : models.find(({ matches }) => matches(written));
}

function entryOf({ facts }: Model, price: TablePrice | undefined): TableEntry {
  return price === undefined ? facts : { ...facts, price };
}

function tableOf(
  hosts: readonly Host[],
  about: Pick<PriceTable, 'version' | 'asOf' | 'unread' | 'leftOut'>,
): PriceTable {
  const byId = new Map(hosts.map((host) => [host.id, host]));
  const entryIn = (host: Host, model: string, atMs: number, ofDay: boolean): TableEntry | undefined => {
    const found = modelIn(host, model);
    return found && entryOf(found, (ofDay ? priceOfDay : priceAtTime)(found.prices(), atMs));
  };
  /** The model at its own host, else at one whose prices are this one's too. */
  const placeOf = (id: string, model: string): readonly [Host, Model] | undefined => {
    const host = byId.get(id);
    if (host === undefined) return undefined;
    const name = model.toLowerCase().trim();
    for (const one of [host, ...host.others.flatMap((other) => byId.get(other) ?? [])]) {
      const found = modelIn(one, name);
      if (found !== undefined) return [one, found];
    }
    return undefined;
  };
  return {
    ...about,
    source: 'genai-prices',
    listingOf(id, model) {
      const place = placeOf(id, model);
      return place && [place[0].id, place[1].id];
    },
    find(id, model, atMs) {
      const [host, found] = placeOf(id, model) ?? [];
      if (host === undefined || found === undefined) return undefined;
      return entryOf(found, (host.id === id ? priceAtTime : priceOfDay)(found.prices(), atMs));
    },
    elsewhere(model, atMs) {
      const name = model.toLowerCase().trim();
      const found: ElsewhereEntry[] = [];
      for (const host of hosts) {
        const entry = entryIn(host, name, atMs, true);
        if (entry !== undefined) found.push({ host: host.id, entry, isVendor: host.makes(name) });
      }
      return found;
    },
    *entries(atMs) {
      for (const { id, models } of hosts)
        for (const model of models()) yield [id, model.id, entryOf(model, priceAtTime(model.prices(), atMs))];
    },
  };
}
