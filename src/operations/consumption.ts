/** What an operation used, in the units that prices are made of. Absent means the provider did not say; it never means zero. */

import type { Usage } from '../conversation/usage.ts';

export interface Consumption {
  readonly tokens?: Usage | undefined;
  readonly images?: number | undefined;
  /** Of sound heard or spoken. */
  readonly seconds?: number | undefined;
  /** Of text turned into speech. */
  readonly characters?: number | undefined;
  /** Of documents ranked against one query, as providers bill them. */
  readonly searches?: number | undefined;
  /** Of video made. */
  readonly videoSeconds?: number | undefined;
  readonly videos?: number | undefined;
}

/** The most that a request can use. */
export interface MostUse extends Consumption {
  /** What it probably uses of `seconds`, where its file tells; elsewhere a share of them is taken. */
  readonly secondsLikely?: number | undefined;
}
