/** What a reply used, in the classes that providers bill. Absent means the provider did not say; it never means zero. */

export interface Usage {
  readonly input: {
    /** All input tokens, cached ones included. */
    readonly total?: number | undefined;
    /** Tokens that were neither read from nor written to a cache. */
    readonly fresh?: number | undefined;
    readonly cacheRead?: number | undefined;
    /** Tokens written to a cache, those for one hour included. */
    readonly cacheWrite?: number | undefined;
    /** The part of `cacheWrite` that is kept for one hour. */
    readonly cacheWrite1h?: number | undefined;
    /** Of these three, the parts that were read from a cache are counted in them too. */
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
    readonly video?: number | undefined;
    /** The parts of `cacheRead` that are not text. */
    readonly cachedAudio?: number | undefined;
    readonly cachedImage?: number | undefined;
    readonly cachedVideo?: number | undefined;
  };
  readonly output: {
    /** All output tokens, thinking included. */
    readonly total?: number | undefined;
    readonly text?: number | undefined;
    readonly thinking?: number | undefined;
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
    readonly video?: number | undefined;
  };
  /** Searches of the web that the provider's own tool made. */
  readonly webSearches?: number | undefined;
  /** The reply cites pages of the web, and the provider does not count the searches that found them. */
  readonly citesPages?: true | undefined;
  /** The tier that the provider says it served with; absent for its standard tier. */
  readonly serviceTier?: ServiceTier | undefined;
  /** The model that the provider says it served with. */
  readonly model?: string | undefined;
  /** What further models used that the provider ran for this reply; the counts above leave it out. */
  readonly beside?: readonly Usage[] | undefined;
  /** Calls of the provider's own tools that are billed by the call, by the names that prices know. */
  readonly toolCalls?: Readonly<Record<string, number>> | undefined;
  /** The whole cost in USD as the provider states it. */
  readonly costUsd?: number | undefined;
  /** By how much the place that served it costs more, in percent. */
  readonly surchargePercent?: number | undefined;
}

/** Tiers of service with prices of their own. */
export const serviceTiers = ['flex', 'priority', 'batch', 'fast'] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** Undefined for the standard tier, under whatever name, and for words that no price is made for. */
export function pricedTier(word: unknown): ServiceTier | undefined {
  // Most replies name none.
  return typeof word === 'string' ? serviceTiers.find((tier) => tier === word) : undefined;
}

export const unknownUsage: Usage = { input: {}, output: {} };

/** Tokens of input and output, as far as they are known; undefined where neither is. */
export function tokensIn({ input, output }: Usage): number | undefined {
  if (input.total === undefined && output.total === undefined) return undefined;
  return (input.total ?? 0) + (output.total ?? 0);
}

/** Providers report some counts at the beginning of a stream and others at its end: what is known stays known. */
export function laterUsage(before: Usage, later: Usage): Usage {
  const webSearches = later.webSearches ?? before.webSearches;
  const serviceTier = later.serviceTier ?? before.serviceTier;
  const citesPages = later.citesPages ?? before.citesPages;
  const { model = before.model, beside = before.beside, toolCalls = before.toolCalls } = later;
  const { costUsd = before.costUsd, surchargePercent = before.surchargePercent } = later;
  return {
    input: laterCounts(before.input, later.input),
    output: laterCounts(before.output, later.output),
    ...(webSearches !== undefined && { webSearches }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(citesPages !== undefined && { citesPages }),
    ...(model !== undefined && { model }),
    ...(beside !== undefined && { beside }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(costUsd !== undefined && { costUsd }),
    ...(surchargePercent !== undefined && { surchargePercent }),
  };
}

function laterCounts<Counts extends object>(before: Counts, later: Counts): Counts {
  const known = Object.entries(later).filter(([, count]) => count !== undefined);
  return { ...before, ...(Object.fromEntries(known) as Counts) };
}
