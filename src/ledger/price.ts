/** What a model costs: integer nano-USD per million units, so that a single token's fraction is never rounded on its own. */

export interface Rate {
  readonly nanoPerMillion: bigint;
  /** Higher rates that apply to the whole request once its input is larger than `aboveInputTokens`, ascending. */
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly nanoPerMillion: bigint }[];
}

export interface Price {
  /** Where it came from: `genai-prices@0.1.8`, `operator`, `sandbox`. */
  readonly version: string;
  readonly input: Rate;
  readonly output: Rate;
  readonly cacheRead: Rate | undefined;
  readonly cacheWrite: Rate | undefined;
  readonly inputAudio: Rate | undefined;
  readonly outputAudio: Rate | undefined;
  /** What is sold by other units than tokens; absent where nothing is. */
  readonly units?: UnitPrices;
}

/** Nano-USD for a million of each unit; of seconds for sixty million, which are a million of the minutes that people price. */
export interface UnitPrices {
  readonly images?: bigint;
  readonly seconds?: bigint;
  readonly characters?: bigint;
  readonly searches?: bigint;
  readonly videoSeconds?: bigint;
  readonly videos?: bigint;
}
