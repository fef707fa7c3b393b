/** A question with its answers: one below the other, or side by side where several models were asked, with what can be done with them below. */

import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { AnswerView, textOfAnswer } from './answer-view.tsx';
import { AttachmentChip } from './attachment-chip.tsx';
import type { Versions } from './branches.ts';
import type { Round } from './conversation.ts';
import { replyKey } from './conversations.ts';
import type { LiveDrafts } from './live-drafts.ts';

export interface RoundActions {
  retry(round: Round): void;
  askAgain(round: Round, text: string): void;
  show(roundId: string): void;
  answerCalls(roundId: string, lane: number, results: readonly string[]): void;
  edit(roundId: string | undefined): void;
}

interface RoundViewProps {
  readonly round: Round;
  readonly versions: Versions;
  /** The lanes of it that are under way, as a text so that equal ones are equal. */
  readonly runningLanes: string;
  readonly isLast: boolean;
  readonly isEdited: boolean;
  readonly drafts: LiveDrafts;
  readonly actions: RoundActions;
}

export const RoundView = memo(function RoundView(props: RoundViewProps) {
  const { round, runningLanes, isLast, drafts, actions } = props;
  const running = runningLanes.split(',');
  const isBeside = round.answers.length > 1;
  return (
    // What is out of sight need not be laid out again with every token of what is not.
    <article
      className={`grid grid-cols-[minmax(0,1fr)] gap-2 ${isLast ? '' : '[contain-intrinsic-size:auto_300px] [content-visibility:auto]'}`}
    >
      <Question {...props} />
      {/* As many columns as can be read; on a narrow page the answers stand below each other. */}
      <div
        className={
          isBeside
            ? 'grid grid-cols-[repeat(auto-fit,minmax(min(100%,240px),1fr))] gap-x-6 gap-y-8'
            : 'grid grid-cols-[minmax(0,1fr)]'
        }
      >
        {round.answers.map((answer, lane) => (
          <AnswerView
            key={`${lane}-${answer.model}`}
            answer={answer}
            replyKey={replyKey(round.id, lane)}
            isRunning={running.includes(`${lane}`)}
            drafts={drafts}
            isLast={isLast}
            hasFacts={isBeside}
            onResults={(results) => actions.answerCalls(round.id, lane, results)}
            onRetry={() => actions.retry(round)}
          />
        ))}
      </div>
      <RoundTools {...props} />
    </article>
  );
});

/** Below the answers: what they say, another try, and the versions that there are. */
function RoundTools({ round, versions, runningLanes, actions }: RoundViewProps) {
  const words = useWords().playground.turn;
  const isRunning = runningLanes !== '';
  const [only] = round.answers.length === 1 ? round.answers : [];
  const text = only === undefined ? '' : textOfAnswer(only);
  return (
    <div className="-ml-2 flex h-7 items-center gap-0.5">
      {!isRunning && text.trim() !== '' && <CopyButton text={text} what={words.copy} kind="quiet" />}
      {!isRunning && (
        <IconButton icon="again" label={words.retry} className="size-7" onClick={() => actions.retry(round)} />
      )}
      {versions.ids.length > 1 && <VersionSwitch versions={versions} onShow={actions.show} />}
    </div>
  );
}

function Question({ round, runningLanes, isEdited, actions }: RoundViewProps) {
  const words = useWords().playground.turn;
  if (isEdited) return <EditForm round={round} actions={actions} />;
  return (
    <div className="group/question grid justify-items-end gap-1">
      <h3 className="sr-only">{words.you}</h3>
      {round.attachments.length > 0 && (
        <div className="flex flex-wrap justify-end gap-2">
          {round.attachments.map((attachment) => (
            <AttachmentChip key={attachment.id} attachment={attachment} />
          ))}
        </div>
      )}
      {round.text !== '' && (
        <div className="max-w-[85%] rounded-md bg-sunken px-3 py-2 leading-[22px] [overflow-wrap:anywhere] whitespace-pre-wrap">
          {round.text}
        </div>
      )}
      <div className="flex h-7 items-center gap-0.5">
        <div className="flex items-center opacity-0 transition-opacity duration-[120ms] group-focus-within/question:opacity-100 group-hover/question:opacity-100 [@media(hover:none)]:opacity-100">
          <CopyButton text={round.text} what={words.copyYours} kind="quiet" bare />
          <IconButton
            icon="edit"
            label={words.edit}
            className="size-7"
            disabled={runningLanes !== ''}
            onClick={() => actions.edit(round.id)}
          />
        </div>
      </div>
    </div>
  );
}

function VersionSwitch({ versions, onShow }: { readonly versions: Versions; onShow(id: string): void }) {
  const words = useWords().playground.turn;
  const { ids, index } = versions;
  const go = (to: number) => {
    const id = ids[to];
    if (id !== undefined) onShow(id);
  };
  return (
    <div className="flex items-center text-xs text-quiet tabular-nums">
      <IconButton
        icon="left"
        label={words.earlier}
        className="size-7"
        disabled={index === 0}
        onClick={() => go(index - 1)}
      />
      <span>
        <span className="sr-only">{words.versions(index + 1, ids.length)}</span>
        <span aria-hidden="true">
          {index + 1}/{ids.length}
        </span>
      </span>
      <IconButton
        icon="right"
        label={words.later}
        className="size-7"
        disabled={index === ids.length - 1}
        onClick={() => go(index + 1)}
      />
    </div>
  );
}

function EditForm({ round, actions }: { readonly round: Round; readonly actions: RoundActions }) {
  const words = useWords().playground.turn;
  const [text, setText] = useState(round.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const shown = field.current;
    shown?.focus();
    shown?.setSelectionRange(shown.value.length, shown.value.length);
  }, []);
  const save = () => {
    if (text.trim() !== '') actions.askAgain(round, text.trim());
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) save();
    else if (event.key === 'Escape') actions.edit(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grid gap-2 rounded-md border border-accent bg-raised p-2">
      <textarea
        ref={field}
        aria-label={words.editing}
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-60 min-h-8 w-full resize-none bg-transparent px-1.5 py-1.5 outline-none"
      />
      <div className="flex justify-end gap-2">
        <Button size="small" kind="quiet" onClick={() => actions.edit(undefined)}>
          {words.cancel}
        </Button>
        <Button size="small" kind="primary" disabled={text.trim() === ''} onClick={save}>
          {words.send}
        </Button>
      </div>
    </div>
  );
}
