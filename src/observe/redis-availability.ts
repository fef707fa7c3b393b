/**
 * Whether Redis can be used, as the log, the metric and the conditions show it: a lost connection is none of their matters, and
 * a Redis that works for a moment between two failures is not back.
 */

import type { Conditions } from './conditions.ts';
import type { Logger } from './logger.ts';

/** An outage of less than this is a line of the log. */
const graceMs = 3_000;
/** It is back when it has worked for so long. */
const steadyMs = 2_000;

interface AvailabilityParts {
  readonly conditions: Pick<Conditions, 'set'>;
  readonly logger: Pick<Logger, 'info'>;
  /** Calls back once, after so long, unless it is canceled by what it returns. */
  readonly later?: (work: () => void, afterMs: number) => () => void;
}

function unreferenced(work: () => void, afterMs: number): () => void {
  const timer = setTimeout(work, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}

type State = 'unknown' | 'up' | 'failing' | 'overdue' | 'down';

export class RedisAvailability {
  readonly #parts: AvailabilityParts;
  readonly #later: NonNullable<AvailabilityParts['later']>;
  /** `failing` lasts for the grace, `overdue` until it fails once more or is back, and `down` is a condition. */
  #state: State = 'unknown';
  #works = false;
  #reason = '';
  #cancelGrace: () => void = () => undefined;
  #cancelSteady: () => void = () => undefined;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    this.#later = parts.later ?? unreferenced;
  }

  get up(): boolean {
    return this.#state === 'up';
  }

  /** What the connection found, each time that it changes. */
  readonly changed = (works: boolean, reason = ''): void => {
    this.#works = works;
    this.#cancelSteady();
    if (works) this.#worked();
    else this.#failed(reason);
  };

  #worked(): void {
    if (this.#state === 'up') return;
    if (this.#state !== 'unknown') {
      this.#cancelSteady = this.#later(() => this.#back(), steadyMs);
      return;
    }
    this.#state = 'up';
    this.#parts.logger.info('Redis answers: replicas share rate limits and the state of providers.');
  }

  #failed(reason: string): void {
    this.#reason = reason;
    if (this.#state === 'up') {
      this.#state = 'failing';
      this.#cancelGrace = this.#later(() => this.#graceOver(), graceMs);
    } else if (this.#state !== 'failing') this.#down();
  }

  #graceOver(): void {
    if (this.#works) this.#state = 'overdue';
    else this.#down();
  }

  #down(): void {
    this.#state = 'down';
    const what =
      'Each replica counts rate limits by itself, and has its own open circuits, cooldowns, probes and learned refusals.';
    this.#parts.conditions.set('redis', `Redis cannot be used: ${withEnd(this.#reason)} ${what}`);
  }

  #back(): void {
    this.#cancelGrace();
    if (this.#state !== 'down')
      this.#parts.logger.info('Redis could not be used for a moment; each replica counted rate limits by itself.', {
        cause: this.#reason,
      });
    this.#state = 'up';
    this.#parts.conditions.set('redis', undefined);
  }
}

const withEnd = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
