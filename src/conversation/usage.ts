/** What a reply used, in token classes. Absent means the provider did not say; it never means zero. */

export interface Usage {
  readonly input: {
    /** All input tokens, cached ones included. */
    readonly total?: number;
    /** Tokens that were neither read from nor written to a cache. */
    readonly fresh?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly audio?: number;
    readonly image?: number;
  };
  readonly output: {
    /** All output tokens, thinking included. */
    readonly total?: number;
    readonly text?: number;
    readonly thinking?: number;
    readonly audio?: number;
    readonly image?: number;
  };
}

export const unknownUsage: Usage = { input: {}, output: {} };
