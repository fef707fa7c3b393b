/**
 * Which of a provider's keys a request uses: in turn, without keys that were refused or, for a model,
 * have used up their quota.
 */

import type { Provider } from '../providers/assemble.ts';
import type { KeyProbe } from '../providers/probe/probe-key.ts';
import type { ProviderKey } from '../settings/config.ts';
import { type BreakerRules, firstTurn, type ProbeTurns, type Turn } from './breaker.ts';
import { Health } from './health.ts';
import { KeySuspicion, type Refusal } from './key-suspicion.ts';

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

/** What a key is used for: providers limit keys by model, and some calls have no model. */
interface KeyPlace {
  readonly provider: Provider;
  readonly model?: string | undefined;
}

/** The state of a key, or of a key for one model. */
export interface KeyState {
  readonly provider: string;
  readonly keyId: string;
  /** Absent for the state of the key itself. */
  readonly model?: string | undefined;
  readonly health: Health;
}

export class KeyRing {
  readonly #states = new Map<string, KeyState>();
  readonly #turn = new Map<string, number>();
  readonly #suspicions = new Map<string, KeySuspicion>();
  readonly #probe: KeyProbe | undefined;
  #turnsOf: ((name: string) => ProbeTurns) | undefined;
  /** Is called when another key takes an id. */
  onForget: ((providerName: string, keyId: string) => void) | undefined;

  /** `probe` asks a provider about a key that was refused; without it only several refusals close one. */
  constructor(probe?: KeyProbe) {
    this.#probe = probe;
  }

  /** The next healthy key that was not tried yet for this request, the preferred one first; none when all are set aside. */
  pick(
    place: KeyPlace,
    tried: ReadonlySet<string>,
    clock: () => number,
    preferredId?: string,
  ): ProviderKey | undefined {
    const { keys, name } = place.provider;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return this.#usable(place, only, tried, clock) ? only : undefined;
    const preferred = preferredId === undefined ? undefined : keys.find(({ id }) => id === preferredId);
    if (preferred !== undefined && this.#usable(place, preferred, tried, clock)) return preferred;
    const start = this.#turn.get(name) ?? 0;
    for (let step = 0; step < keys.length; step++) {
      const key = keys[(start + step) % keys.length];
      if (key === undefined || !this.#usable(place, key, tried, clock)) continue;
      this.#turn.set(name, (start + step + 1) % keys.length);
      return key;
    }
    return undefined;
  }

  /** When the first of the keys that were not tried yet may be used; infinitely late where there is none. */
  readyAtMs(place: KeyPlace, tried: ReadonlySet<string>, nowMs: number): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const key of place.provider.keys) {
      if (isTried(place, key, tried)) continue;
      earliest = Math.min(earliest, this.knownHealthOf(place, key, nowMs)?.readyAtMs(nowMs) ?? nowMs);
    }
    return earliest;
  }

  /** Undefined for a key without failures or cooldowns. */
  #known(name: string): Health | undefined {
    return this.#states.get(name)?.health;
  }

  /** The worse health of the key and of the key for this model; undefined where neither is known. */
  knownHealthOf(place: KeyPlace, key: ProviderKey, nowMs: number): Health | undefined {
    const own = this.#known(keyName(place.provider, key));
    const there = place.model === undefined ? undefined : this.#known(pairName(place, key));
    if (own === undefined || there === undefined) return own ?? there;
    return there.readyAtMs(nowMs) > own.readyAtMs(nowMs) ? there : own;
  }

  healthOf(provider: Provider, key: ProviderKey): Health {
    return this.#stateOf(keyName(provider, key), provider, key, undefined).health;
  }

  /** Quotas are by model: a key that has used up one model's may still be used for others. */
  healthFor({ provider, model }: KeyPlace, key: ProviderKey): Health {
    return this.#stateOf(pairName({ provider, model }, key), provider, key, model).health;
  }

  #stateOf(name: string, provider: Provider, key: ProviderKey, model: string | undefined): KeyState {
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const state = { provider: provider.name, keyId: key.id, model, health: new Health(keyRules) };
    this.#states.set(name, state);
    if (this.#turnsOf !== undefined) state.health.shareProbes(this.#turnsOf(name));
    return state;
  }

  /** Lets replicas take turns at probing keys, those of later included. */
  shareProbes(turnsOf: (name: string) => ProbeTurns): void {
    this.#turnsOf = turnsOf;
    for (const [name, { health }] of this.#states) health.shareProbes(turnsOf(name));
  }

  /** A request is sent with the key. For keys without a state this costs nothing. */
  enter(provider: Provider, key: ProviderKey, nowMs: number): Turn {
    if (this.#states.size === 0) return firstTurn;
    return this.#known(keyName(provider, key))?.enter(nowMs) ?? firstTurn;
  }

  served(place: KeyPlace, key: ProviderKey, turn: Turn, nowMs: number): void {
    if (this.#states.size === 0) return;
    this.#known(keyName(place.provider, key))?.succeeded(turn, nowMs);
    const name = pairName(place, key);
    // A model that is served again needs no memory of its wait.
    if (this.#known(name)?.isCooling(nowMs) === false) this.#states.delete(name);
  }

  /** It was used without evidence about it. */
  abandoned(provider: Provider, key: ProviderKey, turn: Turn): void {
    if (this.#states.size > 0) this.#known(keyName(provider, key))?.abandoned(turn);
  }

  /** A request was refused because of its key. That closes the key only if the request did not cause it. */
  refused({ provider, model }: KeyPlace, key: ProviderKey, refusal: Omit<Refusal, 'model'>, clock: () => number): void {
    const name = keyName(provider, key);
    const suspicion = this.#suspicions.get(name) ?? new KeySuspicion(this.healthOf(provider, key));
    this.#suspicions.set(name, suspicion);
    const probe = this.#probe;
    suspicion.refused({ ...refusal, model }, probe && (() => probe(provider, key)), clock);
  }

  /** All states of keys. */
  states(): Iterable<KeyState> {
    return this.#states.values();
  }

  /** Another key has its name now: the state of the old one does not apply. */
  forget(providerName: string, keyId: string): void {
    this.onForget?.(providerName, keyId);
    this.#suspicions.delete(`${providerName} ${keyId}`);
    for (const [name, state] of this.#states)
      if (state.provider === providerName && state.keyId === keyId) this.#states.delete(name);
  }

  #usable(place: KeyPlace, key: ProviderKey, tried: ReadonlySet<string>, clock: () => number): boolean {
    if (tried.size === 0 && this.#states.size === 0) return true;
    if (tried !== nothingTried && isTried(place, key, tried)) return false;
    if (this.#known(keyName(place.provider, key))?.admits(clock()) === false) return false;
    return place.model === undefined || this.#known(pairName(place, key))?.admits(clock()) !== false;
  }
}

export function keyName(provider: Provider, key: ProviderKey): string {
  return `${provider.name} ${key.id}`;
}

/** The name of a key for one model. */
export function pairName({ provider, model }: KeyPlace, key: ProviderKey): string {
  return `${provider.name} ${key.id} ${model}`;
}

/** Tried at all, or for this model. */
export function isTried(place: KeyPlace, key: ProviderKey, tried: ReadonlySet<string>): boolean {
  return tried.has(keyName(place.provider, key)) || tried.has(pairName(place, key));
}
