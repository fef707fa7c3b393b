/** Facts with their names, three beside each other; a fact that is absent takes no place. */

import type { ReactNode } from 'react';

interface Fact {
  readonly label: string;
  readonly value: ReactNode;
  /** Of three columns; one where absent. */
  readonly columns?: 2 | 3;
}

const spans = { 1: '', 2: 'col-span-2', 3: 'col-span-3' } as const;

export function StoryFacts({ facts }: { readonly facts: readonly (Fact | false | undefined)[] }) {
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-3 text-sm">
      {facts.map(
        (fact) =>
          fact !== false &&
          fact !== undefined && (
            <div key={fact.label} className={`min-w-0 ${spans[fact.columns ?? 1]}`}>
              <dt className="text-xs text-quiet">{fact.label}</dt>
              <dd className="min-w-0 break-words">{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
