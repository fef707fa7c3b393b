/** Counts, shares and sizes as people read them. */

export function countText(count: number, tag: string): string {
  return new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(count);
}

/** For places where the size matters and the last digit does not: `1.2M`. */
export function shortCountText(count: number, tag: string): string {
  return new Intl.NumberFormat(tag, { notation: 'compact', maximumSignificantDigits: 3 }).format(count);
}

/** `share` is 0 to 1. A share that exists is never shown as none, and one that is not whole never as all. */
export function shareText(share: number, tag: string): string {
  const percent = (value: number, decimals: number) =>
    new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: decimals }).format(value);
  if (share > 0 && share < 0.001) return `< ${percent(0.001, 1)}`;
  if (share < 1 && share > 0.999) return `> ${percent(0.999, 1)}`;
  return percent(share, share < 0.1 || share > 0.9 ? 1 : 0);
}

const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

export function bytesText(bytes: number, tag: string): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length - 1);
  const value = bytes / 1024 ** power;
  const text = new Intl.NumberFormat(tag, { maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1 }).format(value);
  return `${text} ${sizeUnits[power]}`;
}
