/**
 * The responses of one live conversation that may begin and have not: those the client asked for, in the order of its frames, and
 * spare ones for what the provider may start by itself. Each is a row with its cost reserved.
 */

import type { OutputLimit } from '../formats/openai-realtime/settings.ts';
import type { Target } from '../routing/catalogue.ts';
import type { CheckedFrame } from './client-checks.ts';
import { covers, type ResponseBounds } from './response-bounds.ts';
import type { Turn } from './turn.ts';

/** A request for a response that was passed on. */
interface Ask {
  readonly turn: Turn;
  readonly eventId: string | undefined;
  readonly metadata: string | undefined;
  readonly limit: OutputLimit | undefined;
  readonly sentAtMs: number;
  /** Its answer is not expected any more. Its reservation stays. */
  doubtful: 'perhaps refused' | 'late' | undefined;
}

export interface BegunResponse {
  readonly metadata: string | undefined;
  readonly outputLimit: OutputLimit | undefined;
}

/** What counts of a frame. */
export type CostlyFrame = Pick<CheckedFrame, 'starts' | 'audioBytes' | 'outputLimit' | 'transcription'>;

export class Reservations {
  #spares: Turn[] = [];
  #asks: Ask[] = [];

  get spares(): readonly Turn[] {
    return this.#spares;
  }

  get asks(): readonly Ask[] {
    return this.#asks;
  }

  addSpare(turn: Turn): void {
    this.#spares.push(turn);
  }

  addAsk(ask: Ask): void {
    this.#asks.push(ask);
  }

  /** What must be reserved before the frame may be passed on: the limit of one more response; nothing where all is. */
  lacks(
    frame: CostlyFrame,
    allowed: ResponseBounds,
    target: Target | undefined,
    nowMs: number,
  ): OutputLimit | undefined {
    if (frame.starts === 'nothing') return undefined;
    const usual = allowed.outputLimit;
    const spares = this.#spares.filter((turn) => isGood(turn, target, usual));
    if (frame.starts === 'audio') {
      return spares.length >= Math.max(1, allowed.turnsOf(frame.audioBytes, nowMs)) ? undefined : usual;
    }
    const limit = frame.outputLimit ?? usual;
    const best = this.#bestFor(limit, target);
    if (best === undefined) return limit;
    if (spares.filter((turn) => turn !== best).length >= allowed.turnsDue(nowMs)) return undefined;
    return best.outputLimit === limit ? usual : limit;
  }

  /** The smallest that covers it: a larger one may be needed by the next. */
  #bestFor(limit: OutputLimit, target: Target | undefined): Turn | undefined {
    return this.#spares
      .filter((turn) => isGood(turn, target, limit))
      .toSorted((a, b) => (covers(a.outputLimit, b.outputLimit) ? 1 : -1))[0];
  }

  takeSpare(limit: OutputLimit, target: Target | undefined): Turn | undefined {
    return this.#without(this.#bestFor(limit, target));
  }

  anySpare(): Turn | undefined {
    return this.#without(this.#spares[0]);
  }

  /** Those for another model, and those beyond so many. */
  dropSpares(target: Target | undefined, most: number): readonly Turn[] {
    const kept = this.#spares.filter((turn) => turn.given.target === target).slice(0, most);
    const dropped = this.#spares.filter((turn) => !kept.includes(turn));
    this.#spares = kept;
    return dropped;
  }

  #without(turn: Turn | undefined): Turn | undefined {
    if (turn !== undefined) this.#spares = this.#spares.filter((each) => each !== turn);
    return turn;
  }

  /** The request that a response answers: by its metadata, by its limit, else the oldest. */
  begin({ metadata, outputLimit }: BegunResponse): Turn | undefined {
    const candidates = this.#asks.filter(({ doubtful }) => doubtful === undefined);
    const among = candidates.length > 0 ? candidates : this.#asks;
    const named = among.filter((ask) => metadata !== undefined && ask.metadata === metadata);
    const alike = (named.length > 0 ? named : among).filter((ask) => ask.limit === outputLimit);
    const found = alike[0] ?? named[0] ?? among[0];
    if (found === undefined) return undefined;
    this.#asks = this.#asks.filter((ask) => ask !== found);
    return found.turn;
  }

  /** The request that the provider refused; nothing where it refused something else, or does not say what. */
  refused(eventId: string | undefined, ofResponse: boolean): Turn | undefined {
    const found = this.#refusedAsk(eventId, ofResponse);
    if (found === undefined) {
      if (eventId === undefined) for (const ask of this.#asks) ask.doubtful = 'perhaps refused';
      return undefined;
    }
    this.#asks = this.#asks.filter((ask) => ask !== found);
    return found.turn;
  }

  #refusedAsk(eventId: string | undefined, ofResponse: boolean): Ask | undefined {
    if (eventId !== undefined) return this.#asks.find((ask) => ask.eventId === eventId);
    if (!ofResponse) return undefined;
    return this.#asks.find((ask) => ask.eventId === undefined) ?? this.#asks[0];
  }

  /** Everything that did not begin. */
  takeAll(): { readonly spares: readonly Turn[]; readonly asks: readonly Ask[] } {
    const all = { spares: this.#spares, asks: this.#asks };
    this.#spares = [];
    this.#asks = [];
    return all;
  }
}

/** A reservation for another model, or for shorter responses, covers nothing. */
function isGood(turn: Turn, target: Target | undefined, limit: OutputLimit): boolean {
  return turn.given.target === target && covers(turn.outputLimit, limit);
}
