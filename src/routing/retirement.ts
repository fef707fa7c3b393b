/** When a model's provider stops serving it, and the headers that warn its callers. */

export interface Retirement {
  /** Days in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  /** Made once for each target: `deprecation` of RFC 9745, `sunset` of RFC 8594. */
  readonly headers: Readonly<Record<string, string>>;
}

interface EndingFacts {
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
}

/** A model that is shut down on a day is deprecated by then at the latest; that is the date where no other is known. */
export function retirementOf({ deprecatedAt, shutdownAt }: EndingFacts): Retirement | undefined {
  const shutdownMs = timeOf(shutdownAt);
  const deprecatedMs = timeOf(deprecatedAt);
  const sinceMs = deprecatedMs ?? shutdownMs;
  if (sinceMs === undefined) return undefined;
  const earlier = shutdownMs === undefined ? sinceMs : Math.min(sinceMs, shutdownMs);
  return {
    ...(deprecatedMs !== undefined && deprecatedAt !== undefined && { deprecatedAt }),
    ...(shutdownMs !== undefined && shutdownAt !== undefined && { shutdownAt }),
    headers: {
      deprecation: `@${earlier / 1_000}`,
      ...(shutdownMs !== undefined && { sunset: new Date(shutdownMs).toUTCString() }),
    },
  };
}

function timeOf(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const atMs = Date.parse(day);
  return Number.isNaN(atMs) ? undefined : atMs;
}
