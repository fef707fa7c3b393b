/** One request's story: what it was, what was tried for it, how it travelled, and what each part of it cost. */

import { type CostLine, costLines } from '../../ledger/cost-lines.ts';
import { readLaneRecord } from '../../ledger/lane-record.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { usdText } from '../../ledger/money.ts';
import { readPrice } from '../../prices/price-text.ts';
import type { CostLineView, RequestStoryView } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { attemptView, rowView, type UsageTable } from './usage.ts';

export interface RequestStoryOptions {
  readonly usage: Pick<UsageTable, 'byId' | 'attemptsOf'>;
  /** A price as the ledger wrote it, by its name. */
  readonly price: (name: string) => Promise<string | undefined>;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
  /** Is what was said in it stored? Absent: nothing ever is. */
  readonly hasContent?: ((requestId: string) => Promise<boolean>) | undefined;
}

interface ToldRequest {
  /** Whose it is, also while it runs: an attempt names its token from its beginning. */
  readonly tokenId: string;
  readonly story: RequestStoryView;
}

/** Nothing where nobody knows the request. */
export type RequestStories = (requestId: string) => Promise<ToldRequest | undefined>;

export function createRequestStories(options: RequestStoryOptions): RequestStories {
  const { usage, price, tokenName, hasContent = async () => false } = options;

  async function ofRow(row: UsageRow) {
    const text = row.priceName === undefined ? undefined : await price(row.priceName);
    return {
      row: rowView(row),
      costLines: costLines(row, text === undefined ? undefined : readPrice(text))?.map(lineView),
      priceVersion: row.priceVersion === '' ? undefined : row.priceVersion,
      way: row.way === undefined ? undefined : readLaneRecord(row.way),
      bytesIn: row.bytesIn,
      bytesOut: row.bytesOut,
    };
  }

  return async (requestId) => {
    const [row, attempts, isStored] = await Promise.all([
      usage.byId(requestId),
      usage.attemptsOf(requestId),
      hasContent(requestId),
    ]);
    const tokenId = row?.tokenId ?? attempts[0]?.tokenId;
    if (tokenId === undefined) return undefined;
    const [name, told] = await Promise.all([tokenName(tokenId), row === undefined ? undefined : ofRow(row)]);
    const story = withoutAbsent<RequestStoryView>({
      requestId,
      row: told?.row,
      tokenName: name,
      attempts: attempts.map((attempt) => attemptView(attempt, row)),
      costLines: told?.costLines,
      priceVersion: told?.priceVersion,
      way: told?.way,
      bytesIn: told?.bytesIn,
      bytesOut: told?.bytesOut,
      hasContent: isStored,
    });
    return { tokenId, story };
  };
}

const lineView = ({ class: name, quantity, rateNano, perUnits, costNano }: CostLine): CostLineView => ({
  class: name,
  quantity,
  usd: usdText(rateNano),
  perUnits,
  costUsd: usdText(costNano),
});
