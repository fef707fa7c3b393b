/** models.dev, api.json: providers with their models, in USD for a million tokens. https://models.dev/api.json (read 2026-11-16). */

import { type ServiceTier, serviceTiers } from '../../conversation/usage.ts';
import type { TokenRateName } from '../price.ts';
import { RateBuilder } from '../rate-builder.ts';
import { TableRows } from './map-table.ts';
import {
  flatRate,
  isPaid,
  type Modality,
  type ModelCapabilities,
  type ModelFacts,
  modalities,
  type PriceTable,
  powers,
  type TablePrice,
  tokenNano,
} from './table.ts';
import {
  type Fields,
  fieldOf,
  fieldsOf,
  listOf,
  mustBeUsd,
  nameOf,
  priceAt,
  shown,
  TableError,
  type TablePath,
  tokensAt,
} from './table-error.ts';

/** The last four are not in its schema, but in its data. */
const rateKeys: Readonly<Record<string, TokenRateName>> = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  reasoning: 'thinking',
  input_audio: 'inputAudio',
  output_audio: 'outputAudio',
  cache_input: 'cacheRead',
  cached_input: 'cacheRead',
  cached_write: 'cacheWrite',
  image: 'outputImage',
};

const longContextTokens = 200_000;
const stepsMax = 20;

export function readModelsDev(raw: unknown, version: string, asOf?: string): PriceTable {
  const rows = new TableRows();
  for (const [host, value] of Object.entries(fieldsOf(raw, []))) {
    nameOf(host, [host]);
    const provider = fieldsOf(value, [host]);
    mustBeUsd(provider, [host]);
    const models = fieldsOf(fieldOf(provider, 'models'), [host, 'models']);
    for (const [model, fields] of Object.entries(models)) {
      const at = [host, 'models', nameOf(model, [host, 'models', model])];
      readModel(rows, host, model, fieldsOf(fields, at), at);
    }
  }
  return rows.table({ source: 'models.dev', version, ...(asOf !== undefined && { asOf }) });
}

function readModel(rows: TableRows, host: string, model: string, fields: Fields, at: TablePath): void {
  mustBeUsd(fields, at);
  const facts = readFacts(fields, at);
  const cost = fieldOf(fields, 'cost') ?? undefined;
  const price =
    cost === undefined ? undefined : readCost(fieldsOf(cost, [...at, 'cost']), fields, [...at, 'cost'], rows);
  // A cloud's mark for the version that it serves by default; no request uses it.
  rows.add(host, model.replace(/@default$/, ''), {
    ...facts,
    ...(price !== undefined && isMeant(price, facts) && { price }),
  });
}

/**
 * The table prices tokens only, so what is sold by the image or the minute is listed as if it were tokens. A model that
 * only draws, speaks or listens and is really sold by tokens has a higher price for output than for input; a price of 0
 * is meant only for text.
 */
function isMeant(price: TablePrice, { inputModalities = ['text'], outputModalities = ['text'] }: ModelFacts): boolean {
  if (inputModalities.includes('text') && outputModalities.includes('text'))
    return isPaid(price) || outputModalities.every((kind) => kind === 'text');
  const { input, output, outputImage } = price;
  return (outputImage ?? output ?? flatRate(0n)).nanoPerMillion > (input?.nanoPerMillion ?? 0n);
}

function readCost(cost: Fields, model: Fields, at: TablePath, rows: TableRows): TablePrice | undefined {
  const builder = new RateBuilder();
  readRates(builder, cost, at, rows, 0);
  const tiers = fieldOf(cost, 'tiers') ?? [];
  const steps = listOf(tiers, [...at, 'tiers'], stepsMax).map((one, index) => {
    const place = [...at, 'tiers', index];
    const step = fieldsOf(one, place);
    const size = stepOf(fieldOf(step, 'tier'), [...place, 'tier']);
    readRates(builder, step, place, rows, size);
    return size;
  });
  const over = fieldOf(cost, 'context_over_200k') ?? undefined;
  if (over !== undefined && !steps.includes(longContextTokens)) {
    const place = [...at, 'context_over_200k'];
    readRates(builder, fieldsOf(over, place), place, rows, longContextTokens);
  }
  readModes(builder, model, at.slice(0, -1), rows);
  return builder.price();
}

function stepOf(value: unknown, at: TablePath): number {
  const tier = fieldsOf(value, at);
  const [type, size] = [fieldOf(tier, 'type') ?? 'context', fieldOf(tier, 'size')];
  if (type !== 'context') throw new TableError([...at, 'type'], `${shown(type)} is a kind of step that is not known.`);
  const tokens = tokensAt(size);
  if (tokens === undefined) throw new TableError([...at, 'size'], `${shown(size)} is no number of tokens.`);
  return tokens;
}

const noRates: ReadonlySet<string> = new Set(['tiers', 'tier', 'context_over_200k']);

function readRates(
  builder: RateBuilder,
  fields: Fields,
  at: TablePath,
  rows: TableRows,
  above: number,
  tier?: ServiceTier,
): void {
  mustBeUsd(fields, at);
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || value === undefined || noRates.has(key) || /currency/i.test(key)) continue;
    if (/unit/i.test(key)) throw new TableError([...at, key], `${shown(value)} is a unit that is not known.`);
    const name = Object.hasOwn(rateKeys, key) ? rateKeys[key] : undefined;
    // An unknown kind must be a number too, or this is another kind of table.
    const nano = priceAt(value, [...at, key], (usd) => tokenNano(usd, powers.perMillion));
    if (name === undefined) rows.left(key);
    else builder.set(name, nano, above, tier);
  }
}

/** Faster modes with prices of their own, where a service tier selects them. */
function readModes(builder: RateBuilder, model: Fields, at: TablePath, rows: TableRows): void {
  const modes = mapIn(mapIn(model, 'experimental'), 'modes');
  for (const [name, value] of Object.entries(modes ?? {}).slice(0, stepsMax)) {
    if (typeof value !== 'object' || value === null) continue;
    const mode = value as Fields;
    const asked = fieldOf(mapIn(mapIn(mode, 'provider'), 'body') ?? {}, 'service_tier');
    const tier = serviceTiers.find((one) => one === asked);
    const cost = mapIn(mode, 'cost');
    if (tier !== undefined && cost !== undefined)
      readRates(builder, cost, [...at, 'experimental', 'modes', name, 'cost'], rows, 0, tier);
  }
}

function mapIn(fields: Fields | undefined, name: string): Fields | undefined {
  const value = fields === undefined ? undefined : fieldOf(fields, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function readFacts(fields: Fields, at: TablePath): ModelFacts {
  const limit = mapIn(fields, 'limit') ?? {};
  const kinds = mapIn(fields, 'modalities') ?? {};
  const contextTokens = tokensAt(fieldOf(limit, 'context'));
  const outputTokensMax = tokensAt(fieldOf(limit, 'output'));
  const inputModalities = modalitiesOf(fieldOf(kinds, 'input'), at);
  const outputModalities = modalitiesOf(fieldOf(kinds, 'output'), at);
  const capabilities = capabilitiesOf(fields);
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(inputModalities.length > 0 && { inputModalities }),
    ...(outputModalities.length > 0 && { outputModalities }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
    ...(fieldOf(fields, 'status') === 'deprecated' && { deprecated: true as const }),
  };
}

function modalitiesOf(value: unknown, at: TablePath): readonly Modality[] {
  const said = value === undefined || value === null ? [] : listOf(value, [...at, 'modalities'], 20);
  return modalities.filter((kind) => said.includes(kind) || (kind === 'file' && said.includes('pdf')));
}

function capabilitiesOf(fields: Fields): ModelCapabilities {
  const said = (name: string) => {
    const value = fieldOf(fields, name);
    return typeof value === 'boolean' ? value : undefined;
  };
  const [tools, structuredOutput, reasoning] = [said('tool_call'), said('structured_output'), said('reasoning')];
  return {
    ...(tools !== undefined && { tools }),
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
