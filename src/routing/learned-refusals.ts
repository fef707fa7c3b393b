/**
 * Parameters that a provider refused for a model. They come last in the model's profile, are forgotten after a while,
 * and are bounded in number: an update of the provider may accept them at any time.
 *
 * Some headers of a client reach the provider and change what it accepts, so a refusal applies only to requests with
 * the same headers.
 */

import type { ModelProfile, ThinkingRule } from '../conversation/model-profile.ts';
import type { Loss } from '../conversation/parts.ts';

/** How long a refusal is remembered. */
const believedMs = 60 * 60_000;
const lessonsMax = 32;
const headerSetsMax = 16;

interface Learned {
  /** The refused parameter, named as in losses. */
  readonly what: string;
  /** The time of day. */
  readonly atMs: number;
}

/** What a refusal changes. */
interface Taught {
  readonly profile: ModelProfile;
  readonly what: string;
}

interface Held extends Learned {
  readonly profile: ModelProfile;
  readonly untilMs: number;
  /** Did another replica learn it? */
  readonly received?: boolean;
}

/** A refusal as replicas tell it each other. */
interface SharedRefusal extends Learned {
  readonly profile: ModelProfile;
  /** The headers that reached the provider, as this class writes them. */
  readonly headers: string;
  readonly untilMs: number;
}

export interface LearningClock {
  nowMs(): number;
  wallMs(): number;
}

export type PassedHeaders = Readonly<Record<string, string>> | undefined;

export class LearnedRefusals {
  readonly #clock: LearningClock;
  /** By the headers that reached the provider. */
  readonly #held = new Map<string, readonly Held[]>();
  /** Merged profiles, until something is learned or forgotten. */
  #known = new Map<string, WeakMap<ModelProfile, ModelProfile>>();
  #forgetAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: LearningClock) {
    this.#clock = clock;
  }

  /** False where nothing of it is new: then the same request would be refused again. */
  learn({ profile, what }: Taught, known: ModelProfile, headers: PassedHeaders): boolean {
    const effective = this.over(known, headers);
    if (JSON.stringify(withRefusals(effective, profile)) === JSON.stringify(effective)) return false;
    const key = keyOf(headers);
    const untilMs = this.#clock.nowMs() + believedMs;
    const added = refusesEveryWay(this.#held.get(key) ?? [], profile) ? { ...profile, thinking: neverThinks } : profile;
    return this.#hold(key, { profile: added, what, atMs: this.#clock.wallMs(), untilMs });
  }

  /** Another replica learned it. */
  receive({ headers, profile, what, atMs, untilMs }: SharedRefusal): void {
    const text = JSON.stringify(profile);
    const held = this.#held.get(headers) ?? [];
    if (held.some((one) => one.what === what && JSON.stringify(one.profile) === text)) return;
    this.#hold(headers, { profile, what, atMs, untilMs, received: true });
  }

  /** What this process learned itself. */
  *own(): Iterable<SharedRefusal> {
    this.#forget();
    for (const [headers, held] of this.#held)
      for (const lesson of held) if (lesson.received !== true) yield { ...lesson, headers };
  }

  #hold(key: string, lesson: Held): boolean {
    const held = this.#held.get(key) ?? [];
    if (held.length >= lessonsMax) return false;
    if (!this.#held.has(key) && this.#held.size >= headerSetsMax)
      this.#held.delete(this.#held.keys().next().value ?? '');
    this.#held.set(key, [...held, lesson]);
    this.#changed();
    return true;
  }

  /** The known profile with what was learned; the same object where nothing was. */
  over(known: ModelProfile, headers: PassedHeaders): ModelProfile {
    this.#forget();
    if (this.#held.size === 0) return known;
    const key = keyOf(headers);
    const held = this.#held.get(key);
    if (held === undefined) return known;
    const made = this.#known.get(key) ?? new WeakMap<ModelProfile, ModelProfile>();
    this.#known.set(key, made);
    const before = made.get(known);
    if (before !== undefined) return before;
    const profile = held.reduce<ModelProfile>((sum, one) => withRefusals(sum, one.profile), known);
    made.set(known, profile);
    return profile;
  }

  /** The same losses; those caused by a learned refusal name it. */
  explained(losses: readonly Loss[], headers: PassedHeaders): readonly Loss[] {
    const held = this.#held.get(keyOf(headers));
    if (held === undefined || losses.length === 0) return losses;
    return losses.map((loss) => {
      const lesson = held.find(({ what }) => names(loss.what, what));
      if (lesson === undefined) return loss;
      const at = new Date(lesson.atMs).toISOString();
      return { what: loss.what, why: `${loss.why} (learned from a refusal of the provider at ${at})` };
    });
  }

  get all(): readonly Learned[] {
    return this.taught.map(({ what, atMs }) => ({ what, atMs }));
  }

  /** The same with what each adds to the profile, in the order in which it was learned for each set of headers. */
  get taught(): readonly (Learned & Taught)[] {
    this.#forget();
    return [...this.#held.values()].flat();
  }

  #forget(): void {
    const now = this.#clock.nowMs();
    if (now < this.#forgetAtMs) return;
    for (const [key, held] of this.#held) {
      const left = held.filter(({ untilMs }) => untilMs > now);
      if (left.length === 0) this.#held.delete(key);
      else this.#held.set(key, left);
    }
    this.#changed();
  }

  #changed(): void {
    this.#known = new Map();
    this.#forgetAtMs = Math.min(...[...this.#held.values()].flat().map(({ untilMs }) => untilMs));
  }
}

const neverThinks: ThinkingRule = { kind: 'never' };

/**
 * Does it refuse the kind of thinking that it named itself before? Then it has none, and changing
 * between them would never end.
 */
function refusesEveryWay(held: readonly Held[], { thinking }: ModelProfile): boolean {
  if (thinking === undefined) return false;
  return held.some(({ profile: { thinking: named } }) => named !== undefined && named.kind !== thinking.kind);
}

/** A profile with more refusals: lists grow, limits shrink, and other fields take the last value. */
export function withRefusals(known: ModelProfile, learned: ModelProfile): ModelProfile {
  const { refuses, refusesWhileThinking, outputTokensMax, ...rest } = learned;
  return {
    ...known,
    ...rest,
    ...(refuses !== undefined && { refuses: union(known.refuses, refuses) }),
    ...(refusesWhileThinking !== undefined && {
      refusesWhileThinking: union(known.refusesWhileThinking, refusesWhileThinking),
    }),
    ...(outputTokensMax !== undefined && {
      outputTokensMax: Math.min(known.outputTokensMax ?? outputTokensMax, outputTokensMax),
    }),
  };
}

function union<Item>(some: readonly Item[] | undefined, more: readonly Item[]): readonly Item[] {
  const added = more.filter((item) => some?.includes(item) !== true);
  return added.length === 0 && some !== undefined ? some : [...(some ?? []), ...added];
}

function keyOf(headers: PassedHeaders): string {
  return headers === undefined ? '' : JSON.stringify(headers);
}

/** Losses name a field by its name in a format, by its path, or followed by its value. */
function names(loss: string, what: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  const last = letters(loss.split('.').at(-1) ?? '');
  return last === letters(what) || letters(loss).startsWith(letters(what));
}
