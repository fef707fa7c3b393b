/** What may not be repeated of a provider's messages: all of its keys, the tokens made of them, and the headers that are secret. */

import { createScrubber, type Scrubber } from '../../secrets/scrubber.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { Provider } from '../assemble.ts';
import { isSecretHeader, secretPartsOf } from '../key-forms.ts';

type Scrubbed = Pick<Provider, 'keys' | 'headers'>;

/** A provider's reply may still name a token that was replaced a moment ago. */
const issuedMax = 3;
const issuedTokens = new WeakMap<ProviderKey, readonly string[]>();
const made = new WeakMap<Scrubbed, { readonly secrets: string; readonly scrub: Scrubber }>();

/** A token was made of a key; from now on it is as secret as the key. */
export function noteIssued(key: ProviderKey, token: string): void {
  issuedTokens.set(key, [token, ...(issuedTokens.get(key) ?? [])].slice(0, issuedMax));
}

/** Every key of the provider, not only the one that was used: a balancer behind its URL may mix replies up. */
export function scrubberOf(provider: Scrubbed): Scrubber {
  const secrets = secretsOf(provider);
  const name = secrets.join('\n');
  const known = made.get(provider);
  if (known?.secrets === name) return known.scrub;
  const scrub = createScrubber(secrets);
  made.set(provider, { secrets: name, scrub });
  return scrub;
}

function secretsOf({ keys, headers }: Scrubbed): readonly string[] {
  return [
    ...keys.flatMap((key) => [...secretPartsOf(key.value), ...(issuedTokens.get(key) ?? [])]),
    ...Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name, value) ? [value] : [])),
  ];
}
