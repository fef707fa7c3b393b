/** What the commands of TeX are read with, and the shapes that several of them make. */

import { group, leaf, type MathFacts, type MathNode } from './math-node.ts';
import type { TexReader } from './tex-reader.ts';
import { limitNames } from './tex-symbols.ts';

/** Something that can have an index and a power. */
export interface Atom {
  readonly node: MathNode;
  /** These stand above and below it where there is room, and not at its side. */
  readonly hasLimits?: boolean;
}

/** The rules that contain each other. */
export interface Grammar {
  readonly reader: TexReader;
  /** Up to a closing brace, the end, or where `ends` says so. */
  row(ends: () => boolean): MathNode[];
  /** Rows parted by `\\`, cells by `&`. */
  rows(ends: () => boolean): MathNode[][];
  /** What stands between braces, or the one thing that comes next. */
  argument(): MathNode;
}

type Side = 'left' | 'right' | undefined;

/** `rcl` as the sides of cells; what stands between the letters are lines, which are left out. */
export const sidesOf = (spec: string): readonly Side[] =>
  [...spec].flatMap((letter): Side[] =>
    letter === 'l' ? ['left'] : letter === 'r' ? ['right'] : letter === 'c' ? [undefined] : [],
  );

export function tableOf(rows: readonly (readonly MathNode[])[], sides: readonly Side[], facts?: MathFacts): MathNode {
  const lines = rows.map((cells) =>
    group(
      'mtr',
      cells.map((cell, column) => {
        const look = sides.length === 0 ? undefined : sides[column % sides.length];
        return group('mtd', [cell], look === undefined ? undefined : { look });
      }),
    ),
  );
  return group('mtable', lines, facts);
}

/** A name such as `sin` or `lim`; a lone letter would be slanted otherwise. */
export function namedFunction(name: string): Atom {
  const shown = name.replace(/^lim(?=inf|sup)/, 'lim ').replace(/^arg(?=min|max)/, 'arg ');
  return { node: leaf('mi', shown, { mathvariant: 'normal' }), ...(limitNames.has(name) && { hasLimits: true }) };
}
