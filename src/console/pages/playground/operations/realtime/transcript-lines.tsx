/** What was said by whom; the latest line stays in sight. */

import { useEffect, useRef } from 'react';
import { EmptyState } from '../../../../components/empty-state.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { Line } from './live-events.ts';
import type { Phase } from './use-live.ts';

interface TranscriptLinesProps {
  readonly lines: readonly Line[];
  readonly phase: Phase;
}

export function TranscriptLines({ lines, phase }: TranscriptLinesProps) {
  const { operations, answers } = useWords();
  const words = operations.realtime;
  const list = useRef<HTMLOListElement>(null);
  const latest = lines.at(-1)?.text.length ?? 0;
  // Every word that arrives moves the end.
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines.length, latest]);
  if (lines.length === 0) {
    return (
      <div className="grid min-h-72 place-items-center rounded-md border border-dashed border-line">
        <EmptyState icon="playground" title={phase === 'idle' ? words.emptyTitle : answers.live[phase].title}>
          {phase === 'idle' ? words.empty : answers.live[phase].hint}
        </EmptyState>
      </div>
    );
  }
  return (
    <ol
      ref={list}
      aria-live="polite"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="grid max-h-[60vh] min-h-72 content-start gap-3 overflow-y-auto rounded-md border border-line bg-raised p-4"
    >
      {lines.map((line) => (
        <li
          key={line.id}
          data-who={line.who}
          className={`grid gap-0.5 ${line.who === 'person' ? 'justify-items-end' : ''}`}
        >
          <span className="text-xs text-quiet">{line.who === 'person' ? words.you : words.model}</span>
          <p
            className={`max-w-[72ch] rounded-md px-3 py-2 break-words whitespace-pre-wrap ${line.who === 'person' ? 'bg-wash' : 'bg-sunken'}`}
          >
            {line.text === '' ? <span className="text-quiet">{words.wordless}</span> : line.text}
          </p>
          {line.state === 'interrupted' && <span className="text-xs text-warn">{words.interrupted}</span>}
        </li>
      ))}
    </ol>
  );
}
