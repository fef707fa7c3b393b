/**
 * What a session's settings allow at this moment: how much one response can write, and how many the provider may start by itself.
 * The provider reports its settings after it applied them, so what the client sent since then counts as well, where it allows more.
 */

import type { SessionFacts } from '../formats/openai-realtime/server-events.ts';
import type { OutputLimit } from '../formats/openai-realtime/settings.ts';

/** 16 bits at 24 kHz, the protocol's own default. */
const defaultBytesPerSecond = 48_000;
/** The least audio that a provider makes a turn of: a word and the silence after it. */
const audioSecondsPerTurn = 1;
/** A provider processes audio at least as fast as it was spoken; this much later it has answered it. */
const processingLagMs = 10_000;

export class ResponseBounds {
  #facts: SessionFacts = {};
  /** The largest limit that the client named and the provider did not confirm yet. */
  #namedLimit: OutputLimit | undefined;
  #namedDetection = false;
  /** Audio that was sent faster than it can have been spoken, at the time of the last frame. */
  #aheadSeconds = 0;
  #aheadAtMs = 0;
  #audioSent = false;

  /** What the provider reports of the session. */
  reported(facts: SessionFacts): void {
    this.#facts = { ...this.#facts, ...facts };
    if (facts.outputLimit === this.#namedLimit) this.#namedLimit = undefined;
    if (facts.detectsTurns === true) this.#namedDetection = false;
  }

  /** What the client's settings for the provider are from now on. */
  named(limit: OutputLimit | undefined, detectsTurns: boolean): void {
    if (limit !== undefined) this.#namedLimit = larger(this.#namedLimit, limit);
    if (detectsTurns) this.#namedDetection = true;
  }

  get facts(): SessionFacts {
    return this.#facts;
  }

  /** Of a response that sets no limit of its own. */
  get outputLimit(): OutputLimit {
    const reported = this.#facts.outputLimit ?? 'inf';
    return this.#namedLimit === undefined ? reported : larger(reported, this.#namedLimit);
  }

  /** Unless the session sets it otherwise: it is the protocol's default. */
  get detectsTurns(): boolean {
    return this.#namedDetection || (this.#facts.detectsTurns ?? true);
  }

  /** The provider may start a response though nothing was sent. */
  get startsWhenIdle(): boolean {
    return this.detectsTurns && this.#facts.startsWhenIdle === true;
  }

  /** How many responses the audio sent so far, with a further piece, may lead to. */
  turnsOf(audioBytes: number, nowMs: number): number {
    if (!this.detectsTurns) return 0;
    return Math.max(1, Math.ceil((this.#ahead(nowMs) + this.#secondsOf(audioBytes)) / audioSecondsPerTurn));
  }

  /** How many of them are still to be expected. */
  turnsDue(nowMs: number): number {
    if (this.startsWhenIdle) return Math.max(1, this.#audioSent ? this.turnsOf(0, nowMs - processingLagMs) : 0);
    return this.#audioSent ? this.turnsOf(0, nowMs - processingLagMs) : 0;
  }

  sent(audioBytes: number, nowMs: number): void {
    this.#aheadSeconds = this.#ahead(nowMs) + this.#secondsOf(audioBytes);
    this.#aheadAtMs = nowMs;
    this.#audioSent = true;
  }

  /** A response began: what it answers is not answered again. */
  answered(): void {
    this.#aheadSeconds = Math.max(0, this.#aheadSeconds - audioSecondsPerTurn);
    if (this.#aheadSeconds === 0) this.#audioSent = false;
  }

  #ahead(nowMs: number): number {
    return Math.max(0, this.#aheadSeconds - Math.max(0, nowMs - this.#aheadAtMs) / 1_000);
  }

  #secondsOf(audioBytes: number): number {
    return audioBytes / (this.#facts.inputBytesPerSecond ?? defaultBytesPerSecond);
  }
}

function larger(first: OutputLimit | undefined, second: OutputLimit): OutputLimit {
  if (first === undefined) return second;
  return first === 'inf' || second === 'inf' ? 'inf' : Math.max(first, second);
}

/** Does a reservation for the one limit cover a response with the other? */
export function covers(reserved: OutputLimit, asked: OutputLimit): boolean {
  return reserved === 'inf' || (asked !== 'inf' && asked <= reserved);
}
