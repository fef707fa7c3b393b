/**
 * Shares which targets and keys are cooling down or have an open circuit. The notice of an open circuit stays when its
 * time is up, until a probe has succeeded: its removal closes the circuit at every replica.
 */

import type { Health } from '../health.ts';
import type { ChangeList, FleetPart, FleetView } from './fleet-state.ts';
import type { HealthSource, Subject } from './health-source.ts';

type State = 'cooling' | 'open';

const states: readonly State[] = ['cooling', 'open'];
/** Times that differ by less are equal: notices take a while to arrive. */
const slackMs = 500;
/** Shorter cooldowns are not published. */
const leastMs = 100;
/** How long after its time the notice of an open circuit stays if it is not probed. */
const unprobedMs = 60 * 60_000;
/** Models' names come from callers. */
const noticeLengthMax = 400;
const putMax = 500;

export class HealthNotices implements FleetPart {
  readonly #source: HealthSource;
  /** This replica's notices and when their state ends, by this machine's clock. */
  readonly #own = new Map<string, number>();
  /** Notices of other replicas that were applied, likewise. */
  readonly #received = new Map<string, number>();

  constructor(source: HealthSource) {
    this.#source = source;
  }

  outgoing({ remove, put }: ChangeList, _view: FleetView, nowMs: number): void {
    for (const key of this.#noLongerTrue(nowMs)) remove.push({ key });
    let room = putMax;
    for (const [subject, name, health] of this.#source.troubled()) {
      for (const state of states) {
        const key = `${subject} ${state} ${name}`;
        if (room === 0 || !this.#isNews(key, state, health, nowMs)) continue;
        const untilMs = health.ownUntilMs(state);
        this.#own.set(key, untilMs);
        const value = state === 'open' ? String(health.openings) : '';
        put.push({ key, value, leftMs: Math.ceil(untilMs + keptMs(state) - nowMs) });
        room--;
      }
    }
  }

  incoming(view: FleetView, nowMs: number): void {
    for (const [key, value, untilMs] of view.ofKinds('target', 'key')) {
      const found = this.#of(key);
      if (found !== undefined && untilMs > nowMs)
        this.#receive(key, found, untilMs - keptMs(found.state), nowMs, Number(value));
    }
    this.#noticeRemovals(view, nowMs);
  }

  /** What was received ends by itself, and own notices are sent again when the state is back. */
  lost(): void {
    this.#own.clear();
    this.#received.clear();
  }

  #isNews(key: string, state: State, health: Health, nowMs: number): boolean {
    const untilMs = health.ownUntilMs(state);
    if (untilMs === 0 || untilMs + keptMs(state) < nowMs + leastMs || key.length > noticeLengthMax) return false;
    return untilMs - slackMs >= (this.#own.get(key) ?? Number.NEGATIVE_INFINITY);
  }

  /** Own notices that do not apply any more, and those of other replicas that a probe of this one has refuted. */
  #noLongerTrue(nowMs: number): string[] {
    const removed: string[] = [];
    for (const [key, untilMs] of this.#own) {
      const found = this.#of(key);
      const state = stateOf(key);
      const ownMs = found?.health.ownUntilMs(state) ?? 0;
      if (ownMs !== 0 && ownMs + keptMs(state) > nowMs) continue;
      this.#own.delete(key);
      if (untilMs + keptMs(state) > nowMs) removed.push(key);
    }
    for (const key of this.#received.keys()) {
      if (stateOf(key) !== 'open' || this.#of(key)?.health.breakerState(nowMs) !== 'closed') continue;
      this.#received.delete(key);
      removed.push(key);
    }
    return removed;
  }

  #receive(key: string, { health, state }: Found, untilMs: number, nowMs: number, openings: number): void {
    // This replica's own notices come back as well. One that ended here since is removed with the next exchange.
    const knownMs = Math.max(this.#received.get(key) ?? -Infinity, this.#own.get(key) ?? -Infinity);
    if (untilMs <= knownMs + slackMs) return;
    const ownMs = health.ownUntilMs(state);
    if (ownMs !== 0 && ownMs + slackMs >= untilMs) return;
    if (health.applyReported(state, untilMs, nowMs, openings)) this.#received.set(key, untilMs);
  }

  /** A notice that is gone before its time was removed by a replica that has seen the target serve. */
  #noticeRemovals(view: FleetView, nowMs: number): void {
    const isRemoved = (key: string, untilMs: number): boolean =>
      view.leftMs(key, nowMs) === 0 && untilMs + keptMs(stateOf(key)) > nowMs + slackMs;
    for (const [key, untilMs] of this.#received) {
      if (view.leftMs(key, nowMs) > 0) continue;
      this.#received.delete(key);
      if (isRemoved(key, untilMs)) this.#of(key)?.health.takeBack(stateOf(key), nowMs);
    }
    for (const [key, untilMs] of this.#own) {
      if (!isRemoved(key, untilMs)) continue;
      // What is still true here is published again.
      this.#own.delete(key);
      if (stateOf(key) === 'open') this.#of(key)?.health.takeBack('open', nowMs);
    }
  }

  #of(key: string): Found | undefined {
    const [subject, state, ...rest] = key.split(' ');
    if ((subject !== 'target' && subject !== 'key') || (state !== 'cooling' && state !== 'open')) return undefined;
    const health = this.#source.find(subject satisfies Subject, rest.join(' '));
    return health === undefined ? undefined : { health, state };
  }
}

interface Found {
  readonly health: Health;
  readonly state: State;
}

function stateOf(key: string): State {
  return key.split(' ', 2)[1] === 'open' ? 'open' : 'cooling';
}

/** How long a notice is kept after its state has ended. */
function keptMs(state: State): number {
  return state === 'open' ? unprobedMs : 0;
}
