/** A formula in a reply: drawn by the browser where it is covered, and exactly as it was written everywhere else. */

import { lazy, type ReactNode, Suspense } from 'react';
import { CodeBlock } from '../../../components/code-block.tsx';

/** Most replies hold no formula. */
const MathView = lazy(async () => ({ default: (await import('./math/math-view.tsx')).MathView }));

interface FormulaProps {
  readonly tex: string;
  readonly source: string;
}

export function InlineFormula({ tex, source, isDisplay }: FormulaProps & { readonly isDisplay: boolean }) {
  const written = <code className="rounded-sm bg-sunken px-1 py-0.5 text-[0.93em] whitespace-pre-wrap">{source}</code>;
  return <Drawn tex={tex} isDisplay={isDisplay} written={written} />;
}

export function FormulaBlock({ tex, source }: FormulaProps) {
  const written = <CodeBlock title="TeX" code={source} wrap />;
  if (tex === '') return written;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div tabIndex={0} className="overflow-x-auto py-1 focus-visible:outline-offset-[-2px]">
      <Drawn tex={tex} isDisplay written={written} />
    </div>
  );
}

interface DrawnProps {
  readonly tex: string;
  readonly isDisplay: boolean;
  readonly written: ReactNode;
}

function Drawn({ tex, isDisplay, written }: DrawnProps) {
  return (
    <Suspense fallback={written}>
      <MathView tex={tex} isDisplay={isDisplay} fallback={written} />
    </Suspense>
  );
}
