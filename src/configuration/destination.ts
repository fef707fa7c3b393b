/**
 * Where a provider's credentials are sent. A secret that was entered for one destination must not follow to another
 * one: a person who may change an entry must not be able to read the secrets in it.
 */

import { hidden } from '../config/problem.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';

/** Proxies and gateways in front of a provider route by such headers. */
const routingHeader = /host|forward|target|upstream|destination|proxy|route|^x-original-url$|^x-rewrite-url$/i;

/** The fields of the entry that changed the destination, as `weir.yaml` spells them; none where it is the same. */
export function changedDestination(
  before: Tree,
  after: Tree,
  baseUrlOf: (kind: string) => string | undefined,
  name: string,
): readonly string[] {
  const kinds = [before, after].map((entry) => textOf(entry['kind']) ?? name);
  const urls = [before, after].map((entry, index) => {
    return plainUrl(textOf(entry['base_url']) ?? baseUrlOf(kinds[index] ?? '') ?? '');
  });
  const changed: string[] = [];
  if (kinds[0] !== kinds[1]) changed.push('kind');
  if (urls[0] !== urls[1] && !(changed.length > 0 && before['base_url'] === after['base_url'])) {
    changed.push('base_url');
  }
  if ((textOf(before['proxy']) ?? '') !== (textOf(after['proxy']) ?? '')) changed.push('proxy');
  changed.push(...changedFields(before, after, 'settings', () => true));
  changed.push(...changedFields(before, after, 'headers', (header) => routingHeader.test(header)));
  return changed;
}

/** A slash at the end and the case of the host mean nothing. */
function plainUrl(text: string): string {
  return (URL.parse(text)?.href ?? text).replace(/\/+$/, '');
}

function changedFields(before: Tree, after: Tree, field: string, counts: (name: string) => boolean): string[] {
  const old = mapOf(before[field]);
  const next = mapOf(after[field]);
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names]
    .filter((name) => counts(name) && String(old[name] ?? '') !== String(next[name] ?? ''))
    .map((name) => `${field}.${name}`);
}

/** The entry without the header values that its writer could not see, and the names of these headers. */
export function withoutHiddenHeaders(entry: Tree): { readonly entry: Tree; readonly headers: readonly string[] } {
  const given = mapOf(entry['headers']);
  const headers = Object.keys(given).filter((name) => given[name] === hidden);
  if (headers.length === 0) return { entry, headers };
  const left = Object.fromEntries(Object.entries(given).filter(([name]) => !headers.includes(name)));
  return { entry: { ...entry, headers: left }, headers };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const mapOf = (value: unknown): Tree => (isObject(value) ? value : {});
