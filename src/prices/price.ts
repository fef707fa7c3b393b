/** What a model costs: integer nano-USD per million units, so that a single token's fraction is never rounded on its own. */

import type { ServiceTier } from '../conversation/usage.ts';

export interface Rate {
  readonly nanoPerMillion: bigint;
  /** Other rates that apply to the whole request once its input is larger than `aboveInputTokens`, ascending. */
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly nanoPerMillion: bigint }[];
}

/** Kinds of tokens that some provider prices apart; a kind without a rate costs what the kind that it is part of costs. */
export const tokenRateNames = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'inputAudio',
  'inputImage',
  'inputVideo',
  'cachedAudio',
  'cachedImage',
  'cachedVideo',
  'output',
  'thinking',
  'outputAudio',
  'outputImage',
  'outputVideo',
] as const;
export type TokenRateName = (typeof tokenRateNames)[number];

/** What each kind of tokens costs where it has no rate of its own. */
export const wholeOf: Readonly<Partial<Record<TokenRateName, TokenRateName>>> = {
  cacheRead: 'input',
  cacheWrite: 'input',
  cacheWrite1h: 'cacheWrite',
  inputAudio: 'input',
  inputImage: 'input',
  inputVideo: 'input',
  cachedAudio: 'cacheRead',
  cachedImage: 'cacheRead',
  cachedVideo: 'cacheRead',
  thinking: 'output',
  outputAudio: 'output',
  outputImage: 'output',
  outputVideo: 'output',
};

export type TokenRates = { readonly [Name in TokenRateName]?: Rate | undefined };

export interface Price extends TokenRates {
  /** Where it came from: `genai-prices@0.1.8`, `operator`, `sandbox`. */
  readonly version: string;
  readonly input: Rate;
  readonly output: Rate;
  /** What is sold by other units than tokens; absent where nothing is. */
  readonly units?: UnitPrices;
  /** Rates of other tiers of service; a kind that a tier does not name costs what it costs without the tier. */
  readonly serviceTiers?: { readonly [Tier in ServiceTier]?: TokenRates };
  /** This provider's own price is not known whole: it is that of another one, or lacks a unit that its table charges by. */
  readonly guess?: true;
}

/** Nano-USD for a million of each unit; of seconds for sixty million, which are a million of the minutes that people price. */
export interface UnitPrices {
  readonly images?: bigint;
  /** Images by `quality/size`, `size` or `quality`, the most exact that matches counts before `images`. */
  readonly imagesOf?: Readonly<Record<string, bigint>>;
  readonly seconds?: bigint;
  readonly characters?: bigint;
  readonly searches?: bigint;
  readonly videoSeconds?: bigint;
  /** Seconds of video by resolution (`720p`, `1080p`, `4k`), before `videoSeconds`. */
  readonly videoSecondsOf?: Readonly<Record<string, bigint>>;
  readonly videos?: bigint;
  readonly pages?: bigint;
  /** Searches of the web in a conversation. */
  readonly webSearches?: bigint;
  /** A fee for each request, whatever it uses. */
  readonly requests?: bigint;
  /** A fee for each call of a tool that the provider runs, by the tool's name. */
  readonly tools?: Readonly<Record<string, bigint>>;
}

/** The ids of one provider in the tables of prices that Weir reads. */
export interface TableNames {
  readonly genaiPrices?: string;
  /** Several where a table splits one provider into many. */
  readonly modelsDev?: string | readonly string[];
  readonly litellm?: string | readonly string[];
}
