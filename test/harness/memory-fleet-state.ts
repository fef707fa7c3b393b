/** The state that replicas share, in memory, with a clock that a test moves. */

import {
  type FleetChanges,
  type FleetReading,
  type FleetState,
  fleetEntriesMax,
  hasChanges,
} from '../../src/routing/fleet/fleet-state.ts';

export class MemoryFleetState implements FleetState {
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, { readonly value: string; readonly untilMs: number }>();
  #revision = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  async exchange(changes: FleetChanges, knownRevision?: string): Promise<FleetReading> {
    const nowMs = this.#nowMs();
    for (const [key, { untilMs }] of this.#entries) if (untilMs <= nowMs) this.#entries.delete(key);
    for (const { key, value } of changes.remove)
      if (value === undefined || this.#entries.get(key)?.value === value) this.#entries.delete(key);
    for (const { key, value, leftMs } of changes.put) {
      if (this.#entries.size >= fleetEntriesMax) break;
      const untilMs = Math.max(nowMs + leftMs, this.#entries.get(key)?.untilMs ?? 0);
      this.#entries.set(key, { value, untilMs });
    }
    const claimed = changes.claim.filter(({ key, value, leftMs }) => {
      if ((this.#entries.get(key)?.value ?? value) !== value) return false;
      this.#entries.set(key, { value, untilMs: nowMs + leftMs });
      return true;
    });
    if (hasChanges(changes)) this.#revision++;
    const reading = { revision: String(this.#revision), claimed: claimed.map(({ key }) => key) };
    if (reading.revision === knownRevision) return reading;
    const entries = [...this.#entries].map(([key, { value, untilMs }]) => ({ key, value, leftMs: untilMs - nowMs }));
    return { ...reading, entries };
  }
}
