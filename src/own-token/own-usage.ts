/** What a token is shown about its own use: its requests, newest first, and their sums by model. */

import type { Caller } from '../access/caller.ts';
import { isoText } from '../admin/tokens/token-terms.ts';
import { rowCost, sumCost } from '../admin/usage/cost-views.ts';
import type { UsageSum, UsageTable } from '../admin/usage/usage.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { readLaneRecord } from '../ledger/lane-record.ts';
import type { UsageRow } from '../ledger/ledger.ts';
import type { Store } from '../store/store.ts';

interface OwnUsageOptions {
  readonly store: Pick<Store, 'usage'>;
  readonly sum: UsageTable['sum'];
  readonly nowMs: () => number;
}

export interface OwnUsage {
  list(caller: Caller, query: URLSearchParams): Promise<object>;
  /** One request by the id that its reply had; throws where the token made none of that id. */
  request(caller: Caller, id: string): Promise<object>;
}

const pageSize = { usual: 20, max: 100 } as const;
const dayMs = 86_400_000;
const daysByDefault = 30;
/** Models that are summed one by one. */
const modelsMax = 100;

export function createOwnUsage({ store, sum, nowMs }: OwnUsageOptions): OwnUsage {
  const list: OwnUsage['list'] = async ({ tokenId }, query) => {
    const toMs = timeIn(query, 'to') ?? nowMs() + 1;
    const fromMs = timeIn(query, 'from') ?? toMs - daysByDefault * dayMs;
    const after = await placeOf(store, query.get('after'), tokenId);
    const range = { tokenId, fromMs, toMs };
    const [page, sums] = await Promise.all([
      store.usage.list(range, { limit: limitIn(query), after }),
      sum('model', range, modelsMax),
    ]);
    const last = page.items.at(-1);
    return {
      object: 'list',
      from: isoText(fromMs),
      to: isoText(toMs),
      data: page.items.map(rowView),
      has_more: page.next !== undefined,
      last_id: last?.requestId ?? null,
      models: sums.map(sumView),
    };
  };
  return {
    list,
    async request({ tokenId }, id) {
      const row = await store.usage.byId(id);
      if (row?.tokenId !== tokenId) {
        throw new GatewayError('not_found', 'This token has made no request with this id that has ended.', {
          param: 'id',
        });
      }
      return { object: 'usage', ...rowView(row) };
    },
  };
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const atMs = /^\d{1,12}$/.test(given) ? Number(given) * 1_000 : Date.parse(given);
  if (!Number.isNaN(atMs)) return atMs;
  const message = `${name}: must be a date such as 2030-01-31T12:00:00Z, or seconds since 1970`;
  throw new GatewayError('field_invalid', message, { param: name });
}

function limitIn(query: URLSearchParams): number {
  const given = query.get('limit');
  if (given === null) return pageSize.usual;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= pageSize.max) return limit;
  const message = `limit: must be a whole number from 1 to ${pageSize.max}`;
  throw new GatewayError('field_invalid', message, { param: 'limit' });
}

async function placeOf(store: Pick<Store, 'usage'>, id: string | null, tokenId: string) {
  if (id === null) return undefined;
  const row = await store.usage.byId(id);
  if (row === undefined || row.tokenId !== tokenId) {
    throw new GatewayError('field_invalid', 'after: names no request of this token', { param: 'after' });
  }
  return { atMs: row.atMs, id: row.requestId };
}

function rowView(row: UsageRow) {
  const way = row.way === undefined ? undefined : readLaneRecord(row.way);
  return {
    id: row.requestId,
    created_at: isoText(row.atMs),
    endpoint: row.endpoint,
    model: row.model,
    status: row.status,
    error: row.code === '' ? null : row.code,
    stream: row.stream,
    input_tokens: row.usage.input.total ?? null,
    output_tokens: row.usage.output.total ?? null,
    // Null: no price is known for what it used.
    cost_usd: rowCost(row).costUsd,
    cost_is_estimate: row.estimated,
    end_user: row.endUser ?? null,
    duration_ms: row.totalMs,
    losses: way?.losses ?? [],
    reply_losses: way?.replyLosses ?? [],
  };
}

function sumView(sum: UsageSum) {
  const { key, requests, failures, inputTokens, outputTokens, unpriced } = sum;
  return {
    model: key,
    requests,
    failures,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: sumCost(sum).costUsd,
    unpriced_requests: unpriced,
  };
}
