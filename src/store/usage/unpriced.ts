/** Requests whose cost is unknown, as a condition on `usage_rows`: `ledger/unpriced.ts` has the same rule for one row. */

/**
 * The first condition is that of the index `usage_rows_unpriced`. What failed without using anything cost nothing; a row that a
 * sweeper wrote for a dead process names no price either, but has an estimate.
 */
export const unpricedSql = "price_version = '' AND (units IS NOT NULL OR input_total > 0 OR output_total > 0)";

/** 1 for each such row, 0 for every other. */
export const unpricedCountSql = `CASE WHEN ${unpricedSql} THEN 1 ELSE 0 END`;
