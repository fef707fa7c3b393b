/** Shares what providers refused: parameters, and kinds of input that a model does not support. */

import type { ModelProfile } from '../../conversation/model-profile.ts';
import { type Needs, noNeeds } from '../../conversation/needs.ts';
import type { Home } from '../catalogue.ts';
import { LearnedRefusals, type LearningClock } from '../learned-refusals.ts';
import type { ChangeList, FleetPart, FleetView } from './fleet-state.ts';
import type { HealthSource } from './health-source.ts';

const lookEveryMs = 300;
/** Longer ones, with many headers for example, are known to one replica only. */
const valueLengthMax = 2_000;
/** Of all replicas together. */
const lessonsMax = 500;

/** Where something was learned. The base URL is a digest: what another server refused says nothing of this one. */
interface Place {
  readonly provider: string;
  readonly model: string;
  readonly at: string;
}

interface Refusal extends Place {
  readonly what: string;
  readonly headers: string;
  readonly profile: ModelProfile;
  readonly atMs: number;
}

interface Lack extends Place {
  readonly need: keyof Needs;
}

export class FleetLessons implements FleetPart {
  readonly #source: HealthSource;
  readonly #clock: LearningClock;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** The entries that were applied, so that each is read once. */
  #applied = new Set<string>();

  constructor(source: HealthSource, clock: LearningClock) {
    this.#source = source;
    this.#clock = clock;
  }

  outgoing({ put }: ChangeList, view: FleetView, nowMs: number): void {
    if (nowMs - this.#lookedAtMs < lookEveryMs) return;
    this.#lookedAtMs = nowMs;
    let room: number | undefined;
    for (const home of this.#source.homes()) {
      if (home.health.learned === undefined && !home.health.hasLacks) continue;
      for (const [key, value, untilMs] of lessonsOf(home)) {
        if (untilMs <= nowMs || value.length > valueLengthMax || view.leftMs(key, nowMs) > 0) continue;
        room ??= lessonsMax - [...view.ofKinds('refused', 'lacks')].length;
        if (room-- <= 0) return;
        put.push({ key, value, leftMs: Math.ceil(untilMs - nowMs) });
        this.#applied.add(key);
      }
    }
  }

  incoming(view: FleetView, nowMs: number): void {
    const standing = new Set<string>();
    for (const [key, value, untilMs] of view.ofKinds('refused', 'lacks')) {
      standing.add(key);
      if (!this.#applied.has(key) && untilMs > nowMs) this.#apply(key, value, untilMs);
    }
    this.#applied = standing;
  }

  lost(): void {
    this.#applied.clear();
  }

  #apply(key: string, value: string, untilMs: number): void {
    const lesson = readLesson(value);
    const home = lesson && this.#source.home(lesson.provider, lesson.model);
    if (home === undefined || digestOf(home.provider.baseUrl) !== lesson?.at) return;
    if ('need' in lesson) {
      if (key.startsWith('lacks ')) home.health.lackUntil(lesson.need, untilMs);
      return;
    }
    home.health.learned ??= new LearnedRefusals(this.#clock);
    home.health.learned.receive({ ...lesson, untilMs });
  }
}

function* lessonsOf({ provider, model, health }: Home): Iterable<readonly [string, string, number]> {
  const place: Place = { provider: provider.name, model, at: digestOf(provider.baseUrl) };
  for (const { what, headers, profile, atMs, untilMs } of health.learned?.own() ?? []) {
    const refusal: Refusal = { ...place, what, headers, profile, atMs };
    // The same refusal learned by two replicas is one entry.
    yield [`refused ${digestOf(JSON.stringify({ ...refusal, atMs: 0 }))}`, JSON.stringify(refusal), untilMs];
  }
  for (const [need, untilMs] of health.lackTimes) {
    const value = JSON.stringify({ ...place, need } satisfies Lack);
    yield [`lacks ${digestOf(value)}`, value, untilMs];
  }
}

/** Undefined for what a replica of another version wrote and this one does not understand. */
function readLesson(value: string): Refusal | Lack | undefined {
  try {
    const read = JSON.parse(value) as Partial<Refusal & Lack>;
    if (read.need !== undefined) return read.need in noNeeds ? (read as Lack) : undefined;
    const isWhole = typeof read.what === 'string' && typeof read.headers === 'string' && typeof read.atMs === 'number';
    return isWhole && typeof read.profile === 'object' && read.profile !== null ? (read as Refusal) : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return Bun.hash(text).toString(36);
}
