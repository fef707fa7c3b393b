/** Between what people type about a provider and the entry that `weir.yaml` would hold for it. */

import type { PresetView, ProviderEntry } from '../../../admin/configuration-contract.ts';

/** Every field as its text; an empty one says nothing. */
export interface EntryTexts {
  readonly baseUrl: string;
  readonly region: string;
  readonly proxy: string;
  readonly headers: string;
  readonly models: string;
  readonly results: string;
  readonly settings: Readonly<Record<string, string>>;
}

export const emptyTexts: EntryTexts = {
  baseUrl: '',
  region: '',
  proxy: '',
  headers: '',
  models: '',
  results: '',
  settings: {},
};

export function textsOfEntry(entry: ProviderEntry): EntryTexts {
  return {
    baseUrl: entry.base_url ?? '',
    region: entry.region ?? '',
    proxy: entry.proxy ?? '',
    headers: Object.entries(entry.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    models: (entry.models ?? []).join('\n'),
    results: entry.results ?? '',
    settings: entry.settings ?? {},
  };
}

/** Would the provider's keys be sent to another address? The gateway decides; this is for asking in time. */
export function leadsElsewhere(texts: EntryTexts, before: EntryTexts): boolean {
  const place = ({ baseUrl, proxy, settings }: EntryTexts): string =>
    JSON.stringify([baseUrl.trim().replace(/\/+$/, ''), proxy.trim(), Object.entries(settings).toSorted()]);
  return place(texts) !== place(before);
}

/** What the texts do not speak of stays as it was. */
export function entryOfTexts(texts: EntryTexts, before: ProviderEntry): ProviderEntry {
  const models = modelNames(texts.models);
  const headers = readHeaders(texts.headers) ?? {};
  const settings = Object.fromEntries(
    Object.entries(texts.settings)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  return {
    ...(before.kind !== undefined && { kind: before.kind }),
    ...(before.enabled !== undefined && { enabled: before.enabled }),
    ...(before.profiles !== undefined && { profiles: before.profiles }),
    ...filled('base_url', texts.baseUrl),
    ...filled('region', texts.region),
    ...filled('proxy', texts.proxy),
    ...(texts.results === 'keep' || texts.results === 'proxy' ? { results: texts.results } : {}),
    ...(models.length > 0 && { models }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

function filled<Name extends string>(name: Name, text: string): { [Key in Name]?: string } {
  const trimmed = text.trim();
  return trimmed === '' ? {} : ({ [name]: trimmed } as { [Key in Name]?: string });
}

export function modelNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** Nothing where a line is no header. */
export function readHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const match = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (match === null) return undefined;
    headers[match[1] ?? ''] = match[2] ?? '';
  }
  return headers;
}

/** The preset's own name where it is free, else the first with a number behind. */
export function freeName(kind: string, taken: readonly string[]): string {
  if (!taken.includes(kind)) return kind;
  for (let number = 2; ; number += 1) {
    const name = `${kind}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

export interface DraftProvider {
  readonly name: string;
  readonly key: string;
  readonly texts: EntryTexts;
}

/** Names of the fields that are still to be filled in. */
export function missingFields({ name, key, texts }: DraftProvider, preset: PresetView): ReadonlySet<string> {
  const missing = new Set<string>();
  if (name.trim() === '') missing.add('name');
  if (preset.needsKey && key.trim() === '') missing.add('key');
  if (preset.needsBaseUrl && texts.baseUrl.trim() === '') missing.add('baseUrl');
  for (const setting of preset.settings) {
    if (setting.required && (texts.settings[setting.name] ?? '').trim() === '') missing.add(`settings.${setting.name}`);
  }
  return missing;
}
