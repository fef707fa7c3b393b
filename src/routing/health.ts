/**
 * The health of a target or a key: cooldown, circuit breaker, requests in flight, time to first event,
 * and learned refusals.
 */

import type { Needs } from '../conversation/needs.ts';
import { Absence } from './absence.ts';
import { Breaker, type BreakerRules, type BreakerState, type ProbeTurns, type Turn } from './breaker.ts';
import type { LearnedRefusals } from './learned-refusals.ts';

/** The share of a new measurement in the smoothed one. */
const newShare = 0.2;
/** An old measurement counts half after this time, so that a target that was slow once is tried again. */
const halfLifeMs = 10_000;
/** A reply that came at once says nothing about how quickly a model writes. */
const speedMsMin = 100;
/** How long a model counts as unable to do what it refused. */
const lackMs = 60 * 60_000;
/**
 * A target that served here so recently is not opened by other replicas' reports: a replica with a broken network must
 * not cut it off for all.
 */
const provenMs = 1_000;
/** The earliest time of a circuit that is not closed: 0 means closed. */
const firstMs = 1;
const noLacks: ReadonlyMap<keyof Needs, number> = new Map();

/** A smoothed time to the first event, and when it was measured. */
interface Latency {
  readonly firstEventMs: number;
  readonly atMs: number;
}

type HealthState = 'ready' | 'cooling' | 'open' | 'half-open';

export class Health {
  readonly #breaker: Breaker;
  #coolUntilMs = 0;
  /** The same, as other replicas report it. */
  #reportedCoolUntilMs = 0;
  #coolings = 0;
  #servedAtMs = Number.NEGATIVE_INFINITY;
  #asked = false;
  #inFlight = 0;
  #measured: Latency | undefined;
  /** The same, as other replicas report it. */
  #reported: Latency | undefined;
  #tokensPerSecond: number | undefined;
  #lacks: Map<keyof Needs, number> | undefined;
  /** Until when it counts as without the paths beside that of its format. */
  #withoutPathUntilMs = 0;
  /** Of a target: parameters that it refused. Absent until it refused one. */
  learned: LearnedRefusals | undefined;
  /** Of a target that said it does not have the model, until it serves again. */
  absence: Absence | undefined;

  constructor(rules?: BreakerRules) {
    this.#breaker = new Breaker(rules);
  }

  /** It answered that there is no such path. */
  lacksFurtherPath(nowMs: number): void {
    this.#withoutPathUntilMs = nowMs + lackMs;
  }

  hasFurtherPath(nowMs: number): boolean {
    return nowMs >= this.#withoutPathUntilMs;
  }

  coolUntil(atMs: number): void {
    this.#coolUntilMs = Math.max(this.#coolUntilMs, atMs);
  }

  /**
   * It asked to wait and did not say how long: the cooldown doubles each time it asks again without
   * having served in between.
   */
  coolFor(nowMs: number, leastMs: number, mostMs: number): void {
    // A request that was in flight when it first asked is no new evidence.
    if (nowMs < this.#coolUntilMs) return;
    this.coolUntil(nowMs + Math.min(mostMs, leastMs * 2 ** this.#coolings));
    this.#coolings = Math.min(this.#coolings + 1, 16);
  }

  isCooling(nowMs: number): boolean {
    return nowMs < this.coolsUntilMs;
  }

  get coolsUntilMs(): number {
    return Math.max(this.#coolUntilMs, this.#reportedCoolUntilMs);
  }

  /** Until when it is skipped because of what this process observed itself, which is what other replicas may learn. */
  ownUntilMs(state: 'cooling' | 'open'): number {
    return state === 'open' ? this.#breaker.ownUntilMs : this.#coolUntilMs;
  }

  /** Is there anything of this process's own that other replicas may learn? */
  get hasOwnState(): boolean {
    return this.#coolUntilMs !== 0 || this.#breaker.ownUntilMs !== 0;
  }

  /** Another replica reports it as cooling down or open. Returns false where that is ignored. */
  applyReported(state: 'cooling' | 'open', untilMs: number, nowMs: number, openings = 0): boolean {
    if (state === 'cooling') this.#reportedCoolUntilMs = Math.max(this.#reportedCoolUntilMs, untilMs);
    else if (nowMs - this.#servedAtMs < provenMs) return false;
    // Its time is up, and it was not probed yet: that says nothing new of one that is not closed here.
    else if (untilMs > nowMs || this.#breaker.openUntilMs === 0)
      this.#breaker.openUntil(Math.max(untilMs, firstMs), openings);
    return true;
  }

  /** Another replica has seen it serve, or the replica that reported the cooldown withdraws it. */
  takeBack(state: 'cooling' | 'open', nowMs: number): void {
    if (state === 'cooling') this.#reportedCoolUntilMs = 0;
    else this.#breaker.takeBack(nowMs);
  }

  /** Lets replicas take turns at probing it. */
  shareProbes(turns: ProbeTurns): void {
    this.#breaker.turns = turns;
  }

  get isProbing(): boolean {
    return this.#breaker.isProbing;
  }

  get openings(): number {
    return this.#breaker.openings;
  }

  state(nowMs: number): HealthState {
    const breaker = this.#breaker.state(nowMs);
    if (breaker === 'open') return breaker;
    if (this.isCooling(nowMs)) return 'cooling';
    return breaker === 'half-open' ? breaker : 'ready';
  }

  /** Was it ever called? */
  get asked(): boolean {
    return this.#asked;
  }

  breakerState(nowMs: number): BreakerState {
    return this.#breaker.state(nowMs);
  }

  /** May a request be sent now? */
  admits(nowMs: number): boolean {
    return nowMs >= this.#coolUntilMs && nowMs >= this.#reportedCoolUntilMs && this.#breaker.admits(nowMs);
  }

  /**
   * The earliest time at which it may be called; infinity while a probe is in flight, because that has no known end. One
   * that is ready may still have to wait for the answer to whether this replica may probe it.
   */
  readyAtMs(nowMs: number): number {
    const laterMs = Math.max(this.coolsUntilMs, this.#breaker.openUntilMs);
    if (laterMs > nowMs) return laterMs;
    const isProbed = this.#breaker.openUntilMs !== 0 && this.#breaker.isProbed(nowMs);
    return isProbed ? Number.POSITIVE_INFINITY : nowMs;
  }

  /** Admits a request, in the same turn of the event loop as `admits`: of many waiting requests, one is the probe. */
  enter(nowMs: number): Turn {
    return this.#breaker.enter(nowMs);
  }

  /** The request is sent. */
  begin(): void {
    this.#inFlight++;
    this.#asked = true;
  }

  /** A request that was sent is over, whatever its outcome. */
  end(): void {
    this.#inFlight--;
  }

  succeeded(turn: Turn, nowMs: number): void {
    this.#coolings = 0;
    this.#servedAtMs = nowMs;
    this.absence = undefined;
    this.#breaker.succeeded(turn, nowMs);
  }

  /** The first part of a streamed reply is here. */
  answered(turn: Turn): void {
    this.#breaker.answered(turn);
  }

  failed(turn: Turn, nowMs: number): void {
    this.#breaker.failed(turn, nowMs);
  }

  /** It does not have the model, as it answered this caller. */
  cannotServe(tokenId: string, nowMs: number): void {
    this.absence ??= new Absence();
    this.absence.note(tokenId, nowMs);
  }

  /** One failure is enough to open the breaker. */
  trip(turn: Turn, nowMs: number): void {
    this.#breaker.trip(turn, nowMs);
  }

  /** It is known to be unusable for every caller. */
  refuse(nowMs: number): void {
    this.#breaker.refuse(nowMs);
  }

  /** When it last served; minus infinity where it never did. */
  get servedAtMs(): number {
    return this.#servedAtMs;
  }

  /** The request ended without evidence about it. */
  abandoned(turn: Turn): void {
    this.#breaker.abandoned(turn);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  measured(firstEventMs: number, nowMs: number): void {
    const before = this.firstEventMs(nowMs);
    const smoothedMs = before === 0 ? firstEventMs : before + newShare * (firstEventMs - before);
    this.#measured = { firstEventMs: smoothedMs, atMs: nowMs };
  }

  /** Smoothed, and fading with time; 0 where nothing is known. Other replicas' measurements count where there is no recent one. */
  firstEventMs(nowMs: number): number {
    const known = this.#latency(nowMs);
    return known === undefined ? 0 : known.firstEventMs * 2 ** (-(nowMs - known.atMs) / halfLifeMs);
  }

  #latency(nowMs: number): Latency | undefined {
    const own = this.#measured;
    if (this.#reported === undefined || own === undefined) return own ?? this.#reported;
    return nowMs - own.atMs < halfLifeMs || own.atMs >= this.#reported.atMs ? own : this.#reported;
  }

  /** As this process measured it. */
  get ownLatency(): Latency | undefined {
    return this.#measured;
  }

  /** Other replicas measured it. */
  reportLatency(reported: Latency): void {
    this.#reported = reported;
  }

  /** A reply that came whole: what one wrote, reasoning included, and how long it took from its dispatch. */
  wrote(tokens: number, tookMs: number): void {
    if (tookMs < speedMsMin) return;
    const perSecond = (tokens * 1_000) / tookMs;
    const before = this.#tokensPerSecond;
    this.#tokensPerSecond = before === undefined ? perSecond : before + newShare * (perSecond - before);
  }

  /** Smoothed; undefined where nothing was measured. */
  get tokensPerSecond(): number | undefined {
    return this.#tokensPerSecond;
  }

  learnLack(need: keyof Needs, nowMs: number): void {
    this.lackUntil(need, nowMs + lackMs);
  }

  lackUntil(need: keyof Needs, untilMs: number): void {
    this.#lacks ??= new Map();
    this.#lacks.set(need, Math.max(untilMs, this.#lacks.get(need) ?? 0));
  }

  /** What it counts as unable to do, each until a time, which may have passed. */
  get lackTimes(): ReadonlyMap<keyof Needs, number> {
    return this.#lacks ?? noLacks;
  }

  lacks(need: keyof Needs, nowMs: number): boolean {
    return this.#lacks !== undefined && (this.#lacks.get(need) ?? 0) > nowMs;
  }

  get hasLacks(): boolean {
    return this.#lacks !== undefined;
  }
}
