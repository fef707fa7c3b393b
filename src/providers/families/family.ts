/** One family of models: what its members take, with where that is written and when it was looked up. */

import type { ModelProfile } from '../../conversation/model-profile.ts';

export interface FamilyRow {
  /** Compared with the model's bare name in lower case: without a vendor's or host's name before it. */
  readonly models: RegExp;
  readonly profile: ModelProfile;
}

/**
 * Sizes are the largest that any host serves: they bound what a request can cost, and a smaller one would refuse or cut what
 * a host takes. What one host does differently is in its preset.
 */
export interface Family {
  readonly title: string;
  /** The bare names of its members; no name is of two families. */
  readonly names: RegExp;
  /** Pages that the rows were taken from. */
  readonly sources: readonly string[];
  /** The day they were read, as YYYY-MM-DD. */
  readonly seen: string;
  /** From the general to the particular: each field of a later row that matches replaces the earlier one's. */
  readonly rows: readonly FamilyRow[];
}
