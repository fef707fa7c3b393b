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

const looks = {
  left: 'py-[0.2em] pr-[0.8em] pl-[0.1em] text-left',
  right: 'py-[0.2em] pr-[0.1em] pl-[0.8em] text-right',
  center: 'px-[0.4em] py-[0.2em]',
  boxed: 'border border-current px-1',
} as const;

export const MathView = memo(function MathView({ tex, isDisplay, fallback }: MathViewProps) {
  const node = useMemo(() => parseTex(tex), [tex]);
  if (node === undefined) return fallback;
  return createElement('math', isDisplay ? { display: 'block' } : {}, drawn(node));
});

function drawn(node: MathNode, key?: number): ReactNode {
  if (node.type === 'space') return createElement('mspace', { key, width: `${node.em}em` });
  const isCell = node.type === 'group' && node.name === 'mtd';
  const attributes = { key, ...attributesOf(isCell ? { look: 'center', ...node.facts } : node.facts) };
  if (node.type === 'leaf') return createElement(node.name, attributes, node.text);
  return createElement(node.name, attributes, ...node.children.map((child) => drawn(child)));
}

function attributesOf({ look, ...facts }: MathFacts = {}): Record<string, string> {
  return { ...facts, ...(look !== undefined && { className: looks[look] }) };
}
