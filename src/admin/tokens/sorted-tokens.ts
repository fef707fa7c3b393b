/** A list of tokens in another order than the newest first: all that match are read, sorted, and cut into pages. */

import type { TokenRecord } from '../../access/caller.ts';
import type { TokenPage } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TokenSort } from '../contracts/account-contract.ts';

export interface TokenOrder {
  readonly by: TokenSort;
  readonly descending: boolean;
}

/** A token without a value comes last, whatever the direction. */
export type SortValue = string | number | bigint | undefined;

interface SortOptions {
  readonly list: (page: TokenPage) => Promise<readonly TokenRecord[]>;
  readonly valuesOf: (by: TokenSort, records: readonly TokenRecord[]) => Promise<ReadonlyMap<string, SortValue>>;
}

const readAtOnce = 500;
/** Sorting reads all that match, so that there is an end to it. */
export const sortedTokensMax = 5_000;

type Wanted = Omit<TokenPage, 'afterId' | 'limit'>;

/** As many as `limit` says; `afterId` continues behind that token. */
export async function sortedTokens(
  options: SortOptions,
  wanted: Wanted,
  order: TokenOrder,
  { afterId, limit }: Pick<TokenPage, 'afterId' | 'limit'>,
): Promise<readonly TokenRecord[]> {
  const records = await allOf(options.list, wanted);
  const values = await options.valuesOf(order.by, records);
  const sorted = records.toSorted((one, other) =>
    compareValues(values.get(one.id), values.get(other.id), order.descending),
  );
  const from = afterId === undefined ? 0 : sorted.findIndex(({ id }) => id === afterId) + 1;
  return sorted.slice(from, from + limit);
}

async function allOf(list: SortOptions['list'], wanted: Wanted): Promise<readonly TokenRecord[]> {
  const all: TokenRecord[] = [];
  for (;;) {
    const afterId = all.at(-1)?.id;
    const page = await list({ ...wanted, limit: readAtOnce, ...(afterId !== undefined && { afterId }) });
    all.push(...page);
    if (page.length < readAtOnce) return all;
    if (all.length >= sortedTokensMax) {
      const message = `sort: more than ${sortedTokensMax} tokens match; narrow the list first`;
      throw new GatewayError('field_invalid', message, { param: 'sort' });
    }
  }
}

/** Equal ones keep their order, the newest first. */
function compareValues(one: SortValue, other: SortValue, descending: boolean): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  const order = typeof one === 'string' && typeof other === 'string' ? compare(one, other) : one < other ? -1 : 1;
  return one === other ? 0 : descending ? -order : order;
}

/** The tenth comes after the second, and a capital letter does not matter. */
const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
