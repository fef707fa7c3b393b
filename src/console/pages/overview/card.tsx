/** A small place with a name on the overview. */

import type { ReactNode } from 'react';

interface CardProps {
  readonly title: string;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, tools, children }: CardProps) {
  return (
    <section className="min-w-0 rounded-md border border-line bg-raised">
      <div className="flex min-h-11 items-center justify-between gap-4 px-4 pt-1">
        <h2 className="font-semibold">{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
