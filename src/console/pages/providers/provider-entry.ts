/** Between what people type about a provider and the entry that `weir.yaml` would hold for it. */

import type { PresetView, ProviderEntry } from '../../../admin/contracts/configuration-contract.ts';

/** Every field as its text; an empty one says nothing. */
export interface EntryTexts {
  readonly baseUrl: string;
  readonly region: string;
  readonly proxy: string;
  readonly headers: string;
  readonly models: string;
  readonly results: string;
  /** `yes`, `no`, or empty for what the preset says. */
  readonly routesElsewhere: string;
  readonly reportsCost: string;
  /** JSON, as the entry has it. */
  readonly profiles: string;
  readonly settings: Readonly<Record<string, string>>;
}

export const emptyTexts: EntryTexts = {
  baseUrl: '',
  region: '',
  proxy: '',
  headers: '',
  models: '',
  results: '',
  routesElsewhere: '',
  reportsCost: '',
  profiles: '',
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
    routesElsewhere: textOfSwitch(entry.routes_elsewhere),
    reportsCost: textOfSwitch(entry.reports_cost),
    profiles: entry.profiles === undefined ? '' : JSON.stringify(entry.profiles, undefined, 2),
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
  const profiles = readProfiles(texts.profiles) ?? {};
  const settings = Object.fromEntries(
    Object.entries(texts.settings)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  return {
    ...(before.kind !== undefined && { kind: before.kind }),
    ...(before.enabled !== undefined && { enabled: before.enabled }),
    ...filled('base_url', texts.baseUrl),
    ...filled('region', texts.region),
    ...filled('proxy', texts.proxy),
    ...(texts.results === 'keep' || texts.results === 'proxy' ? { results: texts.results } : {}),
    ...(texts.routesElsewhere !== '' && { routes_elsewhere: texts.routesElsewhere === 'yes' }),
    ...(texts.reportsCost !== '' && { reports_cost: texts.reportsCost === 'yes' }),
    ...(models.length > 0 && { models }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(Object.keys(profiles).length > 0 && { profiles }),
  };
}

function textOfSwitch(value: boolean | undefined): string {
  if (value === undefined) return '';
  return value ? 'yes' : 'no';
}

function filled<Name extends string>(name: Name, text: string): { [Key in Name]?: string } {
  const trimmed = text.trim();
  return trimmed === '' ? {} : ({ [name]: trimmed } as { [Key in Name]?: string });
}

function modelNames(text: string): string[] {
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

/** Nothing where the text is no map of maps; what stands in them the gateway checks. */
export function readProfiles(text: string): NonNullable<ProviderEntry['profiles']> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && Object.values(value).every(isMap) ? (value as Record<string, object>) : undefined;
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Can the texts be sent at all? */
export function isReadable({ headers, profiles }: EntryTexts): boolean {
  return readHeaders(headers) !== undefined && readProfiles(profiles) !== undefined;
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
