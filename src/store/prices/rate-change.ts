/** A change of one rate in a price table. */

export type RateChangeState = 'in effect' | 'held' | 'confirmed' | 'removed';

/** How one rate of a model changed. */
export interface RateChange {
  readonly source: string;
  readonly host: string;
  readonly model: string;
  readonly rate: string;
  /** Nano-USD for a million; absent where there was or is none. */
  readonly before: bigint | undefined;
  readonly after: bigint | undefined;
  readonly state: RateChangeState;
}
