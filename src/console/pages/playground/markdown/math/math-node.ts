/** A formula as a tree of MathML elements: names and attributes of ours, texts of the model. */

type LeafName = 'mi' | 'mn' | 'mo' | 'mtext';

type GroupName =
  | 'mrow'
  | 'mfrac'
  | 'msqrt'
  | 'mroot'
  | 'msub'
  | 'msup'
  | 'msubsup'
  | 'munder'
  | 'mover'
  | 'munderover'
  | 'mphantom'
  | 'mtable'
  | 'mtr'
  | 'mtd';

/** The only attributes that are ever set; none of them holds a text of the model. */
export interface MathFacts {
  readonly mathvariant?: 'normal';
  readonly stretchy?: 'true' | 'false';
  readonly fence?: 'true';
  readonly accent?: 'true';
  readonly movablelimits?: 'true' | 'false';
  readonly linethickness?: '0';
  readonly minsize?: string;
  readonly maxsize?: string;
  readonly lspace?: string;
  readonly rspace?: string;
  readonly displaystyle?: 'true' | 'false';
  /** How a cell or a box looks. */
  readonly look?: 'left' | 'right' | 'center' | 'boxed';
}

export type MathNode =
  | { readonly type: 'leaf'; readonly name: LeafName; readonly text: string; readonly facts?: MathFacts }
  | { readonly type: 'space'; readonly em: number }
  | {
      readonly type: 'group';
      readonly name: GroupName;
      readonly children: readonly MathNode[];
      readonly facts?: MathFacts;
    };

export const leaf = (name: LeafName, text: string, facts?: MathFacts): MathNode => ({
  type: 'leaf',
  name,
  text,
  ...(facts !== undefined && { facts }),
});

export const group = (name: GroupName, children: readonly MathNode[], facts?: MathFacts): MathNode => ({
  type: 'group',
  name,
  children,
  ...(facts !== undefined && { facts }),
});

/** As one element, which is what a fraction or a power takes. */
export function row(children: readonly MathNode[]): MathNode {
  const [only] = children;
  return children.length === 1 && only !== undefined ? only : group('mrow', children);
}
