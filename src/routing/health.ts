/** How a target or a key is doing: whether it is to be left alone, how busy it is, how soon it answers, and what it turned out not to know. */

import type { Needs } from '../conversation/needs.ts';
import { Breaker, type BreakerRules, type BreakerState, type Turn } from './breaker.ts';
import type { LearnedRefusals } from './learned-refusals.ts';

/** The share of a new measurement in the smoothed one. */
const newShare = 0.2;
/** An old measurement counts half after this time, so that whoever was slow once is asked again. */
const halfLifeMs = 10_000;
/** What a model could not do is believed for so long. */
const lackMs = 60 * 60_000;
/** Who served here so recently is not left alone on hearsay: a replica with a broken network must not close the doors of all. */
const provenMs = 1_000;

type HealthState = 'ready' | 'cooling' | 'open' | 'half-open';

export class Health {
  readonly #breaker: Breaker;
  #coolUntilMs = 0;
  /** The same, as other replicas say. */
  #heardCoolUntilMs = 0;
  #coolings = 0;
  #servedAtMs = Number.NEGATIVE_INFINITY;
  #asked = false;
  #inFlight = 0;
  #firstEventMs = 0;
  #measuredAtMs = 0;
  #lacks: Map<keyof Needs, number> | undefined;
  /** Of a target: what it refused to be told. Absent until it refused something. */
  learned: LearnedRefusals | undefined;

  constructor(rules?: BreakerRules) {
    this.#breaker = new Breaker(rules);
  }

  coolUntil(atMs: number): void {
    this.#coolUntilMs = Math.max(this.#coolUntilMs, atMs);
  }

  /** It asked to wait and did not say how long: longer each time it asks again without having served anybody between. */
  coolFor(nowMs: number, leastMs: number, mostMs: number): void {
    // What was under way when it first asked says nothing new.
    if (nowMs < this.#coolUntilMs) return;
    this.coolUntil(nowMs + Math.min(mostMs, leastMs * 2 ** this.#coolings));
    this.#coolings = Math.min(this.#coolings + 1, 16);
  }

  isCooling(nowMs: number): boolean {
    return nowMs < this.coolsUntilMs;
  }

  get coolsUntilMs(): number {
    return Math.max(this.#coolUntilMs, this.#heardCoolUntilMs);
  }

  /** Until when it is left alone because of what this process saw itself, which is what others may hear. */
  ownUntilMs(state: 'cooling' | 'open'): number {
    return state === 'open' ? this.#breaker.ownUntilMs : this.#coolUntilMs;
  }

  /** Another replica leaves it alone. */
  hear(state: 'cooling' | 'open', untilMs: number, nowMs: number): void {
    if (state === 'cooling') this.#heardCoolUntilMs = Math.max(this.#heardCoolUntilMs, untilMs);
    else if (nowMs - this.#servedAtMs >= provenMs) this.openUntil(untilMs);
  }

  /** The replica that said so takes it back. */
  takeBack(state: 'cooling' | 'open'): void {
    if (state === 'cooling') this.#heardCoolUntilMs = 0;
    else this.#breaker.takeBack();
  }

  state(nowMs: number): HealthState {
    const breaker = this.#breaker.state(nowMs);
    if (breaker === 'open') return breaker;
    if (this.isCooling(nowMs)) return 'cooling';
    return breaker === 'half-open' ? breaker : 'ready';
  }

  /** Was it ever asked? */
  get asked(): boolean {
    return this.#asked;
  }

  breakerState(nowMs: number): BreakerState {
    return this.#breaker.state(nowMs);
  }

  /** Another replica saw it fail. */
  openUntil(untilMs: number): void {
    this.#breaker.openUntil(untilMs);
  }

  /** May a request go there now? */
  admits(nowMs: number): boolean {
    return nowMs >= this.#coolUntilMs && nowMs >= this.#heardCoolUntilMs && this.#breaker.admits(nowMs);
  }

  /** The earliest moment at which it may be asked again. Now where it may be, unless a probe is out: then nobody can say. */
  readyAtMs(nowMs: number): number {
    const laterMs = Math.max(this.coolsUntilMs, this.#breaker.openUntilMs);
    if (laterMs > nowMs) return laterMs;
    return this.#breaker.admits(nowMs) ? nowMs : Number.POSITIVE_INFINITY;
  }

  /** A request was told to go there, in the same moment in which `admits` was asked: so that of a crowd one is the probe. */
  enter(nowMs: number): Turn {
    return this.#breaker.enter(nowMs);
  }

  /** It goes. */
  begin(): void {
    this.#inFlight++;
    this.#asked = true;
  }

  /** A request that went there is over, however it went. */
  end(): void {
    this.#inFlight--;
  }

  succeeded(turn: Turn, nowMs: number): void {
    this.#coolings = 0;
    this.#servedAtMs = nowMs;
    this.#breaker.succeeded(turn, nowMs);
  }

  /** The first of a reply that comes in pieces is here. */
  answered(turn: Turn): void {
    this.#breaker.answered(turn);
  }

  failed(turn: Turn, nowMs: number): void {
    this.#breaker.failed(turn, nowMs);
  }

  /** One failure is enough to leave it alone. */
  trip(turn: Turn, nowMs: number): void {
    this.#breaker.trip(turn, nowMs);
  }

  /** It is known to be of no use, whoever asks. */
  refuse(nowMs: number): void {
    this.#breaker.refuse(nowMs);
  }

  /** When it last served; before all time where it never did. */
  get servedAtMs(): number {
    return this.#servedAtMs;
  }

  /** The request told nothing about it. */
  abandoned(turn: Turn): void {
    this.#breaker.abandoned(turn);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  measured(firstEventMs: number, nowMs: number): void {
    const before = this.firstEventMs(nowMs);
    this.#firstEventMs = before === 0 ? firstEventMs : before + newShare * (firstEventMs - before);
    this.#measuredAtMs = nowMs;
  }

  /** Smoothed, and fading with time; 0 where nothing is known. */
  firstEventMs(nowMs: number): number {
    if (this.#firstEventMs === 0) return 0;
    return this.#firstEventMs * 2 ** (-(nowMs - this.#measuredAtMs) / halfLifeMs);
  }

  learnLack(need: keyof Needs, nowMs: number): void {
    this.#lacks ??= new Map();
    this.#lacks.set(need, nowMs + lackMs);
  }

  lacks(need: keyof Needs, nowMs: number): boolean {
    return this.#lacks !== undefined && (this.#lacks.get(need) ?? 0) > nowMs;
  }

  get hasLacks(): boolean {
    return this.#lacks !== undefined;
  }
}
