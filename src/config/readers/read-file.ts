/** Turns the text of `weir.yaml` into checked content, or into the list of everything that is wrong with it. */

import type { z } from 'zod';
import { settingList } from '../../settings/settings.ts';
import { withLines } from '../entry-lines.ts';
import { type FileContent, fileSchemaFor, knownKeysAt } from '../file-schema.ts';
import type { FileJwtIssuers } from '../jwt-schema.ts';
import { nearestName } from '../nearest-name.ts';
import { hidden, type Problem, showFound } from '../problem.ts';
import type { FileIssuers, FileRules } from '../sign-in-schema.ts';
import { passwordsIn } from './read-egress.ts';
import { withTableSettings } from './read-price-tables.ts';

const emptyFile: FileContent = {
  scalars: new Map(),
  providers: {},
  models: {},
  prices: {},
  issuers: {},
  jwtIssuers: {},
  scimRules: [],
};

export interface ReadFile {
  readonly content: FileContent;
  /** Every provider that the file names, those with mistakes included: a target may refer to them. */
  readonly providerNames: readonly string[];
  readonly problems: readonly Problem[];
  /** Values that no message may repeat. */
  readonly secrets: readonly string[];
}

export const noFile: ReadFile = { content: emptyFile, providerNames: [], problems: [], secrets: [] };

export function readConfigText(text: string, source: string): ReadFile {
  let raw: unknown;
  try {
    raw = Bun.YAML.parse(text) ?? {};
  } catch (error) {
    return { ...noFile, problems: [yamlProblem(error, text, source)] };
  }
  const read = readConfigTree(raw, source);
  return { ...read, problems: [...doubledSections(text, source), ...withLines(read.problems, text, source)] };
}

/** The same for content that is already parsed. */
export function readConfigTree(given: unknown, source: string): ReadFile {
  const raw = withTableSettings(given);
  const secrets = secretsIn(raw);
  const result = fileSchemaFor(raw).safeParse(raw);
  if (result.success) {
    const content = toContent(result.data);
    return { content, providerNames: Object.keys(content.providers), problems: [], secrets };
  }
  const problems = result.error.issues.flatMap((issue) => toProblems(issue, raw, source));
  const content = salvage(raw, result.error);
  const providerNames = Object.keys(valueAt(raw, ['providers']) ?? {});
  return { content, providerNames, problems: firstPerKey(problems), secrets };
}

function toContent(data: z.output<ReturnType<typeof fileSchemaFor>>): FileContent {
  const scalars = new Map<string, unknown>();
  for (const row of settingList) {
    const value = valueAt(data, row.key.split('.'));
    if (row.variableOnly !== true && value !== undefined && value !== null) scalars.set(row.key, value);
  }
  // The schemas of the sections were made from rows, which hides their types.
  const issuers = (valueAt(data, ['sign_in', 'issuers']) ?? {}) as FileIssuers;
  const jwtIssuers = (valueAt(data, ['jwt', 'issuers']) ?? {}) as FileJwtIssuers;
  const scimRules = (valueAt(data, ['scim', 'rules']) ?? []) as FileRules;
  const { providers = {}, models = {}, prices = {} } = data;
  return { scalars, providers, models, prices, issuers, jwtIssuers, scimRules };
}

/**
 * What can still be read of a file with mistakes, so that the checks across keys run too and one start shows everything:
 * the entries at fault are taken out and the rest is read again.
 */
function salvage(raw: unknown, error: z.ZodError): FileContent {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return emptyFile;
  const copy = structuredClone(raw);
  for (const issue of error.issues) {
    // Half a provider, alias or price would only cause more messages; an unknown key beside good ones would not.
    const entryDepth = issue.path[1] === 'issuers' ? 3 : 2;
    const paths =
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => [...issue.path, key])
        : [issue.path.slice(0, entryDepth)];
    for (const path of paths) removeAt(copy, path);
  }
  const again = fileSchemaFor(copy).safeParse(copy);
  return again.success ? toContent(again.data) : emptyFile;
}

function removeAt(root: object, path: readonly PropertyKey[]): void {
  const last = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (last !== undefined && typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
}

function toProblems(issue: z.core.$ZodIssue, raw: unknown, source: string): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeysAt(issue.path);
    return issue.keys.map((name) => {
      const suggestion = nearestName(name, known);
      const key = keyText([...issue.path, name]);
      const problem = { key, source, found: 'an unknown key', allowed: known.join(', ') };
      return suggestion === undefined ? problem : { ...problem, suggestion };
    });
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues[0]?.message ?? issue.message;
    return [{ key: keyText(issue.path), source, found: 'a name that is not allowed', allowed }];
  }
  const value = valueAt(raw, issue.path);
  const found = isSecretPath(issue.path) && value !== undefined && value !== null ? hidden : showFound(value);
  return [{ key: keyText(issue.path) || source, source, found, allowed: issue.message }];
}

/** One value can break several rules of the same sentence; it is reported once. */
function firstPerKey(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => !seen.has(problem.key) && seen.add(problem.key));
}

function isSecretPath(path: readonly PropertyKey[]): boolean {
  const inProvider = path[0] === 'providers' && path.length > 2;
  if (inProvider) return ['key', 'keys', 'headers', 'proxy'].some((secret) => path.includes(secret));
  return path[0] === 'sign_in' && path[1] === 'issuers' && path[3] === 'client_secret';
}

function secretsIn(raw: unknown): string[] {
  const secrets: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') secrets.push(String(value));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  const issuers = valueAt(raw, ['sign_in', 'issuers']);
  if (typeof issuers === 'object' && issuers !== null) {
    for (const issuer of Object.values(issuers)) collect(valueAt(issuer, ['client_secret']));
  }
  const providers = valueAt(raw, ['providers']);
  if (typeof providers !== 'object' || providers === null) return secrets;
  for (const provider of Object.values(providers)) {
    collect(valueAt(provider, ['key']));
    collect(valueAt(provider, ['headers']));
    const proxy = valueAt(provider, ['proxy']);
    if (typeof proxy === 'string') secrets.push(...passwordsIn(proxy));
    const keys = valueAt(provider, ['keys']);
    for (const entry of Array.isArray(keys) ? keys : [keys]) {
      collect(typeof entry === 'object' ? valueAt(entry, ['key']) : entry);
    }
  }
  return secrets;
}

function keyText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`))
    .join('');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/**
 * The parser keeps the last of two equal keys without an error; a section written twice would silently lose the first.
 */
function doubledSections(text: string, source: string): Problem[] {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const name = /^([a-z_]+):/.exec(line)?.[1];
    if (name === undefined) continue;
    const found = { found: 'the section twice', allowed: 'every section once' };
    if (seen.has(name)) problems.push({ key: name, source, line: index + 1, ...found });
    seen.add(name);
  }
  return problems;
}

/** The parser gives no line, so it is found as the end of the longest beginning that still reads. */
function yamlProblem(error: unknown, text: string, source: string): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n');
  let good = Math.min(lines.length - 1, 2000);
  while (good > 0 && !reads(lines.slice(0, good).join('\n'))) good--;
  return { key: source, source, found: `${message} near line ${good + 1}`, allowed: 'YAML' };
}

function reads(text: string): boolean {
  try {
    Bun.YAML.parse(text);
    return true;
  } catch {
    return false;
  }
}
