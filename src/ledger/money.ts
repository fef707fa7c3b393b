/** Dollars as people write them, to and from the ledger's integers, digit by digit and never through a float. */

const nanoPerUsd = 1_000_000_000n;
const decimalsMax = 9;
/** Keeps every sum of budgets far inside 64 bits. */
const usdMax = 1_000_000_000;

/** Nano-USD of `12`, `0.5` or `"0.000042"`; `undefined` for anything else, more than nine decimals included. */
export function nanoFromUsd(usd: string | number): bigint | undefined {
  const text = typeof usd === 'number' ? decimalText(usd) : usd;
  const match = text === undefined ? null : /^([0-9]{1,10})(?:\.([0-9]{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const nano = BigInt(match[1] ?? '0') * nanoPerUsd + BigInt((match[2] ?? '').padEnd(decimalsMax, '0'));
  return nano <= BigInt(usdMax) * nanoPerUsd ? nano : undefined;
}

/** The shortest decimal text of a number without an exponent, where nine decimals can hold it. */
function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value) || value < 0 || value > usdMax) return undefined;
  const plain = String(value);
  if (!plain.includes('e')) return plain;
  const fixed = value.toFixed(decimalsMax);
  return Number(fixed) === value ? fixed : undefined;
}

/** Below it a float's nine decimals are exact. */
const exactNanoMax = 1_000_000_000_000_000n;

/** The same for what a request costs, without big integers: this text is in the head of every reply. */
function smallUsdText(nano: number): string {
  const text = (nano / 1e9).toFixed(decimalsMax);
  let end = text.length;
  while (end > text.length - 7 && text.charCodeAt(end - 1) === 0x30) end--;
  return text.slice(0, end);
}

/** `5.00`, `0.000042`: at least two decimals, no more than are needed. */
export function usdText(nano: bigint): string {
  if (nano >= 0n && nano < exactNanoMax) return smallUsdText(Number(nano));
  const size = nano < 0n ? -nano : nano;
  const decimals = (size % nanoPerUsd)
    .toString()
    .padStart(decimalsMax, '0')
    .replace(/0{1,7}$/, '');
  return `${nano < 0n ? '-' : ''}${size / nanoPerUsd}.${decimals}`;
}
