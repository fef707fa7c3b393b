/** Adds the inference servers that were found on this machine to a configuration that was loaded before the search. */

import { presetByName } from '../providers/presets.ts';
import type { ProviderPreset } from '../providers/provider.ts';
import type { Config, ProviderConfig } from '../settings/config.ts';

interface LocalServer {
  readonly preset: ProviderPreset;
  readonly models: readonly string[];
}

/** What the operator configured under the same name or at the same address stays as it is. */
export function addLocalProviders(config: Config, servers: readonly LocalServer[]): Config {
  const names = new Set(config.providers.map((provider) => provider.name));
  const addresses = new Set(
    config.providers.map(({ kind, baseUrl }) => loopbackAddress(baseUrl ?? presetByName(kind)?.baseUrl)),
  );
  const added = servers
    .filter(({ preset }) => !names.has(preset.name) && !addresses.has(loopbackAddress(preset.baseUrl)))
    .map(({ preset }) => localProvider(preset));
  return Object.freeze({ ...config, providers: Object.freeze([...config.providers, ...added]) });
}

function localProvider(preset: ProviderPreset): ProviderConfig {
  return Object.freeze({
    name: preset.name,
    kind: preset.name,
    baseUrl: undefined,
    keys: Object.freeze([]),
    // Listed again at every refresh: people load models into a local server while Weir runs.
    models: undefined,
    headers: Object.freeze({}),
    enabled: true,
    origin: 'local',
  });
}

function loopbackAddress(url: string | undefined): string | undefined {
  return url?.replace('//localhost', '//127.0.0.1').replace('//[::1]', '//127.0.0.1');
}
