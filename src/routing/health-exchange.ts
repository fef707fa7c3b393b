/** Shares among replicas which targets and keys are cooling down or have an open circuit. */

import type { Catalogue } from './catalogue.ts';
import type { Health } from './health.ts';
import type { KeyRing } from './keys.ts';

/**
 * Where replicas publish notices for each other. It expires them by its own clock, so that no two
 * machines' clocks are compared.
 */
export interface NoticeStore {
  /**
   * Puts and deletes in one round trip, and returns all notices with the time they have left. Rejects if
   * it is unavailable.
   */
  exchange(put: ReadonlyMap<string, number>, taken: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Notices to put, with their time to live; and notices to delete. */
interface OwnNotices {
  readonly put: ReadonlyMap<string, number>;
  readonly taken: readonly string[];
}

/** Everything that has a health, by its name. */
interface HealthSource {
  all(): Iterable<readonly [subject: Subject, name: string, health: Health]>;
  find(subject: Subject, name: string): Health | undefined;
}

type Subject = 'target' | 'key';
type State = 'cooling' | 'open';

const states: readonly State[] = ['cooling', 'open'];
/** Shorter states are not published, and times that differ by less are equal: notices take a while to arrive. */
const slackMs = 500;
const leastMs = 100;
/** Models' names come from callers. */
const noticeLengthMax = 400;
const putMax = 500;

export class HealthExchange {
  readonly #source: HealthSource;
  /** This replica's notices and when they expire, by this machine's clock. */
  readonly #own = new Map<string, number>();
  /** Notices received from other replicas, likewise. */
  readonly #received = new Map<string, number>();

  constructor(source: HealthSource) {
    this.#source = source;
  }

  /** What the other replicas should learn now. The caller must send it, or report it as `lost`. */
  outgoing(nowMs: number): OwnNotices {
    return { taken: this.#noLongerTrue(nowMs), put: this.#newlyTrue(nowMs) };
  }

  /** Takes all notices of the store, this replica's own among them. */
  incoming(notices: ReadonlyMap<string, number>, nowMs: number): void {
    for (const [notice, leftMs] of notices) this.#receive(notice, nowMs + leftMs, nowMs);
    for (const [notice, untilMs] of this.#received) {
      if (notices.has(notice)) continue;
      this.#received.delete(notice);
      // Gone before it expired: the replica that published it has seen the target serve again.
      if (untilMs > nowMs + slackMs) this.#of(notice)?.health.takeBack(stateOf(notice));
    }
    // Another replica deleted what is still true here, or the store was emptied: it is published again.
    for (const [notice, untilMs] of this.#own) {
      if (!notices.has(notice) && untilMs > nowMs + slackMs) this.#own.delete(notice);
    }
  }

  /** The store is unavailable: what was received expires by itself, and own notices are sent again when it is back. */
  lost(): void {
    this.#own.clear();
    this.#received.clear();
  }

  #newlyTrue(nowMs: number): Map<string, number> {
    const put = new Map<string, number>();
    for (const [subject, name, health] of this.#source.all()) {
      for (const state of states) {
        const untilMs = health.ownUntilMs(state);
        if (untilMs < nowMs + leastMs || put.size >= putMax) continue;
        const notice = noticeOf(subject, state, name);
        const publishedMs = this.#own.get(notice) ?? Number.NEGATIVE_INFINITY;
        if (notice.length > noticeLengthMax || untilMs - slackMs < publishedMs) continue;
        this.#own.set(notice, untilMs);
        put.set(notice, Math.ceil(untilMs - nowMs));
      }
    }
    return put;
  }

  #noLongerTrue(nowMs: number): string[] {
    const taken: string[] = [];
    for (const [notice, untilMs] of this.#own) {
      const found = this.#of(notice);
      if (found !== undefined && found.health.ownUntilMs(stateOf(notice)) > nowMs) continue;
      this.#own.delete(notice);
      if (untilMs > nowMs) taken.push(notice);
    }
    return taken;
  }

  #receive(notice: string, untilMs: number, nowMs: number): void {
    const found = this.#of(notice);
    // This replica's own notices come back as well.
    if (found === undefined || found.health.ownUntilMs(found.state) + slackMs >= untilMs) return;
    found.health.applyReported(found.state, untilMs, nowMs);
    this.#received.set(notice, untilMs);
  }

  #of(notice: string): { readonly health: Health; readonly state: State } | undefined {
    const [subject, state, ...rest] = notice.split(' ');
    if ((subject !== 'target' && subject !== 'key') || (state !== 'cooling' && state !== 'open')) return undefined;
    const health = this.#source.find(subject, rest.join(' '));
    return health === undefined ? undefined : { health, state };
  }
}

function noticeOf(subject: Subject, state: State, name: string): string {
  return `${subject} ${state} ${name}`;
}

function stateOf(notice: string): State {
  return notice.split(' ', 2)[1] === 'open' ? 'open' : 'cooling';
}

/** The targets and keys of this process. */
export function healthsOf(catalogue: Catalogue, keys: KeyRing): HealthSource {
  return {
    *all() {
      for (const { provider, model, health } of catalogue.homes())
        yield ['target', `${provider.name} ${model}`, health];
      for (const { provider, keyId, model, health } of keys.states())
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
  };
}

/**
 * How often this process checks its own targets, and how often it reads the others' notices where it has none to send.
 */
const lookEveryMs = 100;
const askEveryMs = 500;

/** Sends and receives until the returned function is called. */
export function shareHealth(exchange: HealthExchange, store: NoticeStore, nowMs: () => number): () => void {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let waiting = false;
  const look = async (): Promise<void> => {
    if (waiting) return;
    const { put, taken } = exchange.outgoing(nowMs());
    if (put.size === 0 && taken.length === 0 && nowMs() - askedAtMs < askEveryMs) return;
    askedAtMs = nowMs();
    waiting = true;
    try {
      exchange.incoming(await store.exchange(put, taken), nowMs());
    } catch {
      // Each replica continues by itself; the connection's owner logs the failure.
      exchange.lost();
    }
    waiting = false;
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
