/** The targets and keys of this process by the names under which replicas know them. */

import type { Catalogue, Home } from '../catalogue.ts';
import type { Health } from '../health.ts';
import type { KeyRing } from '../keys.ts';

export type Subject = 'target' | 'key';

export interface HealthSource {
  /** Those with something of their own to report. */
  troubled(): Iterable<readonly [subject: Subject, name: string, health: Health]>;
  find(subject: Subject, name: string): Health | undefined;
  homes(): Iterable<Home>;
  home(provider: string, model: string): Home | undefined;
}

export function healthSource(catalogue: Catalogue, keys: KeyRing): HealthSource {
  return {
    *troubled() {
      for (const { provider, model, health } of catalogue.homes())
        if (health.hasOwnState) yield ['target', `${provider.name} ${model}`, health];
      for (const { provider, keyId, model, health } of keys.states())
        if (health.hasOwnState)
          yield ['key', model === undefined ? `${provider} ${keyId}` : `${provider} ${keyId} ${model}`, health];
    },
    find(subject, name) {
      const space = name.indexOf(' ');
      const providerName = name.slice(0, space);
      const rest = name.slice(space + 1);
      if (subject === 'target') return catalogue.home(providerName, rest)?.health;
      const provider = catalogue.providers.find((each) => each.name === providerName);
      const key = provider?.keys.find(({ id }) => `${rest} `.startsWith(`${id} `));
      if (provider === undefined || key === undefined) return undefined;
      const model = rest.slice(key.id.length + 1);
      return model === '' ? keys.healthOf(provider, key) : keys.healthFor({ provider, model }, key);
    },
    homes: () => catalogue.homes(),
    home: (provider, model) => catalogue.home(provider, model),
  };
}
