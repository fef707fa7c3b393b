/** Durations of many rows or cells as one text each: no engine has to know about bins. */

export const durationsSql = (column: string): string => `COALESCE(string_agg(CAST(${column} AS TEXT), ' '), '')`;
/** A request that called no provider says nothing about their speed. */
export const totalsSql = durationsSql('CASE WHEN attempts > 0 THEN total_ms END');
export const binsSql = (column: string): string => `COALESCE(string_agg(${column}, ' '), '')`;
