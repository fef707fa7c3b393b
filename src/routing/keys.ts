/** Which of a provider's keys a request uses: in turn, leaving alone those that were refused or told to wait. */

import type { ProviderKey } from '../config/config.ts';
import type { Provider } from '../providers/assemble.ts';
import type { BreakerRules } from './breaker.ts';
import { Health } from './health.ts';

/** A refused key seldom comes back soon: the first probe comes after a minute. */
const keyRules: BreakerRules = {
  windowMs: 60_000,
  failuresMin: 1,
  failureShare: 0,
  failuresInRow: 1,
  openMs: 60_000,
  openMsMax: 3_600_000,
};

const nothingTried: ReadonlySet<string> = new Set();

export class KeyRing {
  readonly #health = new Map<string, Health>();
  readonly #turn = new Map<string, number>();

  /** The next healthy key that was not tried yet for this request, the preferred one first; none when all are set aside. */
  pick(
    provider: Provider,
    tried: ReadonlySet<string>,
    clock: () => number,
    preferredId?: string,
  ): ProviderKey | undefined {
    const { keys } = provider;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return this.#usable(provider, only, tried, clock) ? only : undefined;
    const preferred = preferredId === undefined ? undefined : keys.find(({ id }) => id === preferredId);
    if (preferred !== undefined && this.#usable(provider, preferred, tried, clock)) return preferred;
    const start = this.#turn.get(provider.name) ?? 0;
    for (let step = 0; step < keys.length; step++) {
      const key = keys[(start + step) % keys.length];
      if (key === undefined || !this.#usable(provider, key, tried, clock)) continue;
      this.#turn.set(provider.name, (start + step + 1) % keys.length);
      return key;
    }
    return undefined;
  }

  /** When the first of the keys that were not tried yet may be used; infinitely late where there is none. */
  readyAtMs(provider: Provider, tried: ReadonlySet<string>, nowMs: number): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const key of provider.keys) {
      if (tried.has(keyName(provider, key))) continue;
      earliest = Math.min(earliest, this.#known(provider, key)?.readyAtMs(nowMs) ?? nowMs);
    }
    return earliest;
  }

  /** Present where there was ever anything to say about the key. */
  #known(provider: Provider, key: ProviderKey): Health | undefined {
    return this.#health.size === 0 ? undefined : this.#health.get(keyName(provider, key));
  }

  /** What is known of the key, without anything being noted; undefined where nothing was ever said about it. */
  knownHealthOf(provider: Provider, key: ProviderKey): Health | undefined {
    return this.#known(provider, key);
  }

  healthOf(provider: Provider, key: ProviderKey): Health {
    const name = keyName(provider, key);
    const known = this.#health.get(name) ?? new Health(keyRules);
    this.#health.set(name, known);
    return known;
  }

  /** For keys that nothing was ever said about this costs nothing. */
  begin(provider: Provider, key: ProviderKey, nowMs: number): void {
    this.#known(provider, key)?.begin(nowMs);
  }

  served(provider: Provider, key: ProviderKey, nowMs: number): void {
    this.#known(provider, key)?.succeeded(nowMs);
  }

  /** It was used, and nothing was learnt about it. */
  abandoned(provider: Provider, key: ProviderKey): void {
    this.#known(provider, key)?.abandoned();
  }

  /** Every key that there is anything to say about. */
  *states(): Iterable<readonly [provider: string, keyId: string, health: Health]> {
    for (const [name, health] of this.#health) {
      const space = name.indexOf(' ');
      yield [name.slice(0, space), name.slice(space + 1), health];
    }
  }

  /** Another key has its name now: what was said about the old one does not count for it. */
  forget(providerName: string, keyId: string): void {
    this.#health.delete(`${providerName} ${keyId}`);
  }

  setAside(provider: Provider, key: ProviderKey, untilMs: number): void {
    this.healthOf(provider, key).coolUntil(untilMs);
  }

  #usable(provider: Provider, key: ProviderKey, tried: ReadonlySet<string>, clock: () => number): boolean {
    if (tried.size === 0 && this.#health.size === 0) return true;
    if (tried !== nothingTried && tried.has(keyName(provider, key))) return false;
    return this.#known(provider, key)?.admits(clock()) ?? true;
  }
}

export function keyName(provider: Provider, key: ProviderKey): string {
  return `${provider.name} ${key.id}`;
}
