/** One model's answer: thinking folded away, text as it streams, calls to answer by hand, and why it ended early where it did. */

import { memo, useCallback, useState, useSyncExternalStore } from 'react';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { useWords } from '../../../words/use-words.tsx';
import type { Draft } from '../formats/format-adapter.ts';
import { RefusalNotice } from '../token/refusal-notice.tsx';
import { awaitsResults } from './branches.ts';
import type { Answer, Step } from './conversation.ts';
import { FactList } from './facts-line.tsx';
import type { LiveDrafts } from './live-drafts.ts';
import { ReplyText } from './reply-text.tsx';
import { ToolCalls } from './tool-calls.tsx';

interface AnswerViewProps {
  readonly answer: Answer;
  readonly replyKey: string;
  readonly isRunning: boolean;
  readonly drafts: LiveDrafts;
  /** Only the last round can go on. */
  readonly isLast: boolean;
  /** Where several models answer side by side, each says its own. */
  readonly hasFacts: boolean;
  onResults(results: readonly string[]): void;
  onRetry(): void;
}

export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { answer, replyKey, isRunning, drafts, isLast, hasFacts, onResults, onRetry } = props;
  const words = useWords().playground.turn;
  const text = hasFacts ? textOfAnswer(answer) : '';
  const facts = answer.steps.at(-1)?.facts;
  const isAwaited = isLast && !isRunning && awaitsResults(answer);
  const lastStep = answer.steps.length - 1;
  return (
    <section aria-label={answer.model} className="group/answer grid min-w-0 content-start gap-2">
      <h3 className="flex h-6 items-center gap-2 font-mono text-xs text-quiet">
        <span className="truncate">{answer.model}</span>
      </h3>
      {[...answer.steps, ...(isRunning ? [undefined] : [])].map((step, index) => (
        <StepView
          key={index}
          step={step}
          replyKey={replyKey}
          drafts={drafts}
          onResults={isAwaited && index === lastStep ? onResults : undefined}
          onRetry={onRetry}
        />
      ))}
      {!isRunning && answer.steps.length === 0 && (
        <div className="flex items-center gap-3 text-quiet">
          {words.nothingCame}
          <Button size="small" onClick={onRetry}>
            {words.retry}
          </Button>
        </div>
      )}
      {hasFacts && !isRunning && (
        <div className="@container grid gap-1 text-xs text-quiet">
          {text.trim() !== '' && (
            <div className="-ml-2 flex h-7 items-center">
              <CopyButton text={text} what={words.copy} kind="quiet" />
            </div>
          )}
          {facts !== undefined && <FactList facts={facts} />}
        </div>
      )}
    </section>
  );
});

/** All that it said, in all its steps. */
export const textOfAnswer = ({ steps }: Answer): string => steps.map(({ text }) => text).join('\n\n');

interface StepViewProps {
  /** Absent while it streams. */
  readonly step: Step | undefined;
  readonly replyKey: string;
  readonly drafts: LiveDrafts;
  readonly onResults: ((results: readonly string[]) => void) | undefined;
  onRetry(): void;
}

/** One view for a reply while it streams and afterwards: what was drawn piece by piece is not drawn again when it ends. */
const StepView = memo(function StepView({ step, replyKey, drafts, onResults, onRetry }: StepViewProps) {
  const words = useWords();
  const isLive = step === undefined;
  const draft = useSyncExternalStore<Draft | undefined>(
    useCallback(
      (listener) => (isLive ? drafts.subscribe(replyKey, listener) : () => undefined),
      [isLive, drafts, replyKey],
    ),
    () => (isLive ? drafts.get(replyKey) : undefined),
  );
  const { thinking = '', text = '', calls = [] } = step ?? draft ?? {};
  const isSilent = isLive && text === '' && calls.length === 0;
  const note = step === undefined ? undefined : endNote(step, words.playground.turn);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      {thinking !== '' && <Thinking text={thinking} isLive={isSilent} />}
      {text !== '' && <ReplyText text={text} isLive={isLive} />}
      {calls.length > 0 && <ToolCalls calls={calls} onResults={onResults} />}
      {isSilent && thinking === '' && (
        <span aria-hidden="true" className="my-[3px] h-4 w-2 animate-breathe rounded-[2px] bg-accent" />
      )}
      {note !== undefined && <p className="text-sm text-quiet">{note}</p>}
      {step?.failure !== undefined && (
        <RefusalNotice refusal={step.failure}>
          <Button size="small" onClick={onRetry}>
            {words.parts.again}
          </Button>
        </RefusalNotice>
      )}
    </div>
  );
});

const lengthWords: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens', 'MAX_TOKENS']);
const filterWords: ReadonlySet<string> = new Set(['content_filter', 'refusal', 'SAFETY', 'PROHIBITED_CONTENT']);

function endNote(
  { isStopped, finish = '' }: Step,
  words: { readonly stopped: string; readonly finishes: { readonly length: string; readonly filter: string } },
): string | undefined {
  if (isStopped === true) return words.stopped;
  if (lengthWords.has(finish)) return words.finishes.length;
  return filterWords.has(finish) ? words.finishes.filter : undefined;
}

/** Drawn only while it is unfolded: thoughts can be longer than the answer. */
function Thinking({ text, isLive }: { readonly text: string; readonly isLive: boolean }) {
  const words = useWords().playground.turn;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="grid justify-items-start gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7 cursor-pointer items-center gap-1.5 rounded-sm pr-2 text-sm text-quiet hover:text-text"
      >
        <Icon name="chevron" className={`transition-transform duration-[120ms] ${isOpen ? '' : '-rotate-90'}`} />
        <span className={isLive ? 'animate-breathe' : ''}>{words.thinking}</span>
      </button>
      {isOpen && (
        <p className="w-full border-l-2 border-line pl-3 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap text-quiet">
          {text}
        </p>
      )}
    </div>
  );
}
