/** What an operation used, in the units that prices are made of. Absent means that the provider did not report it; it never means zero. */

import type { Usage } from '../conversation/usage.ts';

export interface Consumption {
  readonly tokens?: Usage | undefined;
  readonly images?: number | undefined;
  /** Of audio read or spoken. */
  readonly seconds?: number | undefined;
  /** Of text turned into speech. */
  readonly characters?: number | undefined;
  /** Of documents ranked against one query, as providers bill them. */
  readonly searches?: number | undefined;
  /** Of video made. */
  readonly videoSeconds?: number | undefined;
  readonly videos?: number | undefined;
  /** Of documents read. */
  readonly pages?: number | undefined;
  /** Searches of the web in a conversation. */
  readonly webSearches?: number | undefined;
  /** Requests that a fee is taken for; Weir counts one for every request that was served. */
  readonly requests?: number | undefined;
  /** Which of several prices an image or a video has: its size and quality as `quality/size`, its resolution. */
  readonly imageKind?: string | undefined;
  readonly videoKind?: string | undefined;
}

/** The most that a request can use. */
export interface MostUse extends Consumption {
  /** What it probably uses of `seconds`, where its file shows that; elsewhere a share of them is taken. */
  readonly secondsLikely?: number | undefined;
  /** What it probably uses of `tokens`, where that is another share of the most than usual. */
  readonly tokensLikely?: Usage | undefined;
  /** What decides how many tokens each image is made of, by models that are billed by them. */
  readonly imageTerms?: ImageTerms | undefined;
}

export interface ImageTerms {
  /** As the caller wrote them. */
  readonly quality: string | undefined;
  readonly size: string | undefined;
  /** In pixels, where the caller names edges apart from the size; else 0. */
  readonly areaMax: number;
  /** Of text that some models write beside each image. */
  readonly textTokens: number;
  /** Of the unfinished images that are shown before each. */
  readonly partialTokens: number;
}
