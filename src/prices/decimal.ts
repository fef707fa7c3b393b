/** Decimal numbers as whole ones: a price is scaled by a power of ten digit by digit, so that no float ever holds money. */

/** More digits or a longer exponent than this is no price. */
const digitsMax = 60;
/** Prices have a few digits; those after the twelfth are a float's noise (`3.0000000000000004e-06`). */
const significantDigits = 12;

/**
 * `value` times ten to the power of `power`, rounded up; undefined for what is no finite number from 0 on. Text is taken to its
 * last digit.
 */
export function scaledUp(value: number | string, power: number): bigint | undefined {
  const text = typeof value === 'number' ? writtenOut(value) : value;
  const parts = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  if (whole.length + fraction.length > digitsMax) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + power;
  if (digits === 0n) return 0n;
  if (shift > digitsMax) return undefined;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  // A divisor larger than any such number of digits leaves less than one, which is one.
  if (-shift > 2 * digitsMax) return 1n;
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
}

function writtenOut(value: number): string {
  const text = String(value);
  return text.length <= significantDigits ? text : value.toPrecision(significantDigits);
}
