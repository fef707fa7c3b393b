/** What the head of a reply says about it, as every client could read it. */

export interface ReplyHead {
  readonly provider: string;
  readonly requestId: string;
  /** In billionths of a dollar; absent where it was not known before the body. */
  readonly costNano?: string;
}

export function headOf({ headers }: Pick<Response, 'headers'>): ReplyHead {
  const costUsd = headers.get('x-weir-cost-usd') ?? '';
  return {
    provider: headers.get('x-weir-provider') ?? '',
    requestId: headers.get('x-request-id') ?? '',
    ...(costUsd !== '' && { costNano: nanoOf(costUsd) }),
  };
}

const nanoDecimals = 9;

/** A decimal text of dollars as billionths, without going through a number that would round it. */
export function nanoOf(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  return BigInt(whole + fraction.slice(0, nanoDecimals).padEnd(nanoDecimals, '0')).toString();
}
