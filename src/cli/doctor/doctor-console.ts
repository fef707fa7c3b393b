/** The doctor's checks of the secret key and of the console's entries: what cannot be opened, read or reached. */

import type { MergedConfiguration, MergedProvider, MergedRoute } from '../../configuration/merge.ts';
import { isLookedFor, presets } from '../../providers/presets.ts';
import type { SecretKey, SecretRing } from '../../secrets/key-ring.ts';
import { sealedBy } from '../../secrets/sealing.ts';
import type { Config, ModelConfig, ProviderConfig } from '../../settings/config.ts';
import type { ConfigurationRows } from '../../store/configuration/configuration-store.ts';
import type { Check } from './doctor-providers.ts';

export interface ConsoleFindings {
  readonly checks: readonly Check[];
  /** The console's providers that can be asked, keys and all. */
  readonly providers: readonly ProviderConfig[];
}

export const noFindings: ConsoleFindings = { checks: [], providers: [] };

/**
 * `find` returns the key that the database is sealed with, undefined where it has none yet, and rejects
 * where it is not in the ring.
 */
export async function checkSecretKey(ring: SecretRing, find: () => Promise<SecretKey | undefined>): Promise<Check> {
  const name = 'secret key';
  const [newest, ...older] = ring.keys;
  try {
    const current = await find();
    if (current === undefined) {
      return { name, state: 'not checked', detail: 'the database has not been used with any key yet' };
    }
    if (current.id !== newest.id) {
      const detail = `a rotation from ${current.id} to ${newest.id} was begun and not finished: run weir rotate-key`;
      return { name, state: 'ok', detail };
    }
    const kept = older.length === 0 ? '' : `; ${older.map(({ id }) => id).join(', ')} kept for what it still opens`;
    return { name, state: 'ok', detail: `${newest.id} is the database’s${kept}` };
  } catch (error) {
    return { name, state: 'broken', detail: error instanceof Error ? error.message : String(error) };
  }
}

export function checkConsole(
  config: Config,
  merged: MergedConfiguration,
  rows: ConfigurationRows,
  ring: SecretRing,
): ConsoleFindings {
  if (rows.entries.length === 0) return noFindings;
  const own = <Entry extends { readonly origin: string }>(entries: readonly Entry[]): readonly Entry[] =>
    entries.filter(({ origin }) => origin === 'console');
  const providers = own(merged.providers);
  const routes = own(merged.routes);
  const prices = own(merged.prices);
  const counts = [counted(providers, 'provider'), counted(routes, 'route'), counted(prices, 'price')].join(', ');
  const usable = usableNames(config, merged);
  return {
    checks: [
      { name: 'console', state: 'ok', detail: `keeps ${counts}` },
      ...merged.providers.flatMap(pauseCheck),
      ...providers.flatMap((provider) => providerCheck(config, provider, rows, ring)),
      ...routes.flatMap((route) => routeCheck(route, usable)),
      ...prices.flatMap(({ pattern, problem }) =>
        problem === undefined ? [] : [broken(`price ${pattern}`, `${problem}. Fix or remove it on the page Models`)],
      ),
    ],
    providers: providers.flatMap(({ config: provider, draining }) =>
      provider === undefined || draining ? [] : [provider],
    ),
  };
}

const counted = ({ length }: readonly unknown[], word: string): string => `${length} ${word}${length === 1 ? '' : 's'}`;
const broken = (name: string, detail: string): Check => ({ name, state: 'broken', detail });

function pauseCheck({ name, pausedAtMs }: MergedProvider): Check[] {
  if (pausedAtMs === undefined) return [];
  const since = new Date(pausedAtMs).toISOString();
  const detail = `paused in the console since ${since}: it takes no new requests. Resume it on the page Providers`;
  return [{ name: `provider ${name}`, state: 'warning', detail }];
}

function providerCheck(config: Config, provider: MergedProvider, rows: ConfigurationRows, ring: SecretRing): Check[] {
  const { name, problem, kept, draining } = provider;
  const label = `provider ${name}`;
  if (config.providers.some((given) => given.name === name)) {
    return [
      {
        name: label,
        state: 'not checked',
        detail: `the console’s entry is inactive: ${problem ?? 'another one takes precedence'}`,
      },
    ];
  }
  if (draining && problem === undefined) {
    return [{ name: label, state: 'not checked', detail: 'it drains and takes no new requests' }];
  }
  if (problem === undefined) return [];
  if (kept?.fault === undefined) return [broken(label, `${problem}. Fix it on the console’s page Providers`)];
  const foreign = [...foreignKeys(name, rows, ring)];
  const enterAgain = 'or enter the provider’s keys again on the console’s page Providers';
  const cure =
    foreign.length === 0
      ? `Restore the key file they were sealed with, ${enterAgain}`
      : `They were sealed by key ${foreign.join(', ')}, which is not here: restore it, ${enterAgain}`;
  const detail = `its keys cannot be opened with the secret key of this Weir. ${cure}`;
  return [broken(label, detail)];
}

/** Ids that its sealed texts name and the ring does not have. */
function foreignKeys(name: string, { entries, keys }: ConfigurationRows, ring: SecretRing): ReadonlySet<string> {
  const texts = [
    ...entries.filter((row) => row.section === 'providers' && row.name === name).map(({ sealed }) => sealed ?? ''),
    ...keys.filter(({ provider }) => provider === name).map(({ sealed }) => sealed),
  ];
  return new Set(texts.flatMap((text) => sealedBy(text) ?? []).filter((id) => !ring.keys.some((key) => key.id === id)));
}

/** The providers that a route may lead to. Local servers are discovered when Weir starts, so their names count here. */
function usableNames(config: Config, { providers }: MergedConfiguration): ReadonlySet<string> {
  const local = config.discovery.local ? presets.filter(isLookedFor) : [];
  const usable = providers.filter(
    ({ config: provider, origin, draining }) => !draining && (origin === 'built-in' || provider?.enabled === true),
  );
  return new Set([...usable, ...local].map(({ name }) => name));
}

function routeCheck({ alias, config, problem, kept }: MergedRoute, usable: ReadonlySet<string>): Check[] {
  const name = `route ${alias}`;
  if (config === undefined) {
    const isBroken = kept?.fault !== undefined || !/goes before this one/.test(problem ?? '');
    return [{ name, state: isBroken ? 'broken' : 'not checked', detail: problem ?? 'it cannot be read' }];
  }
  const targets = deadTargets(config, usable);
  if (targets.length === 0) return problem === undefined ? [] : [broken(name, problem)];
  const gone = [...new Set(targets)].join(', ');
  if (targets.length === config.targets.length) {
    return [
      broken(name, `leads nowhere: ${gone} is gone, switched off or broken. Give it another target on the page Models`),
    ];
  }
  return [{ name, state: 'ok', detail: `continues without ${gone}, which is gone, switched off or broken` }];
}

function deadTargets({ targets }: ModelConfig, usable: ReadonlySet<string>): string[] {
  return targets.flatMap(({ provider }) => (usable.has(provider) ? [] : [provider]));
}
