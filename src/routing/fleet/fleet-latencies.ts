/** Shares the time to the first event of each target, for replicas that have not measured it recently. */

import type { ChangeList, FleetPart, FleetView } from './fleet-state.ts';
import type { HealthSource } from './health-source.ts';

/** A measurement that old counts for nothing. */
const keptMs = 60_000;
const publishEveryMs = 5_000;
/** A smaller difference is not published while the entry is recent. */
const notableShare = 0.25;
const putMax = 100;
const nameLengthMax = 400;

export class FleetLatencies implements FleetPart {
  readonly #source: HealthSource;
  #publishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(source: HealthSource) {
    this.#source = source;
  }

  /** Of targets that were measured since the last time: an idle replica publishes nothing. */
  outgoing({ put }: ChangeList, view: FleetView, nowMs: number): void {
    if (nowMs - this.#publishedAtMs < publishEveryMs) return;
    const sinceMs = this.#publishedAtMs;
    this.#publishedAtMs = nowMs;
    let room = putMax;
    for (const { provider, model, health } of this.#source.homes()) {
      const own = health.ownLatency;
      if (own === undefined || own.atMs < sinceMs || room === 0) continue;
      const key = `latency ${provider.name} ${model}`;
      const isRecent = view.leftMs(key, nowMs) > keptMs / 2;
      const sharedMs = isRecent ? Number(view.value(key)) : undefined;
      if (sharedMs !== undefined && Math.abs(own.firstEventMs - sharedMs) <= notableShare * sharedMs) continue;
      if (key.length > nameLengthMax) continue;
      // Replicas that measure different times meet in the middle.
      const value = String(Math.ceil((own.firstEventMs + (sharedMs ?? own.firstEventMs)) / 2));
      put.push({ key, value, leftMs: keptMs });
      room--;
    }
  }

  incoming(view: FleetView, nowMs: number): void {
    for (const [key, value, untilMs] of view.ofKinds('latency')) {
      const [, provider = '', ...model] = key.split(' ');
      const firstEventMs = Number(value);
      if (!(firstEventMs > 0) || untilMs <= nowMs) continue;
      this.#source.home(provider, model.join(' '))?.health.reportLatency({ firstEventMs, atMs: untilMs - keptMs });
    }
  }

  /** What was received fades by itself. */
  lost(): void {}
}
