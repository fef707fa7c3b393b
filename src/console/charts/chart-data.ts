/** What a chart draws, worked out without drawing: stacked sums, a zero-based range, and a colour that belongs to a name. */

export interface Series {
  readonly name: string;
  /** One for each moment; absent where nothing was measured, which is a gap and not a zero. */
  readonly values: readonly (number | undefined)[];
  /** 1 to 8; absent takes the one that belongs to the name. */
  readonly colour?: number;
}

export const colourCount = 8;

/** The same name has the same colour on every page and in every session. */
export function colourOf({ name, colour }: Pick<Series, 'name' | 'colour'>): number {
  if (colour !== undefined) return colour;
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  // The last bits of this hash are its weakest.
  return ((((hash >>> 16) ^ hash) >>> 0) % colourCount) + 1;
}

/** Each series on top of those before it. A moment that no series knows stays a gap. */
export function stacked(series: readonly Series[]): (number | null)[][] {
  const moments = series[0]?.values.length ?? 0;
  const sums: (number | null)[] = Array.from({ length: moments }, () => null);
  return series.map(({ values }) => {
    for (const [moment, value] of values.entries()) {
      if (value !== undefined) sums[moment] = (sums[moment] ?? 0) + value;
    }
    return [...sums];
  });
}

export function plain(series: readonly Series[]): (number | null)[][] {
  return series.map(({ values }) => values.map((value) => value ?? null));
}

/** Measured moments with a gap on either side: no line leads to them, so they need a point of their own. */
export function lonely(values: readonly (number | null | undefined)[]): number[] {
  const isGap = (moment: number) => values[moment] === null || values[moment] === undefined;
  return values.flatMap((_, moment) => (!isGap(moment) && isGap(moment - 1) && isGap(moment + 1) ? [moment] : []));
}

/** From zero to a round number above the largest, so that heights can be compared; an empty chart still has a scale. */
export function rangeOf(rows: readonly (readonly (number | null)[])[]): [number, number] {
  let largest = 0;
  for (const row of rows) for (const value of row) if (value !== null && value > largest) largest = value;
  if (largest === 0) return [0, 1];
  const step = 10 ** Math.floor(Math.log10(largest));
  const round = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((factor) => factor * step >= largest) ?? 10;
  return [0, round * step];
}
