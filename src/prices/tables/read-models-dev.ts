/** models.dev, api.json: providers with their models, in USD for a million tokens. https://models.dev/api.json (read 2026-11-16). */

import { type ServiceTier, serviceTiers } from '../../conversation/usage.ts';
import type { TokenRateName } from '../price.ts';
import { RateBuilder } from '../rate-builder.ts';
import type { LeftOuts } from './left-out.ts';
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
  type TableEntry,
  type TablePrice,
  tokenNano,
  withoutUnknown,
} from './table.ts';
import {
  type Fields,
  fieldOf,
  fieldsOf,
  isFields,
  isName,
  listOf,
  mustBeUsd,
  nameOf,
  otherPrices,
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
  let count = 0;
  for (const [host, value] of Object.entries(fieldsOf(raw, []))) {
    const given = isFields(value) ? fieldOf(value, 'models') : undefined;
    const listed = isFields(given) ? Object.keys(given).length : 0;
    const wrong = Math.max(1, listed);
    const models = rows.leftOuts.tried(host, '', () => modelsOf(host, value), wrong);
    count += models === undefined ? wrong : listed;
    for (const [model, fields] of Object.entries(models ?? {})) {
      const at = [host, 'models', model];
      // A cloud's mark for the version that it serves by default; no request uses it.
      const name = model.replace(/@default$/, '');
      const read = rows.leftOuts.tried(host, name, () => readModel(rows.leftOuts, host, model, fields, at));
      if (isName(model)) rows.add(host, name, read ?? (isFields(fields) ? readFacts(fields) : {}));
    }
  }
  rows.leftOuts.check(count);
  return rows.table({ source: 'models.dev', version, ...(asOf !== undefined && { asOf }) });
}

function modelsOf(host: string, value: unknown): Fields {
  nameOf(host, [host]);
  const provider = fieldsOf(value, [host]);
  mustBeUsd(provider, [host]);
  return fieldsOf(fieldOf(provider, 'models'), [host, 'models']);
}

function readModel(leftOuts: LeftOuts, host: string, model: string, raw: unknown, at: TablePath): TableEntry {
  const fields = fieldsOf(raw, [host, 'models', nameOf(model, at)]);
  mustBeUsd(fields, at);
  const facts = readFacts(fields);
  const cost = fieldOf(fields, 'cost') ?? undefined;
  const kinds = otherPrices(fields, 'cost');
  const left: Left = { kinds: [...kinds], unknown: kinds.map((key) => [...at, key]) };
  const price =
    cost === undefined ? undefined : readCost(fieldsOf(cost, [...at, 'cost']), fields, [...at, 'cost'], left);
  for (const kind of left.kinds) leftOuts.kind(kind);
  for (const path of left.unknown) leftOuts.key(host, model.replace(/@default$/, ''), path);
  const whole = left.unknown.length === 0 ? price : withoutUnknown(price);
  return { ...facts, ...(whole !== undefined && isMeant(whole, facts) && { price: whole }) };
}

/** What no class takes. */
interface Left {
  readonly kinds: string[];
  readonly unknown: TablePath[];
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

function readCost(cost: Fields, model: Fields, at: TablePath, left: Left): TablePrice | undefined {
  const builder = new RateBuilder();
  readRates(builder, cost, at, left, 0);
  const tiers = fieldOf(cost, 'tiers') ?? [];
  const steps = listOf(tiers, [...at, 'tiers'], stepsMax).map((one, index) => {
    const place = [...at, 'tiers', index];
    const step = fieldsOf(one, place);
    const size = stepOf(fieldOf(step, 'tier'), [...place, 'tier']);
    readRates(builder, step, place, left, size);
    return size;
  });
  const over = fieldOf(cost, 'context_over_200k') ?? undefined;
  if (over !== undefined && !steps.includes(longContextTokens)) {
    const place = [...at, 'context_over_200k'];
    readRates(builder, fieldsOf(over, place), place, left, longContextTokens);
  }
  readModes(builder, model, at.slice(0, -1), left);
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
  left: Left,
  above: number,
  tier?: ServiceTier,
): void {
  mustBeUsd(fields, at);
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || value === undefined || noRates.has(key) || /currency/i.test(key)) continue;
    if (/unit/i.test(key)) throw new TableError([...at, key], `${shown(value)} is a unit that is not known.`);
    const name = Object.hasOwn(rateKeys, key) ? rateKeys[key] : undefined;
    if (name !== undefined) {
      const nano = priceAt(value, [...at, key], (usd) => tokenNano(usd, powers.perMillion));
      builder.set(name, nano, above, tier);
    } else if (value !== 0 && value !== false) {
      left.kinds.push(key);
      left.unknown.push([...at, key]);
    }
  }
}

/** Faster modes with prices of their own, where a service tier selects them. */
function readModes(builder: RateBuilder, model: Fields, at: TablePath, left: Left): void {
  const modes = mapIn(mapIn(model, 'experimental'), 'modes');
  for (const [name, value] of Object.entries(modes ?? {}).slice(0, stepsMax)) {
    if (typeof value !== 'object' || value === null) continue;
    const mode = value as Fields;
    const asked = fieldOf(mapIn(mapIn(mode, 'provider'), 'body') ?? {}, 'service_tier');
    const tier = serviceTiers.find((one) => one === asked);
    const cost = mapIn(mode, 'cost');
    if (tier !== undefined && cost !== undefined)
      readRates(builder, cost, [...at, 'experimental', 'modes', name, 'cost'], left, 0, tier);
  }
}

function mapIn(fields: Fields | undefined, name: string): Fields | undefined {
  const value = fields === undefined ? undefined : fieldOf(fields, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function readFacts(fields: Fields): ModelFacts {
  const limit = mapIn(fields, 'limit') ?? {};
  const kinds = mapIn(fields, 'modalities') ?? {};
  const contextTokens = tokensAt(fieldOf(limit, 'context'));
  const outputTokensMax = tokensAt(fieldOf(limit, 'output'));
  const inputModalities = modalitiesOf(fieldOf(kinds, 'input'));
  const outputModalities = modalitiesOf(fieldOf(kinds, 'output'));
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

function modalitiesOf(value: unknown): readonly Modality[] {
  const said: readonly unknown[] = Array.isArray(value) ? value : [];
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
