/** A part of a panel under its own heading. */

import type { ReactNode } from 'react';

interface PartProps {
  readonly title: string;
  readonly tools?: ReactNode;
  /** A line parts it from what stands above it. */
  readonly divided?: boolean;
  readonly children: ReactNode;
}

const shapes = {
  open: { part: 'grid grid-cols-[minmax(0,1fr)] content-start gap-2', title: 'font-semibold' },
  divided: {
    part: 'grid min-w-0 gap-3 border-t border-line pt-5 first:border-t-0 first:pt-0',
    title: 'text-sm font-semibold',
  },
} as const;

export function Part({ title, tools, divided = false, children }: PartProps) {
  const shape = shapes[divided ? 'divided' : 'open'];
  return (
    <section className={shape.part}>
      <div className="flex min-h-7 items-center justify-between gap-4">
        <h3 className={shape.title}>{title}</h3>
        {tools}
      </div>
      {children}
    </section>
  );
}
