/**
 * What replicas tell each other about providers: entries that any replica writes and all read, each for a limited time.
 * Everything is JSON, so that a state can also be reached through a socket.
 */

export interface FleetEntry {
  readonly key: string;
  /** Empty where the key says it all. */
  readonly value: string;
  readonly leftMs: number;
}

/** Applied together, in this order. */
export interface FleetChanges {
  /** With a value, an entry is removed only if it has that value. */
  readonly remove: readonly { readonly key: string; readonly value?: string }[];
  /** Of two values the last counts, of two times the longer. Nothing is put while there are too many entries. */
  readonly put: readonly FleetEntry[];
  /** Put only if there is no such entry, or one with the same value. */
  readonly claim: readonly FleetEntry[];
}

export interface FleetReading {
  /** Differs from an earlier one if anything but time has changed since. */
  readonly revision: string;
  /** Keys of the claims that succeeded. */
  readonly claimed: readonly string[];
  /** All entries; absent where the revision is the known one. */
  readonly entries?: readonly FleetEntry[];
}

export interface FleetState {
  /**
   * Writes and reads in one operation; rejects if the state is unavailable or does not answer in time. The state counts down the time of entries by
   * its own clock, so that no two machines' clocks are compared.
   */
  exchange(changes: FleetChanges, knownRevision?: string): Promise<FleetReading>;
}

/** More would be a mistake: every replica reads all of them after each change. */
export const fleetEntriesMax = 2_000;

export function hasChanges({ remove, put, claim }: FleetChanges): boolean {
  return remove.length + put.length + claim.length > 0;
}

/** Changes while they are collected. */
export interface ChangeList extends FleetChanges {
  readonly remove: { readonly key: string; readonly value?: string }[];
  readonly put: FleetEntry[];
  readonly claim: FleetEntry[];
}

/** One subject of what is shared. */
export interface FleetPart {
  /** Adds what the other replicas should learn now. What is added is sent, or `lost` follows. */
  outgoing(changes: ChangeList, view: FleetView, nowMs: number): void;
  /** The changes were sent, and this is what the state has. */
  incoming(view: FleetView, nowMs: number, claimed: readonly string[]): void;
  /** The state is unavailable: this replica continues by itself. */
  lost(): void;
}

/** The entries as they were last read, by this machine's clock. A key is a kind, a space and a name. */
export class FleetView {
  #entries = new Map<string, { readonly value: string; readonly untilMs: number }>();
  #revision: string | undefined;

  get revision(): string | undefined {
    return this.#revision;
  }

  take({ revision, entries }: FleetReading, nowMs: number): void {
    this.#revision = revision;
    if (entries === undefined) return;
    this.#entries = new Map(entries.map(({ key, value, leftMs }) => [key, { value, untilMs: nowMs + leftMs }]));
  }

  forget(): void {
    this.#revision = undefined;
    this.#entries.clear();
  }

  /** 0 where there is no such entry. */
  leftMs(key: string, nowMs: number): number {
    return Math.max(0, (this.#entries.get(key)?.untilMs ?? 0) - nowMs);
  }

  value(key: string): string | undefined {
    return this.#entries.get(key)?.value;
  }

  *ofKinds(...kinds: readonly string[]): Iterable<readonly [key: string, value: string, untilMs: number]> {
    for (const [key, { value, untilMs }] of this.#entries)
      if (kinds.includes(key.slice(0, key.indexOf(' ')))) yield [key, value, untilMs];
  }
}
