/** A block of code whose colors arrive a moment after it: the text is there at once, and stays the same to the letter. */

import { lazy, type ReactNode, Suspense } from 'react';
import { CodeBlock } from '../components/code-block.tsx';

const HighlightedLines = lazy(async () => ({ default: (await import('./highlighted-lines.tsx')).HighlightedLines }));

interface HighlightedBlockProps {
  readonly title: string;
  /** As it is written behind a fence; one that nobody knows has no colors. */
  readonly language: string;
  readonly code: string;
  readonly wrap?: boolean;
  readonly tools?: ReactNode;
}

export function HighlightedBlock({ language, ...block }: HighlightedBlockProps) {
  if (language === '') return <CodeBlock {...block} />;
  return (
    <CodeBlock {...block}>
      <Suspense fallback={block.code}>
        <HighlightedLines code={block.code} language={language} />
      </Suspense>
    </CodeBlock>
  );
}
