/** Environment and `weir.yaml` become one frozen Config here, or one error that lists every mistake. */

import { isAbsolute, join } from 'node:path';
import { isLookedFor, presetByName, presets } from '../providers/presets.ts';
import type {
  Config,
  EgressConfig,
  ModelConfig,
  PriceConfig,
  ProviderConfig,
  TargetConditions,
} from '../settings/config.ts';
import { type SettingValues, settingList, settingSections } from '../settings/settings.ts';
import { entryLines, withLines } from './entry-lines.ts';
import type { FileContent } from './file-schema.ts';
import { readJwtIssuers } from './jwt-schema.ts';
import { nearestName } from './nearest-name.ts';
import { priceConfig } from './price-schema.ts';
import { ConfigError, type Problem, showFound, withoutSecrets } from './problem.ts';
import { bucketOf, bucketProblems } from './readers/read-bucket.ts';
import { passwordsIn, readEgress, withProxyVariables } from './readers/read-egress.ts';
import { noFile, type ReadFile, readConfigText } from './readers/read-file.ts';
import { keyVariableValues, type ProviderSources } from './readers/read-keys.ts';
import { discoverProviders, readFileProvider, sandboxName } from './readers/read-providers.ts';
import { type Environment, type ReadScalars, readScalars, variableValue } from './readers/read-scalars.ts';
import { readTelemetry } from './readers/read-telemetry.ts';
import { readIssuers, rulesOf } from './sign-in-schema.ts';

interface ConfigSources {
  readonly environment: Environment;
  /** The text of a file, or nothing where there is none; throws where it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
  readonly workingFolder: string;
  /** Is the output read by a person? Decides the default of `log.format`. */
  readonly isTerminal?: boolean;
}

interface OpenedFile {
  readonly path: string | undefined;
  /** The name that messages use. */
  readonly source: string;
  readonly read: ReadFile;
  readonly text: string;
  readonly lines: Readonly<Record<string, number>>;
}

export const defaultFile = 'weir.yaml';

export function loadConfig(given: ConfigSources): Config {
  const sources = { ...given, environment: withProxyVariables(given.environment) };
  const file = openFile(sources);
  const { content } = file.read;
  const logFormat: Partial<SettingValues> = sources.isTerminal === false ? { 'log.format': 'json' } : {};
  const scalars = readScalars(sources.environment, content.scalars, logFormat);
  const providerSources: ProviderSources = {
    environment: sources.environment,
    readFile: (path) => readWithin(sources, path).text,
    source: file.source,
  };
  const providers = readProviders(file.read, providerSources, scalars.values);
  const egress = readEgress(scalars.values, scalars.settings, providerSources);
  const models = readModels(content);
  const issuers = readIssuers(content.issuers, providerSources);
  const jwt = readJwtIssuers(content.jwtIssuers, file.source);
  const problems = [
    ...file.read.problems,
    ...scalars.problems,
    ...providers.problems,
    ...egress.problems,
    ...bucketProblems(scalars.values),
    ...readTelemetry(scalars.values).problems,
    ...issuers.problems,
    ...jwt.problems,
    ...checkTargets(models, knownProviders(file.read, providers.list, scalars.values), file.source),
  ];
  if (problems.length > 0) {
    const secrets = [
      ...file.read.secrets,
      ...environmentSecrets(sources.environment),
      ...keyValues(providers.list),
      ...issuers.list.flatMap(({ clientSecret }) => clientSecret ?? []),
    ];
    const found = withLines(problems, file.text, file.source);
    throw new ConfigError(found.map((problem) => withoutSecrets(problem, secrets)));
  }
  const { lines } = file;
  const config = assemble(scalars, egress.value, file.path, providers.list, models, content);
  const signIn = { ...config.signIn, issuers: issuers.list };
  return deepFreeze({ ...config, signIn, jwt: { issuers: jwt.list }, lines });
}

function openFile(sources: ConfigSources): OpenedFile {
  const named = variableValue(sources.environment, 'WEIR_CONFIG');
  const source = named ?? defaultFile;
  const { path, text, failure } = readWithin(sources, source);
  if (text !== undefined) return { path, source, read: readConfigText(text, source), text, lines: entryLines(text) };
  if (named === undefined && failure === undefined)
    return { path: undefined, source, read: noFile, text: '', lines: {} };
  const place = named === undefined ? source : 'WEIR_CONFIG';
  const unreadable: Problem = {
    key: place,
    source: place,
    found: `${showFound(source)}, which ${failure === undefined ? 'does not exist' : `cannot be read (${failure})`}`,
    allowed: 'the path of a readable file',
  };
  return { path: undefined, source, read: { ...noFile, problems: [unreadable] }, text: '', lines: {} };
}

/** A file that exists but may not be read is a mistake to report, not an absent file. */
function readWithin(
  sources: ConfigSources,
  name: string,
): { path: string; text?: string | undefined; failure?: string } {
  const path = isAbsolute(name) ? name : join(sources.workingFolder, name);
  try {
    return { path, text: sources.readFile(path) };
  } catch (error) {
    return { path, failure: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable' };
  }
}

function readProviders(file: ReadFile, sources: ProviderSources, values: SettingValues) {
  const list: ProviderConfig[] = [];
  const problems: Problem[] = [];
  for (const [name, entry] of Object.entries(file.content.providers)) {
    const read = readFileProvider(name, entry, sources);
    problems.push(...read.problems);
    if (read.value !== undefined) list.push(read.value);
  }
  const taken = new Set(file.providerNames);
  if (values['discovery.environment']) {
    const discovered = discoverProviders(sources, taken);
    problems.push(...discovered.problems);
    list.push(...(discovered.value ?? []));
  }
  return { list, problems };
}

export function readModels(content: Pick<FileContent, 'models'>): ModelConfig[] {
  return Object.entries(content.models).map(([alias, { targets, moderation: at, choose, affinity }]) => ({
    alias,
    targets: targets.map(({ only, first_event_timeout_ms: firstEventTimeoutMs, ...target }) => ({
      ...target,
      ...(only !== undefined && { conditions: conditionsOf(only) }),
      ...(firstEventTimeoutMs !== undefined && { firstEventTimeoutMs }),
    })),
    ...(choose !== undefined && { choose }),
    ...(affinity !== undefined && { affinity }),
    ...(at !== undefined && { moderation: { before: at !== 'after', after: at !== 'before' } }),
  }));
}

type FileTarget = FileContent['models'][string]['targets'][number];

function conditionsOf({ input_tokens_max, ...rest }: NonNullable<FileTarget['only']>): TargetConditions {
  return { ...rest, ...(input_tokens_max !== undefined && { inputTokensMax: input_tokens_max }) };
}

/** Names that a target may use. Local servers are discovered later, so their names count while discovery is on. */
function knownProviders(file: ReadFile, list: readonly ProviderConfig[], values: SettingValues): ReadonlySet<string> {
  const local = values['discovery.local'] ? presets.filter(isLookedFor) : [];
  const sandbox = values['sandbox.enabled'] ? [sandboxName] : [];
  return new Set([
    ...file.providerNames,
    ...list.map((provider) => provider.name),
    ...local.map((preset) => preset.name),
    ...sandbox,
  ]);
}

export function checkTargets(models: readonly ModelConfig[], known: ReadonlySet<string>, source: string): Problem[] {
  return models.flatMap(({ alias, targets }) =>
    targets.flatMap(({ provider }, index) => {
      if (known.has(provider)) return [];
      const key = `models.${alias}.targets[${index}].provider`;
      const variable = presetByName(provider)?.keyVariables[0];
      const found = variable === undefined ? showFound(provider) : `${showFound(provider)}, which has no key`;
      const allowed =
        variable === undefined ? `one of ${[...known].join(', ')}` : `set ${variable} or list it under providers`;
      const suggestion = variable === undefined ? nearestName(provider, known) : undefined;
      const problem: Problem = { key, source, found, allowed };
      return [suggestion === undefined ? problem : { ...problem, suggestion }];
    }),
  );
}

function assemble(
  { values, settings }: ReadScalars,
  egress: EgressConfig,
  configFile: string | undefined,
  providers: readonly ProviderConfig[],
  models: readonly ModelConfig[],
  content: FileContent,
): Config {
  const { config: _, ...sections } = settingSections(values);
  return {
    ...sections,
    server: { ...sections.server, configFile },
    egress,
    signIn: { ...sections.signIn, issuers: [] },
    jwt: { issuers: [] },
    scim: { ...sections.scim, rules: rulesOf(content.scimRules) },
    telemetry: readTelemetry(values).value,
    bucket: bucketOf(values),
    providers,
    models,
    prices: pricesOf(content),
    settings,
  };
}

export function pricesOf(content: Pick<FileContent, 'prices'>): PriceConfig[] {
  return Object.entries(content.prices).map(([pattern, price]) => priceConfig(pattern, price));
}

function environmentSecrets(environment: Environment): string[] {
  const own = settingList.filter((row) => row.secret === true).flatMap((row) => environment[row.variable] ?? []);
  const passwords = settingList
    .filter((row) => row.hasPassword === true)
    .flatMap((row) => (environment[row.variable] ?? '').split(',').flatMap((part) => passwordsIn(part.trim())));
  return [...own, ...passwords, ...keyVariableValues(environment)];
}

function keyValues(providers: readonly ProviderConfig[]): string[] {
  return providers.flatMap((provider) => provider.keys.map((key) => key.value));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
