/** Amounts that the admin interface writes in dollars, as the billionths of one that amounts are shown from. */

const decimalsMax = 9;

/** `0.25` is `250000000`. Digits beyond the ninth decimal are less than can be charged. */
export function nanoOfUsd(usd: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]*))?$/.exec(usd.trim()) ?? [];
  const nano = BigInt(whole) * 1_000_000_000n + BigInt(fraction.slice(0, decimalsMax).padEnd(decimalsMax, '0'));
  return `${sign === '-' && nano !== 0n ? '-' : ''}${nano}`;
}
