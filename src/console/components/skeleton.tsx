/** Holds the place of what is on its way, in its shape, so that nothing moves when it arrives. */

import { useWords } from '../words/use-words.tsx';

export function Skeleton({ className = 'h-4 w-full' }: { readonly className?: string }) {
  return <span aria-hidden="true" className={`block animate-breathe rounded-sm bg-pressed ${className}`} />;
}

/** Several lines of text to come, announced once. */
export function SkeletonText({ lines = 3 }: { readonly lines?: number }) {
  const words = useWords();
  const widths = ['w-11/12', 'w-full', 'w-9/12', 'w-10/12'];
  return (
    <div role="status" className="grid gap-2.5">
      <span className="sr-only">{words.parts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={`h-3.5 ${widths[line % widths.length]}`} />
      ))}
    </div>
  );
}
