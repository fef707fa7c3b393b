/** One of several views of the same thing; the arrow keys move between them. */

import * as Radix from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps {
  /** What the tabs choose between, for those who cannot see it. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Given together where the address holds the choice. */
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  /** `press` where a tab may refuse to be left: the focus that comes back to one must not open it. */
  readonly opensBy?: 'focus' | 'press';
  /** Stands at the end of the row of tabs. */
  readonly tools?: ReactNode;
}

export function Tabs({ label, tabs, value, onChange, opensBy = 'focus', tools }: TabsProps) {
  const first = tabs[0]?.id ?? '';
  return (
    <Radix.Root
      defaultValue={first}
      activationMode={opensBy === 'press' ? 'manual' : 'automatic'}
      {...(value !== undefined && { value })}
      {...(onChange !== undefined && { onValueChange: onChange })}
    >
      <div className="flex items-center gap-4 border-b border-line">
        <Radix.List aria-label={label} className="-mb-px flex min-w-0 grow overflow-x-auto [scrollbar-width:none]">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              className={
                'h-9 cursor-pointer border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-quiet ' +
                'transition-colors duration-[120ms] hover:text-text focus-visible:outline-offset-[-2px] ' +
                'data-[state=active]:border-accent data-[state=active]:text-text'
              }
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {tools}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="pt-4 focus-visible:outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
