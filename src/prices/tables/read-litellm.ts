/** LiteLLM, model_prices_and_context_window.json: models by name, in USD for one of each unit. https://github.com/BerriAI/litellm (its JSON schema; read 2026-11-16). */

import { imageVariant } from './litellm-names.ts';
import { litellmPrice } from './litellm-prices.ts';
import { TableRows } from './map-table.ts';
import {
  isPaid,
  type Modality,
  type ModelCapabilities,
  type ModelFacts,
  modalities,
  type PriceTable,
  type TablePrice,
  withoutUnknown,
} from './table.ts';
import { dayAt, type Fields, fieldOf, fieldsOf, isFields, isName, mustBeUsd, nameOf, tokensAt } from './table-error.ts';

/** Entries that are no models. */
const noModels: ReadonlySet<string> = new Set(['sample_spec', 'fallback_generalizations']);

interface Variant {
  readonly host: string;
  readonly model: string;
  readonly kind: string;
  /** Undefined where it cannot be read. */
  readonly nano: bigint | undefined;
}

export function readLitellm(raw: unknown, version: string, asOf?: string): PriceTable {
  const rows = new TableRows();
  const variants: Variant[] = [];
  const models = Object.entries(fieldsOf(raw, [])).filter(([key]) => !noModels.has(key));
  for (const [key, value] of models) {
    const { host, model, kind, pixels } = nameIn(key, value);
    const read = rows.leftOuts.tried(host, model, () => readModel(key, value));
    if (read === undefined) {
      if (host === '') rows.leftOuts.alsoNamed(host, key);
      if (kind !== undefined) variants.push({ host, model, kind, nano: undefined });
      else if (host !== '' && isName(key)) rows.add(host, model, factsIn(value));
      continue;
    }
    for (const each of read.left) rows.leftOuts.kind(each);
    for (const path of read.unknown) rows.leftOuts.key(host, model, path);
    // It writes 0 also for what it does not know.
    const price = read.price !== undefined && isPaid(read.price) ? read.price : undefined;
    if (kind === undefined) {
      rows.add(host, model, { ...factsIn(value), ...(price !== undefined && { price }) });
      continue;
    }
    const nano = price?.units?.images ?? (pixels === undefined ? undefined : read.pixelNano(pixels));
    const isUnknown = read.unknown.length > 0;
    if (isUnknown || (nano ?? 0n) > 0n) variants.push({ host, model, kind, nano: isUnknown ? undefined : nano });
  }
  foldVariants(rows, variants);
  rows.leftOuts.check(models.length);
  return rows.table({ source: 'litellm', version, ...(asOf !== undefined && { asOf }) });
}

/** A model without a readable host is that of the prefix of its name, for kinds of images, or of no host. */
function nameIn(key: string, value: unknown): { readonly host: string } & ReturnType<typeof imageVariant> {
  const said = isFields(value) ? fieldOf(value, 'litellm_provider') : undefined;
  const host = typeof said === 'string' && isName(said) ? said : '';
  return { host, ...imageVariant(key, host === '' ? (key.split('/')[0] ?? '') : host) };
}

function readModel(key: string, value: unknown): ReturnType<typeof litellmPrice> {
  const fields = fieldsOf(value, [nameOf(key, [key])]);
  mustBeUsd(fields, [key]);
  nameOf(fieldOf(fields, 'litellm_provider'), [key, 'litellm_provider']);
  return litellmPrice(fields, key);
}

const factsIn = (value: unknown): ModelFacts => (isFields(value) ? factsOf(value) : {});

/** Prices of single sizes and qualities belong to their model, unless that is sold by tokens: both would charge an image twice. */
function foldVariants(rows: TableRows, variants: readonly Variant[]): void {
  const byModel = Map.groupBy(variants, ({ host, model }) => `${host}\n${model}`);
  for (const group of byModel.values()) {
    const [first] = group;
    if (first === undefined || first.host === '') continue;
    const { host, model } = first;
    const known = rows.entryOf(host, model);
    if (known === undefined) rows.add(host, model, {});
    const price = known?.price;
    if (price !== undefined && isSoldByTokens(price)) continue;
    const imagesOf: Record<string, bigint> = Object.create(null) as Record<string, bigint>;
    // Of several numbers of steps, which no request gives, the most expensive counts.
    for (const { kind, nano = 0n } of group) if (nano > 0n && (imagesOf[kind] ?? 0n) < nano) imagesOf[kind] = nano;
    const units = { ...price?.units, ...(Object.keys(imagesOf).length > 0 && { imagesOf: { ...imagesOf } }) };
    const folded: TablePrice = { ...price, ...(Object.keys(units).length > 0 && { units }) };
    // An image of a kind that cannot be read would be charged as another one.
    const isWhole = price?.incomplete !== true && group.every(({ nano }) => nano !== undefined);
    const meant = isWhole ? folded : withoutUnknown(folded);
    const { price: _, ...facts } = known ?? {};
    rows.replace(host, model, { ...facts, ...(meant !== undefined && { price: meant }) });
  }
}

function isSoldByTokens({ output, outputImage }: TablePrice): boolean {
  return (output?.nanoPerMillion ?? 0n) > 0n || (outputImage?.nanoPerMillion ?? 0n) > 0n;
}

function factsOf(fields: Fields): ModelFacts {
  const [input, output, legacy] = ['max_input_tokens', 'max_output_tokens', 'max_tokens'].map((name) =>
    tokensAt(fieldOf(fields, name)),
  );
  const isChat = ['chat', 'completion', 'responses'].includes(String(fieldOf(fields, 'mode')));
  const contextTokens = input ?? (isChat ? undefined : legacy);
  // Without a largest output of its own the older field is one, where it is no larger than the input.
  const outputTokensMax = output ?? (isChat && legacy !== input ? legacy : undefined);
  const shutdownAt = dayAt(fieldOf(fields, 'deprecation_date'));
  const capabilities = capabilitiesOf(fields);
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...modalitiesOf(fields),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
    ...(shutdownAt !== undefined && { shutdownAt }),
  };
}

function modalitiesOf(fields: Fields): Pick<ModelFacts, 'inputModalities' | 'outputModalities'> {
  const kindsIn = (name: string): readonly Modality[] => {
    const said = fieldOf(fields, name);
    return Array.isArray(said) ? modalities.filter((kind) => said.includes(kind)) : [];
  };
  const input = kindsIn('supported_modalities');
  const output = kindsIn('supported_output_modalities');
  return {
    ...(input.length > 0 && { inputModalities: input }),
    ...(output.length > 0 && { outputModalities: output }),
  };
}

const capabilityKeys: readonly (readonly [keyof ModelCapabilities, string])[] = [
  ['tools', 'supports_function_calling'],
  ['structuredOutput', 'supports_response_schema'],
  ['reasoning', 'supports_reasoning'],
  ['caching', 'supports_prompt_caching'],
  ['webSearch', 'supports_web_search'],
];

/** Flags are left out where they are unknown or false. */
function capabilitiesOf(fields: Fields): ModelCapabilities {
  return Object.fromEntries(
    capabilityKeys.flatMap(([name, key]) => {
      const value = fieldOf(fields, key);
      return typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );
}
