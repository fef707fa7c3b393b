/** Amounts of money as people read them: exact where it matters, never rounded to nothing. */

const nanoPerDollar = 1_000_000_000n;
const decimalsMax = 9;
/** Below a dollar as many digits as carry meaning, and no more. */
const meaningfulDigits = 2;
const decimalsMin = 2;

/** `nano` is a whole number of billionths of a dollar, as the admin interface writes it. */
export function moneyText(nano: string | bigint, tag: string): string {
  const amount = BigInt(nano);
  const size = amount < 0n ? -amount : amount;
  const sign = amount < 0n ? '−' : '';
  if (size === 0n) return '$0';
  const decimals = decimalsFor(size);
  const rounded = roundTo(size, decimals);
  const whole = new Intl.NumberFormat(tag).format(rounded / nanoPerDollar);
  const point = decimalPoint(tag);
  const fraction = (rounded % nanoPerDollar).toString().padStart(decimalsMax, '0').slice(0, decimals);
  return `${sign}$${whole}${point}${fraction}`;
}

/** All nine decimals, for those who check sums; shown on hover. */
export function exactMoneyText(nano: string | bigint): string {
  const amount = BigInt(nano);
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % nanoPerDollar).toString().padStart(decimalsMax, '0').replace(/0+$/, '');
  return `${amount < 0n ? '−' : ''}$${size / nanoPerDollar}${fraction === '' ? '' : `.${fraction}`}`;
}

function decimalsFor(size: bigint): number {
  if (size >= nanoPerDollar) return decimalsMin;
  const leadingZeros = decimalsMax - size.toString().length;
  // 42 of 0.000042 are worth two digits; 5 of 0.000005 only one.
  const digits = size.toString().replace(/0+$/, '').length;
  return Math.min(decimalsMax, Math.max(decimalsMin, leadingZeros + Math.min(meaningfulDigits, digits)));
}

function roundTo(size: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(decimalsMax - decimals);
  return ((size + step / 2n) / step) * step;
}

function decimalPoint(tag: string): string {
  return new Intl.NumberFormat(tag).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}
