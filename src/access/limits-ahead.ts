/**
 * What a busy process counts ahead in the table that decides for all of them. A level that had many requests here within
 * the last second gets as many counted in advance for the rest of this one, and then its requests are admitted without
 * asking; slots that they free are kept for the next ones. At the end of the second everything unused is returned. So a
 * limit is never exceeded; and where a level is near its limit the table gives nothing in advance, so that it is reached
 * exactly.
 */

import { sliceMs } from './limits.ts';
import type { Entered, LimitEnd, LimitEntry, SharedLimits } from './table-limiter.ts';

/** What a level returns, or what a request's end changes. */
export interface AheadEnd extends LimitEnd {
  /** What the requests of the slice change by. */
  readonly requests: number;
}

/** What a level asks for. */
export interface AheadRequest {
  readonly key: string;
  readonly limits: SharedLimits;
  readonly requests: number;
  readonly tokens: number;
}

/** The table's answer. What is used includes what was given. */
export interface AheadGrant {
  readonly slice: number;
  readonly requestsUsed: number;
  readonly tokensUsed: number;
}

interface Level {
  readonly key: string;
  /** The slice that the following counts are of. */
  slice: number;
  admitted: number;
  reserved: number;
  admittedBefore: number;
  reservedBefore: number;
  /** Whether the table gave something in this slice. */
  isAhead: boolean;
  isAsking: boolean;
  /** How many more requests it asked for already. */
  expected: number;
  /** Counted in the table and unused, where it has such limits. */
  requests: number;
  tokens: number;
  requestsUsed: number;
  tokensUsed: number;
  /** Slots that are taken in the table and used by no request. */
  readonly idle: string[];
  /** The slot in the table that a request has, by the one that it asked for. */
  readonly lent: Map<string, string>;
  /** What requests used more than they reserved, by the slice in which that was counted. */
  readonly differences: Map<number, number>;
}

/** Less than this in the rest of a slice is not worth an operation. */
const wantedMin = 4;
/** A rate within a slice is known after this part of it. */
const knownAfterMs = 100;

/** A server whose clock is further behind than this was replaced by another one. */
const behindMsMax = 5_000;

/** Another process's time or later, from what it answered. It does not run backwards by the time that answers take. */
export class UpperClock {
  readonly #ownMs: () => number;
  #offsetMs: number | undefined;
  #latestMs = 0;

  constructor(ownMs: () => number) {
    this.#ownMs = ownMs;
  }

  /** It said `atMs` when it was asked, at our `sentMs` or later. */
  was(atMs: number, sentMs: number): void {
    this.#offsetMs = atMs - sentMs;
    if (this.#ownMs() + this.#offsetMs < this.#latestMs - behindMsMax) this.#latestMs = 0;
  }

  /** Undefined before its first answer. */
  nowMs(): number | undefined {
    if (this.#offsetMs === undefined) return undefined;
    this.#latestMs = Math.max(this.#latestMs, this.#ownMs() + this.#offsetMs);
    return this.#latestMs;
  }
}

interface AheadOptions {
  /** The table's time, or later; undefined while it is unknown. */
  serverMs(): number | undefined;
  /** Sends what was returned. */
  send(ends: readonly AheadEnd[]): void;
}

export class LimitsAhead {
  readonly #serverMs: () => number | undefined;
  readonly #send: (ends: readonly AheadEnd[]) => void;
  readonly #levels = new Map<string, Level>();
  #timer: Timer | undefined;

  constructor({ serverMs, send }: AheadOptions) {
    this.#serverMs = serverMs;
    this.#send = send;
  }

  /** Admits a request by what was counted ahead. Undefined where the table must be asked. */
  take(entries: readonly LimitEntry[], reserved: number): readonly Entered[] | undefined {
    const atMs = this.#serverMs();
    if (atMs === undefined) return undefined;
    const slice = Math.floor(atMs / sliceMs);
    for (const { key, limits, slot } of entries) {
      const level = this.#levels.get(key);
      if (level === undefined || !level.isAhead || level.slice !== slice) return undefined;
      if (limits.rpm !== undefined && level.requests < 1) return undefined;
      if (limits.tpm !== undefined && level.tokens < reserved) return undefined;
      if (slot !== '' && level.idle.length === 0) return undefined;
    }
    return entries.map((entry) => this.#takeAt(entry, reserved, atMs));
  }

  #takeAt({ key, limits, slot }: LimitEntry, reserved: number, atMs: number): Entered {
    const level = this.#levelAt(key, Math.floor(atMs / sliceMs));
    if (limits.rpm !== undefined) level.requests -= 1;
    if (limits.tpm !== undefined) level.tokens -= reserved;
    const idle = slot === '' ? undefined : level.idle.pop();
    if (idle !== undefined) level.lent.set(slot, idle);
    countHere(level, reserved);
    return {
      slice: level.slice,
      state: {
        denied: undefined,
        retryAfterMs: 0,
        requestsUsed: Math.max(0, level.requestsUsed - level.requests),
        // Those that requests of this second returned were not all counted yet when the table was asked.
        tokensUsed: Math.max(0, level.tokensUsed - level.tokens),
        nowMs: atMs,
        newestRequestSlice: level.slice,
        newestTokenSlice: level.slice,
      },
    };
  }

  /** A request asks the table: what its levels should get beside. */
  wantedFor(entries: readonly LimitEntry[], reserved: number): readonly AheadRequest[] {
    const atMs = this.#serverMs();
    if (atMs === undefined) return [];
    const wanted: AheadRequest[] = [];
    for (const { key, limits } of entries) {
      const level = this.#levelAt(key, Math.floor(atMs / sliceMs));
      countHere(level, reserved);
      if (level.isAsking) continue;
      const requests = wantedOf(level, atMs) - level.expected;
      if (requests < wantedMin) continue;
      const mean = (level.reserved + level.reservedBefore) / (level.admitted + level.admittedBefore);
      level.isAsking = true;
      wanted.push({ key, limits, requests, tokens: limits.tpm === undefined ? 0 : Math.ceil(requests * mean) });
    }
    return wanted;
  }

  /** `grant` is absent where the table gave nothing. */
  answered({ key, limits, requests, tokens }: AheadRequest, grant: AheadGrant | undefined): void {
    const level = this.#levels.get(key);
    if (level !== undefined) level.isAsking = false;
    if (grant === undefined) return;
    const [counted, reserved] = [limits.rpm === undefined ? 0 : requests, limits.tpm === undefined ? 0 : tokens];
    const slice = Math.floor((this.#serverMs() ?? 0) / sliceMs);
    if (slice !== grant.slice) {
      this.#send([{ key, slot: '', slice: grant.slice, difference: -reserved, requests: -counted }]);
      return;
    }
    const own = this.#levelAt(key, slice);
    own.isAhead = true;
    own.expected += requests;
    own.requests += counted;
    own.tokens += reserved;
    own.requestsUsed = grant.requestsUsed;
    own.tokensUsed = grant.tokensUsed;
    this.#schedule();
  }

  /** Which of these ends the table must get now; the rest is kept for the next requests. */
  leave(ends: readonly LimitEnd[]): readonly AheadEnd[] {
    const atMs = this.#serverMs();
    const slice = atMs === undefined ? 0 : Math.floor(atMs / sliceMs);
    const now: AheadEnd[] = [];
    for (const end of ends) {
      const level = this.#levels.get(end.key);
      const slot = level?.lent.get(end.slot) ?? end.slot;
      level?.lent.delete(end.slot);
      if (level === undefined || !level.isAhead || level.slice !== slice) {
        now.push({ ...end, slot, requests: 0 });
        continue;
      }
      if (slot !== '') level.idle.push(slot);
      if (end.difference < 0 && end.slice === slice) level.tokens -= end.difference;
      else if (end.difference !== 0)
        level.differences.set(end.slice, (level.differences.get(end.slice) ?? 0) + end.difference);
    }
    return now;
  }

  /** Returns everything that no request uses. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send([...this.#levels.values()].flatMap(lapse));
  }

  /** The table is gone, and with it what this gives back. Slots that requests use stay theirs. */
  forget(): readonly AheadEnd[] {
    return [...this.#levels.values()].flatMap(lapse);
  }

  /** Brings the counts of a level to this slice; what it had ahead for an earlier one is returned. */
  #levelAt(key: string, slice: number): Level {
    const known = this.#levels.get(key);
    if (known === undefined) {
      const made = newLevel(key, slice);
      this.#levels.set(key, made);
      this.#schedule();
      return made;
    }
    if (known.slice === slice) return known;
    const returned = lapse(known);
    if (returned.length > 0) this.#send(returned);
    const isNext = known.slice === slice - 1;
    known.admittedBefore = isNext ? known.admitted : 0;
    known.reservedBefore = isNext ? known.reserved : 0;
    known.admitted = 0;
    known.reserved = 0;
    known.slice = slice;
    return known;
  }

  /** At the end of the slice, while there is a level that may have something to return or to be forgotten. */
  #schedule(): void {
    if (this.#timer !== undefined) return;
    const atMs = this.#serverMs() ?? 0;
    this.#timer = setTimeout(() => this.#endSlice(), sliceMs - (atMs % sliceMs));
    this.#timer.unref();
  }

  #endSlice(): void {
    this.#timer = undefined;
    const slice = Math.floor((this.#serverMs() ?? 0) / sliceMs);
    const returned: AheadEnd[] = [];
    for (const [key, level] of this.#levels) {
      if (level.slice === slice) continue;
      returned.push(...lapse(level));
      if (level.slice < slice - 1 && level.lent.size === 0) this.#levels.delete(key);
    }
    if (returned.length > 0) this.#send(returned);
    if (this.#levels.size > 0) this.#schedule();
  }
}

const newLevel = (key: string, slice: number): Level => ({
  key,
  slice,
  admitted: 0,
  reserved: 0,
  admittedBefore: 0,
  reservedBefore: 0,
  isAhead: false,
  isAsking: false,
  expected: 0,
  requests: 0,
  tokens: 0,
  requestsUsed: 0,
  tokensUsed: 0,
  idle: [],
  lent: new Map(),
  differences: new Map(),
});

function countHere(level: Level, reserved: number): void {
  level.admitted += 1;
  level.reserved += reserved;
  level.expected = Math.max(0, level.expected - 1);
}

/** How many requests the rest of the slice will have, by the last one and by this one so far. */
function wantedOf({ slice, admitted, admittedBefore }: Level, atMs: number): number {
  const passedMs = atMs - slice * sliceMs;
  const before = admittedBefore / sliceMs;
  const perMs = passedMs < knownAfterMs ? before : Math.max(before, admitted / passedMs);
  return Math.floor(perMs * (sliceMs - passedMs));
}

/** What a level has ahead is taken from it, to be returned. */
function lapse(level: Level): readonly AheadEnd[] {
  const ends: AheadEnd[] = [];
  const { key, slice } = level;
  for (const slot of level.idle.splice(0)) ends.push({ key, slot, slice, difference: 0, requests: 0 });
  for (const [of, difference] of level.differences) ends.push({ key, slot: '', slice: of, difference, requests: 0 });
  level.differences.clear();
  if (level.requests > 0 || level.tokens > 0)
    ends.push({ key, slot: '', slice, difference: -level.tokens, requests: -level.requests });
  level.isAhead = false;
  level.expected = 0;
  level.requests = 0;
  level.tokens = 0;
  return ends;
}
