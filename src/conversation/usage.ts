/** What a reply used, in token classes. Absent means the provider did not say; it never means zero. */

export interface Usage {
  readonly input: {
    /** All input tokens, cached ones included. */
    readonly total?: number | undefined;
    /** Tokens that were neither read from nor written to a cache. */
    readonly fresh?: number | undefined;
    readonly cacheRead?: number | undefined;
    readonly cacheWrite?: number | undefined;
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
  };
  readonly output: {
    /** All output tokens, thinking included. */
    readonly total?: number | undefined;
    readonly text?: number | undefined;
    readonly thinking?: number | undefined;
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
  };
}

export const unknownUsage: Usage = { input: {}, output: {} };
