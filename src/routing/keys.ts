/** Which of a provider's keys a request uses: in turn, leaving alone those that were refused or told to wait. */

import type { ProviderKey } from '../config/config.ts';
import type { Provider } from '../providers/assemble.ts';
import { Health } from './health.ts';

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

  setAside(provider: Provider, key: ProviderKey, untilMs: number): void {
    const name = `${provider.name} ${key.id}`;
    const health = this.#health.get(name) ?? new Health();
    health.coolUntil(untilMs);
    this.#health.set(name, health);
  }

  #usable(provider: Provider, key: ProviderKey, tried: ReadonlySet<string>, clock: () => number): boolean {
    if (tried.size === 0 && this.#health.size === 0) return true;
    const name = `${provider.name} ${key.id}`;
    return !tried.has(name) && this.#health.get(name)?.isCooling(clock()) !== true;
  }
}
