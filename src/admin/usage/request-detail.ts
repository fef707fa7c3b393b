/** One request in detail: its row, its attempts, how it was carried, and its itemized cost. */

import { type CostLine, costLines } from '../../ledger/cost-lines.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { usdText } from '../../ledger/money.ts';
import { readPrice } from '../../prices/price-text.ts';
import type { CostLineView, RequestDetailView } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { readRequest, requestView, type UsageTable } from './usage.ts';

export interface RequestDetailOptions {
  readonly usage: Pick<UsageTable, 'byId' | 'attemptsOf' | 'errorsOf'>;
  /** A price as the ledger wrote it, by its name. */
  readonly price: (name: string) => Promise<string | undefined>;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
  /** Is its content stored? Absent: content is never stored. */
  readonly hasContent?: ((requestId: string) => Promise<boolean>) | undefined;
}

interface OwnedDetail {
  /** Whose it is, also while it runs: an attempt names its token from its beginning. */
  readonly tokenId: string;
  readonly detail: RequestDetailView;
}

/** Undefined for an unknown request. */
export type RequestDetails = (requestId: string) => Promise<OwnedDetail | undefined>;

export function createRequestDetails(options: RequestDetailOptions): RequestDetails {
  const { usage, price, tokenName, hasContent = async () => false } = options;

  async function ofRow(row: UsageRow) {
    const text = row.priceName === undefined ? undefined : await price(row.priceName);
    return {
      costLines: costLines(row, text === undefined ? undefined : readPrice(text))?.map(lineView),
      priceVersion: row.priceVersion === '' ? undefined : row.priceVersion,
      bytesIn: row.bytesIn,
      bytesOut: row.bytesOut,
    };
  }

  return async (requestId) => {
    const [found, isStored] = await Promise.all([readRequest(usage, requestId), hasContent(requestId)]);
    if (found === undefined) return undefined;
    const { row, attempts } = found;
    const tokenId = row?.tokenId ?? attempts[0]?.tokenId ?? '';
    const [name, recorded] = await Promise.all([tokenName(tokenId), row === undefined ? undefined : ofRow(row)]);
    const detail = withoutAbsent<RequestDetailView>({
      ...requestView(requestId, found),
      tokenName: name,
      costLines: recorded?.costLines,
      priceVersion: recorded?.priceVersion,
      bytesIn: recorded?.bytesIn,
      bytesOut: recorded?.bytesOut,
      hasContent: isStored,
    });
    return { tokenId, detail };
  };
}

const lineView = ({ class: name, quantity, rateNano, perUnits, costNano }: CostLine): CostLineView => ({
  class: name,
  quantity,
  usd: usdText(rateNano),
  perUnits,
  costUsd: usdText(costNano),
});
