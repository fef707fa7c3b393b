/**
 * The credentials in a provider's entry: stored apart from the rest, never shown, and kept when the
 * entry comes back without them.
 */

import { hidden, withoutUrlSecrets } from '../config/problem.ts';
import { passwordsIn } from '../config/readers/read-egress.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { isObject } from '../conversation/json-tree.ts';
import { isSecretHeader } from '../providers/key-forms.ts';

interface SplitEntry {
  readonly open: Tree;
  /** Absent where nothing of it is secret. */
  readonly secret: Tree | undefined;
}

const secretFields = ['headers', 'proxy'] as const;

export function splitEntry(entry: Tree): SplitEntry {
  const open: Record<string, unknown> = { ...entry };
  const secret: Record<string, unknown> = {};
  for (const field of secretFields) {
    if (entry[field] === undefined) continue;
    secret[field] = entry[field];
    delete open[field];
  }
  return { open, secret: Object.keys(secret).length === 0 ? undefined : secret };
}

function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name, value) ? hidden : value]),
  );
}

/** As a page may show it. */
export function shownEntry(entry: Tree): Tree {
  const { headers, proxy } = entry;
  return {
    ...entry,
    ...(isTexts(headers) && { headers: shownHeaders(headers) }),
    ...(typeof proxy === 'string' && { proxy: withoutUrlSecrets(proxy) }),
  };
}

/** Restores the secrets that a page could not see and therefore sent as it was shown. */
export function withUnseen(entry: Tree, before: Tree): Tree {
  const { headers, proxy } = entry;
  const old = before['headers'];
  const next: Record<string, unknown> = { ...entry };
  if (isTexts(headers) && isTexts(old)) {
    const kept = Object.entries(headers).map(([name, value]) => [
      name,
      value === hidden ? (old[name] ?? value) : value,
    ]);
    next['headers'] = Object.fromEntries(kept);
  }
  const oldProxy = before['proxy'];
  if (typeof oldProxy === 'string' && proxy === withoutUrlSecrets(oldProxy)) next['proxy'] = oldProxy;
  return next;
}

/** Headers that were never seen cannot be kept. */
export function unseenHeaders(entry: Tree): readonly string[] {
  const { headers } = entry;
  return isTexts(headers) ? Object.keys(headers).filter((name) => headers[name] === hidden) : [];
}

/** Values that no log line and no reply may repeat. */
export function secretsOf(entry: Tree): readonly string[] {
  const { headers, proxy } = entry;
  const values = isTexts(headers)
    ? Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name, value) ? [value] : []))
    : [];
  return typeof proxy === 'string' ? [...values, ...passwordsIn(proxy)] : values;
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}
