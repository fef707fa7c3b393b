/** Names and values side by side, and the headed parts of a panel they stand in. */

import type { ReactNode } from 'react';

export function Section({
  title,
  tools,
  children,
}: {
  readonly title: string;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="grid min-w-0 gap-3 border-t border-line pt-5 first:border-t-0 first:pt-0">
      <div className="flex min-h-7 items-center justify-between gap-4">
        <h3 className="text-sm font-semibold">{title}</h3>
        {tools}
      </div>
      {children}
    </section>
  );
}

export function FactList({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 text-sm">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
