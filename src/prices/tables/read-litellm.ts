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
} from './table.ts';
import { dayAt, type Fields, fieldOf, fieldsOf, mustBeUsd, nameOf, tokensAt } from './table-error.ts';

/** Entries that are no models. */
const noModels: ReadonlySet<string> = new Set(['sample_spec', 'fallback_generalizations']);

interface Variant {
  readonly host: string;
  readonly model: string;
  readonly kind: string;
  readonly nano: bigint;
}

export function readLitellm(raw: unknown, version: string, asOf?: string): PriceTable {
  const rows = new TableRows();
  const variants: Variant[] = [];
  for (const [key, value] of Object.entries(fieldsOf(raw, []))) {
    if (noModels.has(key)) continue;
    const fields = fieldsOf(value, [nameOf(key, [key])]);
    mustBeUsd(fields, [key]);
    const host = nameOf(fieldOf(fields, 'litellm_provider'), [key, 'litellm_provider']);
    const variant = imageVariant(key, host);
    const { price, pixelNano, left } = litellmPrice(fields, key);
    for (const kind of left) rows.left(kind);
    if (variant.kind === undefined) {
      // It writes 0 also for what it does not know.
      const isMeant = price !== undefined && isPaid(price);
      rows.add(host, variant.model, { ...factsOf(fields), ...(isMeant && { price }) });
      continue;
    }
    const nano = price?.units?.images ?? (variant.pixels === undefined ? undefined : pixelNano(variant.pixels));
    if (nano !== undefined && nano > 0n) variants.push({ host, model: variant.model, kind: variant.kind, nano });
  }
  foldVariants(rows, variants);
  return rows.table({ source: 'litellm', version, ...(asOf !== undefined && { asOf }) });
}

/** Prices of single sizes and qualities belong to their model, unless that is sold by tokens: both would charge an image twice. */
function foldVariants(rows: TableRows, variants: readonly Variant[]): void {
  const byModel = Map.groupBy(variants, ({ host, model }) => `${host}\n${model}`);
  for (const group of byModel.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { host, model } = first;
    const known = rows.entryOf(host, model);
    if (known === undefined) rows.add(host, model, {});
    const price = known?.price;
    if (price !== undefined && isSoldByTokens(price)) continue;
    const imagesOf: Record<string, bigint> = Object.create(null) as Record<string, bigint>;
    // Of several numbers of steps, which no request gives, the most expensive counts.
    for (const { kind, nano } of group) if ((imagesOf[kind] ?? 0n) < nano) imagesOf[kind] = nano;
    const units = { ...price?.units, imagesOf: { ...imagesOf } };
    rows.replace(host, model, { ...known, price: { ...price, units } });
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
