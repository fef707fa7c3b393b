/** What is known of one thing, name beside value, a line for each. */

import type { ReactNode } from 'react';

export interface FactRow {
  readonly name: string;
  readonly value: ReactNode;
}

export function FactRows({ facts }: { readonly facts: readonly FactRow[] }) {
  return (
    <dl className="text-sm">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex min-h-8 items-center gap-4 border-b border-line py-1 last:border-b-0">
          <dt className="w-36 shrink-0 text-quiet">{name}</dt>
          <dd className="min-w-0 grow break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
