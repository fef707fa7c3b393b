/** Checks an entry of the console exactly as the same entry of `weir.yaml` would be: by the file's own schema and readers. */

import { checkTargets, pricesOf, readModels } from '../config/load.ts';
import { type Problem, withoutSecrets } from '../config/problem.ts';
import { type ReadFile, readConfigTree } from '../config/readers/read-file.ts';
import type { ProviderSources } from '../config/readers/read-keys.ts';
import { readFileProvider } from '../config/readers/read-providers.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { secretPartsOf } from '../providers/key-forms.ts';
import type { ModelConfig, PriceConfig, ProviderConfig, ProviderKey } from '../settings/config.ts';
import type { EntrySection } from '../store/configuration/configuration-store.ts';
import { isLinkLocal } from '../upstream/link-local.ts';

export interface EntryMistake {
  /** The place at fault, as the admin interface names it: `entry.base_url`. */
  readonly param: string;
  readonly message: string;
}

interface ReadEntry<Config> {
  /** Absent where it cannot be used at all. */
  readonly config?: Config;
  readonly mistakes: readonly EntryMistake[];
}

const source = 'console';
/** Replicas may have other variables and other files; an entry must mean the same on each of them. */
const nowhere: ProviderSources = { environment: {}, readFile: () => undefined, source };
/** Keys are sealed separately, and a page must not read files of the machine. */
const fileOnly = ['key', 'key_env', 'key_file', 'keys', 'ca_file'];

export function readProviderEntry(name: string, entry: Tree, keys: readonly ProviderKey[]): ReadEntry<ProviderConfig> {
  const foreign = Object.keys(entry).filter((field) => fileOnly.includes(field));
  if (foreign.length > 0) return { mistakes: foreign.map(fileOnlyMistake) };
  const written = keys.length === 0 ? entry : { ...entry, keys: keys.map(({ id, value }) => ({ id, key: value })) };
  const read = readConfigTree({ providers: { [name]: written } }, source);
  const secrets = [...read.secrets, ...keys.flatMap(({ value }) => secretPartsOf(value))];
  const mistakesOf = (problems: readonly Problem[]): readonly EntryMistake[] =>
    problems.map((problem) => mistakeOf('providers', name, withoutSecrets(problem, secrets)));
  const content = soleOf(read, read.content.providers, name);
  if (content === undefined) return { mistakes: mistakesOf(problemsOf(read, 'providers', name)) };
  const { value, problems } = readFileProvider(name, content, nowhere);
  const mistakes = [...mistakesOf(problems), ...linkLocalMistakes(entry)];
  if (value === undefined) return { mistakes };
  return { config: { ...value, origin: 'console' }, mistakes };
}

/** An alias with missing providers is kept for the remaining ones. */
export function readRouteEntry(alias: string, entry: Tree, known: ReadonlySet<string>): ReadEntry<ModelConfig> {
  const read = readConfigTree({ models: { [alias]: entry } }, source);
  const mistakesOf = (problems: readonly Problem[]): readonly EntryMistake[] =>
    problems.map((problem) => mistakeOf('models', alias, problem));
  const content = soleOf(read, read.content.models, alias);
  if (content === undefined) return { mistakes: mistakesOf(problemsOf(read, 'models', alias)) };
  const stars = alias.split('*').length - 1;
  if (stars > 1) return { mistakes: [{ param: 'alias', message: 'alias: found several *; allowed: one at most' }] };
  const [config] = readModels({ models: { [alias]: content } });
  if (config === undefined) return { mistakes: [] };
  return { config, mistakes: mistakesOf(checkTargets([config], known, source)) };
}

export function readPriceEntry(pattern: string, entry: Tree): ReadEntry<PriceConfig> {
  const read = readConfigTree({ prices: { [pattern]: entry } }, source);
  const content = soleOf(read, read.content.prices, pattern);
  if (content === undefined) {
    return { mistakes: problemsOf(read, 'prices', pattern).map((problem) => mistakeOf('prices', pattern, problem)) };
  }
  const [config] = pricesOf({ prices: { [pattern]: content } });
  return config === undefined ? { mistakes: [] } : { config, mistakes: [] };
}

/** The entry, where nothing is wrong with it. */
function soleOf<Entry>(
  { problems }: ReadFile,
  entries: Readonly<Record<string, Entry>>,
  name: string,
): Entry | undefined {
  return problems.length === 0 && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** A name such as `__proto__` passes every rule and is then absent. */
function problemsOf({ problems }: ReadFile, section: ReadSection, name: string): readonly Problem[] {
  if (problems.length > 0) return problems;
  return [{ key: `${section}.${name}`, source, found: 'a name that is not allowed', allowed: 'another name' }];
}

/** A pause has no content to read. */
type ReadSection = Exclude<EntrySection, 'pauses'>;

const nameFields: Readonly<Record<ReadSection, string>> = { providers: 'name', models: 'alias', prices: 'pattern' };

function mistakeOf(section: ReadSection, name: string, problem: Problem): EntryMistake {
  const whole = `${section}.${name}`;
  const rest = problem.key.startsWith(whole) ? problem.key.slice(whole.length) : '';
  const aboutName = rest === '' && /\bname\b/.test(problem.found);
  const param = aboutName ? nameFields[section] : (keyParam(rest) ?? `entry${rest}`);
  const { found, suggestion } = problem;
  if (param === 'entry.base_url' && found.startsWith('"') && !found.includes('://')) {
    return { param, message: `${param}: Add http:// or https:// in front.` };
  }
  const allowed = param === 'keys' ? 'one key or more' : problem.allowed;
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return { param, message: `${param}: found ${found}; allowed: ${allowed}${hint}` };
}

/** Keys come beside the entry, each with a value. */
function keyParam(rest: string): string | undefined {
  if (rest === '.key') return 'keys';
  const [, index] = /^\.keys\[(\d+)\](?:\.key)?$/.exec(rest) ?? [];
  return index === undefined ? undefined : `keys[${index}].value`;
}

function fileOnlyMistake(field: string): EntryMistake {
  const param = `entry.${field}`;
  const instead = field === 'ca_file' ? 'certificates in weir.yaml alone' : 'keys beside the entry';
  return { param, message: `${param}: found a setting that only weir.yaml can have; allowed: ${instead}` };
}

/** By the host as written; what a name resolves to is checked when connecting. */
function linkLocalMistakes(entry: Tree): EntryMistake[] {
  return (['base_url', 'proxy'] as const).flatMap((field) => {
    const value = entry[field];
    const host =
      typeof value === 'string' ? URL.parse(value.includes('://') ? value : `http://${value}`)?.hostname : '';
    if (host === undefined || !isLinkLocal(host)) return [];
    const param = `entry.${field}`;
    const found = 'an address from which a machine gets its own credentials';
    return [{ param, message: `${param}: found ${found}; allowed: one of a provider` }];
  });
}
