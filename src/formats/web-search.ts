/** The settings of a web search that several formats have, read from and written to the fields that they share. */

import { countOf, isObject, type Tree } from '../conversation/json-tree.ts';
import type { LossList } from '../conversation/loss-list.ts';
import type { HostedTool, WebSearch } from '../conversation/text-request.ts';

type Search = Extract<HostedTool, { kind: 'web-search' }>;

const placeNames = ['city', 'region', 'country', 'timezone'] as const;

/**
 * Searches as xAI counts them in the usage of several formats: of the web and of its own network, at one price.
 * https://docs.x.ai/developers/pricing (read 2026-11-16)
 */
export function searchCalls(details: unknown): number | undefined {
  if (!isObject(details)) return undefined;
  const [web, own] = [countOf(details['web_search_calls']), countOf(details['x_search_calls'])];
  return web === undefined && own === undefined ? undefined : (web ?? 0) + (own ?? 0);
}

/** What `read` makes of a field, which is then removed from the others; what it cannot read stays with its format. */
export function take<Value>(
  others: Record<string, unknown>,
  name: string,
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  const value = read(others[name]);
  if (value !== undefined || others[name] === null) delete others[name];
  return value;
}

export function readLocation(value: unknown): WebSearch['location'] {
  if (!isObject(value)) return undefined;
  const location: Record<string, string> = {};
  for (const name of placeNames) {
    const said = value[name];
    if (typeof said === 'string' && said !== '') location[name] = said;
  }
  return Object.keys(location).length === 0 ? undefined : location;
}

export function readDomains(value: unknown): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string');
  return isList ? value : undefined;
}

export function readWord(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The search with what was read of it, and with the format's other fields for the format alone. */
export function searchOf(search: WebSearch, format: string, others: Tree): Search {
  return {
    kind: 'web-search',
    ...(Object.keys(search).length > 0 && { search }),
    ...(Object.keys(others).length > 0 && { extras: { format, fields: others } }),
  };
}

const labels: Readonly<Record<keyof WebSearch, string>> = {
  allowedDomains: 'allowed domains',
  blockedDomains: 'blocked domains',
  location: 'user location',
  contextSize: 'context size',
  usesMax: 'number of uses',
};

/** The format's own fields of a search; everything that neither they nor `supported` carry is reported. */
export function ownFields(
  tool: Search,
  format: string,
  supported: readonly (keyof WebSearch)[],
  losses: LossList,
): Tree {
  for (const name of Object.keys(tool.search ?? {}) as (keyof WebSearch)[]) {
    if (!supported.includes(name)) losses.add(`web search ${labels[name]}`, 'is not supported by the format');
  }
  const { extras } = tool;
  if (extras === undefined || extras.format === format) return extras?.fields ?? {};
  // Which edition of the search it is means nothing elsewhere.
  const { type: _, ...fields } = extras.fields;
  losses.addForeign({ format: extras.format, fields }, format, 'web search ');
  return {};
}
