/**
 * Parts that run side by side, one after the other: for formats that have one field for several parts, or one list without
 * numbers, where pieces of two parts at once would mix their words.
 */

import type { PartOpening, StreamEvent } from '../text-reply.ts';

/** Parts of one lane wait for each other; undefined means that the part may run beside any other. A native part has no opening. */
export type LaneOf = (opening: PartOpening | undefined) => string | undefined;

interface Waiting {
  readonly part: number;
  readonly lane: string;
  /** What was said of it before its turn. */
  readonly held: StreamEvent[];
  ended: boolean;
}

type PartEvent = StreamEvent & { readonly candidate: number; readonly part: number };

export class PartOrder {
  readonly #laneOf: LaneOf;
  /** By candidate, the open parts of all lanes in order of opening. */
  readonly #open = new Map<number, Waiting[]>();
  /** How many parts wait; nearly always none, and then nothing has to be looked up. */
  #waiting = 0;

  constructor(laneOf: LaneOf) {
    this.#laneOf = laneOf;
  }

  /** What may be said now; undefined means the event itself. */
  arrange(event: StreamEvent): readonly StreamEvent[] | undefined {
    switch (event.type) {
      case 'part-start':
        return this.#start(event, this.#laneOf(event.opening), false);
      case 'native':
        if (event.candidate === undefined || event.part === undefined) return undefined;
        return this.#start(event as PartEvent, this.#laneOf(undefined), true);
      case 'part-end':
        return this.#end(event);
      default:
        if (this.#waiting === 0 || !('part' in event)) return undefined;
        return this.#hold(event);
    }
  }

  #start(event: PartEvent, lane: string | undefined, ended: boolean): readonly StreamEvent[] | undefined {
    if (lane === undefined) return undefined;
    const open = this.#open.get(event.candidate) ?? [];
    this.#open.set(event.candidate, open);
    const isFree = !open.some((other) => other.lane === lane);
    if (isFree && ended) return undefined;
    open.push({ part: event.part, lane, held: isFree ? [] : [event], ended });
    if (isFree) return undefined;
    this.#waiting += 1;
    return [];
  }

  #hold(event: PartEvent): readonly StreamEvent[] | undefined {
    const open = this.#open.get(event.candidate) ?? [];
    const waiting = open.find(({ part }) => part === event.part);
    if (waiting === undefined || isFirst(waiting, open)) return undefined;
    waiting.held.push(event);
    return [];
  }

  #end(event: PartEvent): readonly StreamEvent[] | undefined {
    const open = this.#open.get(event.candidate);
    const place = open?.findIndex(({ part }) => part === event.part) ?? -1;
    const ending = open?.[place];
    if (open === undefined || ending === undefined) return undefined;
    if (!isFirst(ending, open)) {
      ending.held.push(event);
      ending.ended = true;
      return [];
    }
    open.splice(place, 1);
    if (this.#waiting === 0) return undefined;
    return [event, ...this.#next(ending.lane, open)];
  }

  /** Those whose turn has come: all that have ended already, and the first that has not. */
  #next(lane: string, open: Waiting[]): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (;;) {
      const place = open.findIndex((other) => other.lane === lane);
      const next = open[place];
      if (next === undefined) return events;
      this.#waiting -= 1;
      for (const event of next.held.splice(0)) events.push(event);
      if (!next.ended) return events;
      open.splice(place, 1);
    }
  }
}

function isFirst(waiting: Waiting, open: readonly Waiting[]): boolean {
  return open.find(({ lane }) => lane === waiting.lane) === waiting;
}
