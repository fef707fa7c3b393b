/** What replicas tell each other about targets and keys that are to be left alone, and what each of them makes of it. */

import type { Catalogue } from './catalogue.ts';
import type { Health } from './health.ts';
import type { KeyRing } from './keys.ts';

/** Where replicas leave notices for each other. It counts down by itself, so that no two machines' clocks are compared. */
export interface NoticeBoard {
  /** Puts up and takes down in one round trip, and gives all that stand there with the time they have left. Rejects where it is away. */
  exchange(put: ReadonlyMap<string, number>, taken: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** What is put up, with the time it is to stand; and what is taken down. */
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
/** What is over within this time is not worth a word, and times that differ by less are equal: notices take a while to arrive. */
const slackMs = 500;
const leastMs = 100;
/** Models' names come from callers. */
const noticeLengthMax = 400;
const putMax = 500;

export class HealthExchange {
  readonly #source: HealthSource;
  /** Our notices and until when they stand, by our clock. */
  readonly #own = new Map<string, number>();
  /** What was heard from others, likewise. */
  readonly #heard = new Map<string, number>();

  constructor(source: HealthSource) {
    this.#source = source;
  }

  /** What the others should hear now. Whoever asks must send it, or say that it was `lost`. */
  outgoing(nowMs: number): OwnNotices {
    return { taken: this.#noLongerTrue(nowMs), put: this.#newlyTrue(nowMs) };
  }

  /** What stands on the board, our own notices among it. */
  incoming(board: ReadonlyMap<string, number>, nowMs: number): void {
    for (const [notice, leftMs] of board) this.#hear(notice, nowMs + leftMs, nowMs);
    for (const [notice, untilMs] of this.#heard) {
      if (board.has(notice)) continue;
      this.#heard.delete(notice);
      // Gone before its time: whoever put it up has seen the target serve again.
      if (untilMs > nowMs + slackMs) this.#of(notice)?.health.takeBack(stateOf(notice));
    }
    // Somebody took down what is still true for us, or the board was emptied: it is put up again.
    for (const [notice, untilMs] of this.#own) {
      if (!board.has(notice) && untilMs > nowMs + slackMs) this.#own.delete(notice);
    }
  }

  /** The board is away: what was heard runs out by itself, and what is ours is told again when it is back. */
  lost(): void {
    this.#own.clear();
    this.#heard.clear();
  }

  #newlyTrue(nowMs: number): Map<string, number> {
    const put = new Map<string, number>();
    for (const [subject, name, health] of this.#source.all()) {
      for (const state of states) {
        const untilMs = health.ownUntilMs(state);
        if (untilMs < nowMs + leastMs || put.size >= putMax) continue;
        const notice = noticeOf(subject, state, name);
        const toldMs = this.#own.get(notice) ?? Number.NEGATIVE_INFINITY;
        if (notice.length > noticeLengthMax || untilMs - slackMs < toldMs) continue;
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

  #hear(notice: string, untilMs: number, nowMs: number): void {
    const found = this.#of(notice);
    // Our own words come back to us as well.
    if (found === undefined || found.health.ownUntilMs(found.state) + slackMs >= untilMs) return;
    found.health.hear(found.state, untilMs, nowMs);
    this.#heard.set(notice, untilMs);
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

/** How often this process looks at its own targets, and how often it asks what others say where it has nothing to tell. */
const lookEveryMs = 100;
const askEveryMs = 500;

/** Keeps telling and asking until the function that it gives is called. */
export function shareHealth(exchange: HealthExchange, board: NoticeBoard, nowMs: () => number): () => void {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let waiting = false;
  const look = async (): Promise<void> => {
    if (waiting) return;
    const { put, taken } = exchange.outgoing(nowMs());
    if (put.size === 0 && taken.length === 0 && nowMs() - askedAtMs < askEveryMs) return;
    askedAtMs = nowMs();
    waiting = true;
    try {
      exchange.incoming(await board.exchange(put, taken), nowMs());
    } catch {
      // Each replica goes on alone; whoever holds the connection says so in the log.
      exchange.lost();
    }
    waiting = false;
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
