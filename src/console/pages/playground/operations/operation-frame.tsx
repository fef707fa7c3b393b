/** How every tab of the playground but the conversation is laid out: what is asked on the left, what came back on the right, one button that sends. */

import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Key } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { modKeyText } from '../../../keyboard/use-shortcut.tsx';
import { useWords } from '../../../words/use-words.tsx';
import type { ModelChoice } from './model-choice.tsx';
import { OperationFacts } from './operation-facts.tsx';
import type { Run } from './use-run.ts';

interface OperationFrameProps<Result> {
  readonly run: Run<Result>;
  readonly choice: ModelChoice;
  /** What the button says: “Embed”, “Draw”. */
  readonly action: string;
  /** What would be here after a press. */
  readonly empty: string;
  /** Fills the fields with something that works. */
  readonly onExample?: () => void;
  readonly canRun?: boolean;
  onRun(): void;
  /** The fields. */
  readonly children: ReactNode;
  readonly result: ReactNode;
}

export function OperationFrame<Result>(props: OperationFrameProps<Result>) {
  const { run, action, onExample, canRun = true, onRun, children } = props;
  const words = useWords().operations;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canRun && !run.isGoing) onRun();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    submit(event);
  };
  return (
    <div className="@container relative">
      <div className="grid gap-x-8 gap-y-6 @3xl:grid-cols-[minmax(280px,380px)_minmax(0,1fr)]">
        <form onSubmit={submit} onKeyDown={press} className="grid content-start gap-4">
          {children}
          {/* Always in sight, however long the form is; the tab's own margin below it would let the fields shine through. */}
          <div className="sticky -bottom-6 z-10 -mx-1 flex flex-wrap items-center gap-2 bg-surface px-1 py-3">
            <Button
              type="submit"
              kind="primary"
              aria-keyshortcuts="Control+Enter Meta+Enter"
              busy={run.isGoing}
              disabled={!canRun}
            >
              {action}
            </Button>
            {run.isGoing && <Button onClick={run.stop}>{words.stop}</Button>}
            {onExample !== undefined && !run.isGoing && (
              <Button kind="quiet" onClick={onExample}>
                {words.example}
              </Button>
            )}
            <span aria-hidden="true" className="ml-auto flex gap-1 max-sm:hidden">
              <Key>{modKeyText()}</Key>
              <Key>↵</Key>
            </span>
          </div>
        </form>
        <ResultPart {...props} />
      </div>
    </div>
  );
}

function ResultPart<Result>({ run, choice, empty, result, onRun }: OperationFrameProps<Result>) {
  const words = useWords().operations;
  const id = useId();
  const part = useInSight(run.isGoing);
  const hasResult = run.result !== undefined;
  return (
    <section
      ref={part}
      aria-labelledby={id}
      aria-busy={run.isGoing || undefined}
      className="grid min-w-0 scroll-mt-16 content-start gap-3"
    >
      <div className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id={id} className="text-sm font-semibold">
          {words.result}
        </h2>
        {run.facts.map((facts, place) => (
          <OperationFacts
            key={facts.requestId}
            facts={facts}
            models={choice.options}
            tookMs={place === run.facts.length - 1 ? run.tookMs : undefined}
          />
        ))}
        <span role="status" className="sr-only">
          {run.isGoing ? words.going : hasResult && run.tookMs !== undefined ? words.done : ''}
        </span>
      </div>
      {run.error !== undefined && <ErrorNotice error={run.error} onAgain={onRun} />}
      {hasResult && <div className={run.isGoing ? 'opacity-60 transition-opacity duration-[120ms]' : ''}>{result}</div>}
      {!hasResult && run.isGoing && (
        <Ground>
          <SkeletonText lines={5} />
        </Ground>
      )}
      {!hasResult && !run.isGoing && run.error === undefined && (
        <Ground>
          <EmptyState title={words.nothingYet}>{empty}</EmptyState>
        </Ground>
      )}
    </section>
  );
}

/** Where the form stands above the result, as on phones, a press of the button leads to what it brings. */
function useInSight(isGoing: boolean) {
  const part = useRef<HTMLElement>(null);
  const wasGoing = useRef(isGoing);
  useEffect(() => {
    const begins = isGoing && !wasGoing.current;
    wasGoing.current = isGoing;
    if (!begins || part.current === null || part.current.getBoundingClientRect().top < innerHeight / 2) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    part.current.scrollIntoView({ block: 'start', behavior: isCalm ? 'auto' : 'smooth' });
  }, [isGoing]);
  return part;
}

/** Holds the place of a result, so that the page is in shape before there is one. */
function Ground({ children }: { readonly children: ReactNode }) {
  return <div className="min-h-56 rounded-md border border-dashed border-line p-4">{children}</div>;
}

/** Fields that belong side by side where there is room. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3">{children}</div>;
}
