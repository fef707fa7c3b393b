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

/** Providers report some counts at the beginning of a stream and others at its end: what is known stays known. */
export function laterUsage(before: Usage, later: Usage): Usage {
  return { input: laterCounts(before.input, later.input), output: laterCounts(before.output, later.output) };
}

function laterCounts<Counts extends object>(before: Counts, later: Counts): Counts {
  const known = Object.entries(later).filter(([, count]) => count !== undefined);
  return { ...before, ...(Object.fromEntries(known) as Counts) };
}
