/** What was used and what it cost, as rows and as sums, for the console and the command line alike. */

import { readLaneRecord } from '../../ledger/lane-record.ts';
import type { AttemptRow, RequestError, UsageRow } from '../../ledger/ledger.ts';
import type {
  AttemptView,
  RequestErrorView,
  RequestView,
  UnpricedModelView,
  UsageGrouping,
  UsageRowView,
  UsageSumView,
} from '../contracts/contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { attemptCost, rowCost, sumCost } from './cost-views.ts';

/** What a list or a sum is narrowed to. Absent means everything. */
export interface UsageFilter {
  readonly tokenId?: string;
  /** Only what tokens of this account used. */
  readonly ownerId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface UsageSum {
  /** The value of a dimension; for a day its first instant in milliseconds, as digits. */
  readonly key: string;
  /** What people call it; absent for a day. */
  readonly label?: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
  /** How many of the requests the cost leaves out. */
  readonly unpriced: number;
}

/** A model that was used without a price. */
export interface UnpricedUse {
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly lastAtMs: number;
  /** What one of them used beside tokens. */
  readonly units?: UsageRow['units'];
}

/** The queries on stored usage rows. */
export interface UsageTable {
  /** Newest first. */
  list(filter: UsageFilter, limit: number): Promise<readonly UsageRow[]>;
  /** Days newest first, everything else by descending cost. */
  sum(grouping: UsageGrouping, filter: UsageFilter, limit: number): Promise<readonly UsageSum[]>;
  /** The most used first. */
  unpriced(fromMs: number, toMs: number, limit: number): Promise<readonly UnpricedUse[]>;
  byId(requestId: string): Promise<UsageRow | undefined>;
  /** In the order in which they were made. */
  attemptsOf(requestId: string): Promise<readonly AttemptRow[]>;
  errorsOf(requestId: string): Promise<readonly RequestError[]>;
}

interface UsageAdminOptions {
  readonly usage: UsageTable;
}

export interface UsageAdmin {
  list(filter: UsageFilter, limit: number): Promise<readonly UsageRowView[]>;
  sum(grouping: UsageGrouping, filter: UsageFilter, limit: number): Promise<readonly UsageSumView[]>;
  /** Models that were used without a price in that time, the most used first. */
  unpriced(fromMs: number, toMs: number, limit: number): Promise<readonly UnpricedModelView[]>;
  /** Undefined for an unknown request. */
  show(requestId: string): Promise<RequestView | undefined>;
}

export const usageLimitMax = 10_000;

export function createUsageAdmin({ usage }: UsageAdminOptions): UsageAdmin {
  function sumView(grouping: UsageGrouping, sum: UsageSum): UsageSumView {
    const { requests, failures, inputTokens, outputTokens, unpriced } = sum;
    const key = grouping === 'day' ? new Date(Number(sum.key)).toISOString().slice(0, 10) : sum.key;
    return { key, label: sum.label ?? key, requests, failures, inputTokens, outputTokens, ...sumCost(sum), unpriced };
  }

  return {
    async list(filter, limit) {
      return (await usage.list(filter, Math.min(limit, usageLimitMax))).map(rowView);
    },
    async sum(grouping, filter, limit) {
      const sums = await usage.sum(grouping, filter, Math.min(limit, usageLimitMax));
      return sums.map((sum) => sumView(grouping, sum));
    },
    async unpriced(fromMs, toMs, limit) {
      return (await usage.unpriced(fromMs, toMs, Math.min(limit, usageLimitMax))).map(unpricedView);
    },
    async show(requestId) {
      const found = await readRequest(usage, requestId);
      return found && requestView(requestId, found);
    },
  };
}

export function rowView(row: UsageRow): UsageRowView {
  return withoutAbsent<UsageRowView>({
    requestId: row.requestId,
    at: new Date(row.atMs).toISOString(),
    tokenId: row.tokenId,
    endpoint: row.endpoint,
    model: row.model,
    provider: row.provider,
    upstreamModel: row.upstreamModel,
    stream: row.stream,
    attempts: row.attempts,
    status: row.status,
    code: row.code,
    inputTokens: row.usage.input.total,
    outputTokens: row.usage.output.total,
    cacheReadTokens: row.usage.input.cacheRead,
    endUser: row.endUser,
    tags: row.tags,
    keyId: row.keyId,
    priceVersion: undefined,
    guess: undefined,
    ...rowCost(row),
    estimated: row.estimated,
    firstEventMs: row.firstEventMs,
    totalMs: row.totalMs,
    requests: row.requests,
  });
}

export function unpricedView(used: UnpricedUse): UnpricedModelView {
  const { provider, model, requests, inputTokens, outputTokens, lastAtMs } = used;
  // Every request is one: that says nothing about how it is sold.
  const units = Object.keys(used.units ?? {}).filter((name) => name !== 'requests');
  const lastAt = new Date(lastAtMs).toISOString();
  return { provider, model, requests, inputTokens, outputTokens, lastAt, ...(units.length > 0 && { units }) };
}

/** What is known of one request: its row once it has ended, its attempts, and why they failed. */
interface FoundRequest {
  readonly row: UsageRow | undefined;
  readonly attempts: readonly AttemptRow[];
  readonly errors: readonly RequestError[];
}

/** Undefined for an unknown request. */
export async function readRequest(
  usage: Pick<UsageTable, 'byId' | 'attemptsOf' | 'errorsOf'>,
  requestId: string,
): Promise<FoundRequest | undefined> {
  const [row, attempts, errors] = await Promise.all([
    usage.byId(requestId),
    usage.attemptsOf(requestId),
    usage.errorsOf(requestId),
  ]);
  return row === undefined && attempts.length === 0 ? undefined : { row, attempts, errors };
}

export function requestView(requestId: string, { row, attempts, errors }: FoundRequest): RequestView {
  const sent = errors.find(({ attempt }) => attempt === 0);
  return withoutAbsent<RequestView>({
    requestId,
    row: row && rowView(row),
    error: sent && errorView(sent),
    way: row?.way === undefined ? undefined : readLaneRecord(row.way),
    attempts: attempts.map((attempt) => {
      const why = errors.find((error) => attempt.attemptId === `${requestId}.${error.attempt}`);
      return attemptView(attempt, row, why);
    }),
  });
}

function errorView({ atMs, status, code, message }: RequestError): RequestErrorView {
  return withoutAbsent<RequestErrorView>({ at: new Date(atMs).toISOString(), status, code, message });
}

/** `row` is the request's own, where it has ended. */
function attemptView(attempt: AttemptRow, row: UsageRow | undefined, error: RequestError | undefined): AttemptView {
  const { settledAtMs, costNano, verdict } = attempt;
  const cost = costNano === undefined ? undefined : attemptCost(costNano, verdict, row);
  return withoutAbsent<AttemptView>({
    id: attempt.attemptId,
    at: new Date(attempt.atMs).toISOString(),
    provider: attempt.provider,
    model: attempt.model,
    keyId: attempt.keyId,
    verdict,
    error: error && errorView(error),
    settledAt: settledAtMs === undefined ? undefined : new Date(settledAtMs).toISOString(),
    totalMs: settledAtMs === undefined ? undefined : settledAtMs - attempt.atMs,
    costUsd: cost?.costUsd,
    costNano: cost?.costNano,
    estimated: attempt.estimated,
    recovered: attempt.recovered,
  });
}
