/** What is known of a served model, for the model lists of every format. */

import type { ParameterName } from '../conversation/parameters.ts';

export interface ModelFacts {
  readonly id: string;
  readonly createdAtMs: number;
  readonly providers: readonly string[];
  readonly contextTokens: number | undefined;
  /** The most that one reply can have, thoughts included. */
  readonly outputTokensMax?: number | undefined;
  readonly temperatureMax?: number | undefined;
  /** In the words of public lists: text, image, file, audio, video. */
  readonly inputModalities: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  /** The operations it serves: `converse`, `embed`, `make-image`, … */
  readonly operations?: readonly string[] | undefined;
  /** What it takes beside the conversation; absent where it does not converse. */
  readonly parameters?: readonly ParameterName[] | undefined;
  readonly description: string | undefined;
  /** Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it. */
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
  readonly pricing: ShownPrice | undefined;
}

/** What a model costs at its first target. */
interface ShownPrice {
  /** USD per token as decimal strings, so that no digit is lost; absent where no price is known. */
  readonly prompt?: string;
  readonly completion?: string;
  /** The source: `provider` is the provider's own model list, `guess` another provider's price of the same model. */
  readonly source: 'operator' | 'provider' | 'table' | 'guess' | 'unknown' | 'free';
  /** Which table or list; of a guess also whose price it is. Absent where no price is known. */
  readonly version?: string;
}
