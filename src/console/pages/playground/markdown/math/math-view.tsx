/** A formula as the browser draws it: MathML from our own element names, with the model's letters as text. */

import { createElement, memo, type ReactNode, useMemo } from 'react';
import type { MathFacts, MathNode } from './math-node.ts';
import { parseTex } from './parse-tex.ts';

interface MathViewProps {
  readonly tex: string;
  readonly isDisplay: boolean;
  /** What is shown where the formula is not covered: the text as it was written. */
  readonly fallback: ReactNode;
}

const looks = { left: 'text-left', right: 'text-right', boxed: 'border border-current px-1' } as const;

export const MathView = memo(function MathView({ tex, isDisplay, fallback }: MathViewProps) {
  const node = useMemo(() => parseTex(tex), [tex]);
  if (node === undefined) return fallback;
  return createElement('math', isDisplay ? { display: 'block' } : {}, drawn(node));
});

function drawn(node: MathNode, key?: number): ReactNode {
  if (node.type === 'space') return createElement('mspace', { key, width: `${node.em}em` });
  const attributes = { key, ...attributesOf(node.facts) };
  if (node.type === 'leaf') return createElement(node.name, attributes, node.text);
  return createElement(node.name, attributes, ...node.children.map((child) => drawn(child)));
}

function attributesOf({ look, ...facts }: MathFacts = {}): Record<string, string> {
  return { ...facts, ...(look !== undefined && { className: looks[look] }) };
}
