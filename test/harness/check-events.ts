/** The grammar of a stream, written once: every reader's events and every test's events must pass it. */

import type { PartOpening, StreamEvent } from '../../src/conversation/text-reply.ts';
import { type Usage, unknownUsage } from '../../src/conversation/usage.ts';

/** A broken reader breaks the same rule at every event; the first ones are enough. */
const violationsMax = 100;

/** Everything that is wrong with a stream that has come to its end; empty for a good one. */
export function checkEvents(events: Iterable<StreamEvent>): string[] {
  const check = new EventCheck();
  for (const event of events) check.see(event);
  check.end();
  return check.violations;
}

interface CandidateState {
  /** Parts are numbered in order of opening, so this is the next number. */
  partsOpened: number;
  readonly open: Map<number, PartOpening>;
  ended: boolean;
}

type Counts = Readonly<Record<string, number | undefined>>;

type PieceType = 'text-delta' | 'thinking-delta' | 'tool-input-delta' | 'media-delta' | 'citation' | 'seal';

/** Which parts take which pieces. */
const takers: Readonly<Record<PieceType, readonly PartOpening['type'][]>> = {
  'text-delta': ['text', 'refusal'],
  'thinking-delta': ['thinking'],
  'tool-input-delta': ['tool-call'],
  'media-delta': ['media'],
  citation: ['text'],
  seal: ['text', 'thinking', 'tool-call'],
};

export class EventCheck {
  readonly violations: string[] = [];
  #seen = 0;
  #started = false;
  #over: 'reply-end' | 'failure' | undefined;
  #usage: Usage = unknownUsage;
  readonly #candidates = new Map<number, CandidateState>();

  see(event: StreamEvent): void {
    this.#seen += 1;
    if (this.#over !== undefined) {
      this.#complain(event.type, `comes after ${this.#over}`);
      return;
    }
    if (event.type === 'reply-start') {
      if (this.#started) this.#complain(event.type, 'comes a second time');
      this.#started = true;
      return;
    }
    // A provider may fail before its first event.
    if (!this.#started && event.type !== 'failure') this.#complain(event.type, 'comes before reply-start');
    this.#seeInside(event);
  }

  /** No more events will come. */
  end(): void {
    if (this.#over === undefined) this.#complain('the stream', 'ends without reply-end or failure');
  }

  #seeInside(event: Exclude<StreamEvent, { type: 'reply-start' }>): void {
    switch (event.type) {
      case 'part-start':
        this.#openPart(event.type, event.candidate, event.part)?.open.set(event.part, event.opening);
        break;
      case 'part-end':
        if (!this.#candidate(event.type, event.candidate).open.delete(event.part)) {
          this.#complain(event.type, `part ${event.candidate}.${event.part} is not open`);
        }
        break;
      case 'candidate-end':
        this.#endCandidate(event.candidate);
        break;
      case 'usage':
        this.#seeUsage(event.usage);
        break;
      case 'native':
        if (event.part !== undefined) this.#openPart(event.type, event.candidate ?? 0, event.part);
        break;
      case 'reply-end':
        this.#over = event.type;
        for (const [index, { ended }] of this.#candidates) {
          if (!ended) this.#complain(event.type, `candidate ${index} has not ended`);
        }
        break;
      case 'failure':
        this.#over = event.type;
        break;
      default:
        this.#seePiece(event);
    }
  }

  #seePiece(event: Extract<StreamEvent, { type: PieceType }>): void {
    const opening = this.#candidate(event.type, event.candidate).open.get(event.part);
    const place = `part ${event.candidate}.${event.part}`;
    if (opening === undefined) {
      this.#complain(event.type, `${place} is not open`);
      return;
    }
    if (!takers[event.type].includes(opening.type)) {
      this.#complain(event.type, `does not belong into ${place}, which is of type ${opening.type}`);
    }
    if (opening.type === 'media' && opening.source !== undefined) {
      this.#complain(event.type, `${place} was complete when it opened`);
    }
  }

  /** A native part opens and closes in one event. */
  #openPart(type: string, index: number, part: number): CandidateState | undefined {
    const candidate = this.#candidate(type, index);
    if (part < candidate.partsOpened) {
      this.#complain(type, `part ${index}.${part} was opened before`);
      return undefined;
    }
    if (part !== candidate.partsOpened) {
      this.#complain(type, `part ${index}.${part} opens where ${index}.${candidate.partsOpened} is next`);
    }
    candidate.partsOpened = part + 1;
    return candidate;
  }

  #endCandidate(index: number): void {
    const candidate = this.#candidate('candidate-end', index);
    for (const part of candidate.open.keys()) this.#complain('candidate-end', `part ${index}.${part} is still open`);
    candidate.ended = true;
  }

  #candidate(type: string, index: number): CandidateState {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      if (!Number.isSafeInteger(index) || index < 0) this.#complain(type, `${index} is no candidate`);
      candidate = { partsOpened: 0, open: new Map(), ended: false };
      this.#candidates.set(index, candidate);
    }
    if (candidate.ended) this.#complain(type, `candidate ${index} has ended`);
    return candidate;
  }

  #seeUsage(usage: Usage): void {
    this.#usage = {
      input: this.#seeCounts('input', this.#usage.input, usage.input),
      output: this.#seeCounts('output', this.#usage.output, usage.output),
    };
  }

  #seeCounts(side: string, before: Counts, now: Counts): Counts {
    const known: Record<string, number | undefined> = { ...before };
    for (const [name, count] of Object.entries(now)) {
      if (count === undefined) continue;
      const earlier = known[name];
      if (earlier !== undefined && count < earlier) {
        this.#complain('usage', `${side}.${name} shrinks from ${earlier} to ${count}`);
      }
      known[name] = count;
    }
    return known;
  }

  #complain(type: string, what: string): void {
    if (this.violations.length < violationsMax) this.violations.push(`event ${this.#seen} (${type}): ${what}`);
  }
}
