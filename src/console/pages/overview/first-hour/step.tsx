/** One step of the checklist: its number or its mark, what it is about, and what to do. */

import type { ReactNode } from 'react';
import { Icon } from '../../../components/icon.tsx';
import { useWords } from '../../../words/use-words.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, isDone, children }: StepProps) {
  const words = useWords().firstHour;
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 border-t border-line px-4 py-4">
      <span
        aria-hidden="true"
        className={`grid size-6 place-items-center rounded-full border text-xs font-medium ${
          isDone ? 'border-transparent bg-ok-wash text-ok' : 'border-line-strong text-quiet'
        }`}
      >
        {isDone ? <Icon name="check" className="size-3.5" /> : number}
      </span>
      <div className="grid min-w-0 gap-3">
        <h3 className="font-medium">
          {title} <span className="sr-only">({isDone ? words.done : words.open})</span>
        </h3>
        {children}
      </div>
    </li>
  );
}
