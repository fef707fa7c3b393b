/**
 * Merges the operator's configuration with the console's: the file, the environment and this machine take precedence,
 * and a console entry without effect gets the reason.
 */

import { basename } from 'node:path';
import { sandboxName } from '../config/readers/read-providers.ts';
import { ownPriceVersion } from '../prices/operator-price.ts';
import type { Config, ModelConfig, PriceConfig, ProviderConfig } from '../settings/config.ts';
import type { KeptEntries, KeptEntry, KeptProvider } from './kept-entries.ts';
import { readPriceEntry, readProviderEntry, readRouteEntry } from './read-entry.ts';

type Origin = 'file' | 'environment' | 'local' | 'built-in' | 'console';

interface Merged {
  readonly origin: Origin;
  /** In words. */
  readonly originText: string;
  /** Why the console's own entry has no effect, or only in part. */
  readonly problem?: string | undefined;
}

export interface MergedProvider extends Merged {
  readonly name: string;
  /** Absent where it cannot be used, and for the built-in one. */
  readonly config: ProviderConfig | undefined;
  /** The console's own. */
  readonly kept: KeptProvider | undefined;
  /** Takes no new requests. */
  readonly draining: boolean;
  /** Since when, where it is configured elsewhere and was paused in the console. */
  readonly pausedAtMs?: number | undefined;
}

export interface MergedRoute extends Merged {
  readonly alias: string;
  readonly config: ModelConfig | undefined;
  readonly kept: KeptEntry | undefined;
}

export interface MergedPrice extends Merged {
  readonly pattern: string;
  readonly config: PriceConfig | undefined;
  readonly kept: KeptEntry | undefined;
}

export interface MergedConfiguration {
  /** In the order in which they are tried. */
  readonly providers: readonly MergedProvider[];
  readonly routes: readonly MergedRoute[];
  readonly prices: readonly MergedPrice[];
}

const consoleText = 'console';

export function mergeConfiguration(given: Config, kept: KeptEntries): MergedConfiguration {
  const providers = [
    ...paused(givenProviders(given), kept),
    ...keptProviders(given, kept),
    ...paused(builtIn(given), kept),
  ];
  const known = new Set(providers.map(({ name }) => name));
  return { providers, routes: mergeRoutes(given, kept, known), prices: mergePrices(given, kept) };
}

/** Entries of the console say by themselves whether they drain. */
function paused(providers: readonly MergedProvider[], { pauses }: KeptEntries): readonly MergedProvider[] {
  return providers.map((provider) => {
    const pause = pauses.find(({ name }) => name === provider.name);
    return pause === undefined ? provider : { ...provider, draining: true, pausedAtMs: pause.atMs };
  });
}

function fileText({ server, lines }: Config, place: string): string {
  const name = basename(server.configFile ?? 'weir.yaml');
  const line = lines?.[place];
  return line === undefined ? name : `${name}, line ${line}`;
}

function givenProviders(given: Config): MergedProvider[] {
  return given.providers.map((config) => ({
    name: config.name,
    origin: config.origin,
    originText: originText(given, config),
    config,
    kept: undefined,
    draining: false,
  }));
}

function originText(given: Config, { name, origin, keys }: ProviderConfig): string {
  if (origin === 'file') return fileText(given, `providers.${name}`);
  // A key that was found in a variable is called by its name.
  if (origin === 'environment') return keys[0]?.id ?? 'environment';
  return origin === 'local' ? 'found on this machine' : consoleText;
}

function builtIn({ sandbox }: Config): MergedProvider[] {
  if (!sandbox.enabled) return [];
  const { config, kept } = { config: undefined, kept: undefined };
  return [{ name: sandboxName, origin: 'built-in', originText: 'built in', config, kept, draining: false }];
}

function keptProviders(given: Config, { providers }: KeptEntries): MergedProvider[] {
  const taken = new Map(givenProviders(given).map(({ name, originText: text }) => [name, text]));
  return providers.map((kept) => {
    const { name, draining } = kept;
    const merged = { name, origin: 'console' as const, originText: consoleText, kept, draining };
    const winner = taken.get(name);
    const clash = winner === undefined ? undefined : `${winner} has a provider with this name, which takes precedence.`;
    const fault = clash ?? kept.fault;
    if (fault !== undefined) return { ...merged, config: undefined, problem: fault };
    const { config, mistakes } = readProviderEntry(name, kept.entry, kept.keys);
    const problem = mistakes[0]?.message;
    return { ...merged, config: problem === undefined ? config : undefined, problem };
  });
}

function mergeRoutes(given: Config, { models }: KeptEntries, known: ReadonlySet<string>): MergedRoute[] {
  const own = given.models.map((config) => ({
    alias: config.alias,
    origin: 'file' as const,
    originText: fileText(given, `models.${config.alias}`),
    config,
    kept: undefined,
  }));
  const kept = models.map((entry) => {
    const merged = { alias: entry.name, origin: 'console' as const, originText: consoleText, kept: entry };
    const winner = own.find(({ alias }) => alias === entry.name)?.originText;
    if (winner !== undefined) {
      return {
        ...merged,
        config: undefined,
        problem: `${winner} has a route with this name, which takes precedence.`,
      };
    }
    const { config, mistakes } = readRouteEntry(entry.name, entry.entry, known);
    return { ...merged, config, problem: entry.fault ?? mistakes[0]?.message };
  });
  return [...own, ...kept];
}

function mergePrices(given: Config, { prices }: KeptEntries): MergedPrice[] {
  const own = given.prices.map((config) => ({
    pattern: config.pattern,
    origin: 'file' as const,
    originText: fileText(given, `prices.${config.pattern}`),
    config,
    kept: undefined,
  }));
  const kept = prices.map((entry) => {
    const { config, mistakes } = readPriceEntry(entry.name, entry.entry);
    // Rows of usage say which of several prices they were charged by.
    const version = `${ownPriceVersion}@${new Date(entry.updatedAtMs).toISOString()}`;
    return {
      pattern: entry.name,
      origin: 'console' as const,
      originText: consoleText,
      kept: entry,
      config: config && { ...config, version },
      problem: entry.fault ?? mistakes[0]?.message,
    };
  });
  return [...own, ...kept];
}
