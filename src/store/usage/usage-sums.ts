/** The figures that are summed of usage, as SQL over `usage_rows` and over the cells that sum them. */

import type { Money } from '../sql/statement.ts';
import { integer, money } from '../sql/table.ts';
import { unpricedCountSql } from './unpriced.ts';

export const sumSql = (expression: string): string => `CAST(COALESCE(SUM(${expression}), 0) AS BIGINT)`;

/** A row may count several refused requests. */
export const requestsSql = sumSql('COALESCE(requests, 1)');
const failureSql = 'CASE WHEN status BETWEEN 200 AND 399 THEN 0 ELSE COALESCE(requests, 1) END';

export const figuresOfRows = {
  requests: [`${requestsSql} AS requests`, integer],
  failures: [sumSql(failureSql), integer],
  inputTokens: [sumSql('input_total'), integer],
  cacheReadTokens: [sumSql('input_cache_read'), integer],
  outputTokens: [sumSql('output_total'), integer],
  costNano: [`${sumSql('cost_nano')} AS cost`, money],
  unpriced: [sumSql(unpricedCountSql), integer],
} as const;

export const figuresOfCells = {
  requests: [`${sumSql('requests')} AS requests`, integer],
  failures: [sumSql('failures'), integer],
  inputTokens: [sumSql('input_tokens'), integer],
  cacheReadTokens: [sumSql('cache_read_tokens'), integer],
  outputTokens: [sumSql('output_tokens'), integer],
  costNano: [`${sumSql('cost_nano')} AS cost`, money],
  unpriced: [sumSql('unpriced'), integer],
} as const;

export interface Figures {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costNano: Money;
  readonly unpriced: number;
}

/** Adds figures up. */
export class FigureSum {
  requests = 0;
  failures = 0;
  inputTokens = 0;
  cacheReadTokens = 0;
  outputTokens = 0;
  costNano = 0n;
  unpriced = 0;

  add(figures: Figures): void {
    this.requests += figures.requests;
    this.failures += figures.failures;
    this.inputTokens += figures.inputTokens;
    this.cacheReadTokens += figures.cacheReadTokens;
    this.outputTokens += figures.outputTokens;
    this.costNano += BigInt(figures.costNano);
    this.unpriced += figures.unpriced;
  }

  subtract(figures: Figures): void {
    this.requests -= figures.requests;
    this.failures -= figures.failures;
    this.inputTokens -= figures.inputTokens;
    this.cacheReadTokens -= figures.cacheReadTokens;
    this.outputTokens -= figures.outputTokens;
    this.costNano -= BigInt(figures.costNano);
    this.unpriced -= figures.unpriced;
  }

  figures(): Figures {
    const { requests, failures, inputTokens, cacheReadTokens, outputTokens, costNano, unpriced } = this;
    return { requests, failures, inputTokens, cacheReadTokens, outputTokens, costNano: costNano.toString(), unpriced };
  }
}
