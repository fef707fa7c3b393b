/** The conversation itself: what was said, the line of facts, and the place to write; it follows the stream while nobody scrolls. */

import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useShortcut } from '../../../keyboard/use-shortcut.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { shownRounds, versionsOf } from './branches.ts';
import { Composer } from './composer.tsx';
import { type Desk, type DeskState, type Message, replyKey, type Way } from './conversations.ts';
import { FactsLine } from './facts-line.tsx';
import { type RoundActions, RoundView } from './round-view.tsx';
import { useFollow } from './use-follow.ts';

interface ConversationPanelProps {
  readonly desk: Desk;
  readonly state: DeskState;
  readonly way: Way;
  /** Models to choose, and what else stands above the conversation. */
  readonly tools: ReactNode;
  /** After a message went out: the address should name its conversation. */
  onSent(): void;
}

export function ConversationPanel({ desk, state, way, tools, onSent }: ConversationPanelProps) {
  const { conversation, running } = state;
  const words = useWords().playground.tabs;
  const [editedId, setEditedId] = useState<string>();
  const rounds = useMemo(() => shownRounds(conversation), [conversation]);
  const last = rounds.at(-1);
  const isRunning = rounds.some(({ id, answers }) => answers.some((_, lane) => running.has(replyKey(id, lane))));
  const isComparing = rounds.some(({ answers }) => answers.length > 1);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follow = useFollow(scroller, content, conversation.id);
  useShortcut('Escape', isRunning ? () => desk.stop() : undefined);
  const sent = (run: () => void) => {
    setEditedId(undefined);
    follow();
    run();
    onSent();
  };
  const actions: RoundActions = {
    retry: (round) => sent(() => desk.askAgain(round, { text: round.text, attachments: round.attachments }, way)),
    askAgain: (round, text) => sent(() => desk.askAgain(round, { text, attachments: round.attachments }, way)),
    show: (id) => desk.show(id),
    answerCalls: (id, lane, results) => sent(() => desk.answerCalls(id, lane, results, way)),
    edit: setEditedId,
  };
  const send = (message: Message) => sent(() => desk.send(message, way));
  const model = way.catalogue.find(({ id }) => id === way.models[0]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <h2 className="sr-only">{conversation.title || words.conversation}</h2>
      <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">{tools}</div>
      <div ref={scroller} className="min-h-0 grow overflow-y-auto [overflow-anchor:none]">
        <div
          ref={content}
          className={`mx-auto grid grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 ${isComparing ? '' : 'max-w-[860px]'}`}
        >
          {rounds.length === 0 && (
            <Beginning onPick={(text) => send({ text, attachments: [] })} canSend={way.models.length > 0} />
          )}
          {rounds.map((round) => (
            <RoundView
              key={round.id}
              round={round}
              versions={versionsOf(conversation, round)}
              runningLanes={runningLanes(round.id, round.answers.length, running)}
              isLast={round === last}
              isEdited={round.id === editedId}
              drafts={desk.drafts}
              actions={actions}
            />
          ))}
        </div>
      </div>
      <div className="shrink-0 px-4 pb-4">
        <div className="mx-auto grid max-w-[860px] grid-cols-[minmax(0,1fr)] gap-2">
          <FactsLine answers={last?.answers ?? []} isRunning={isRunning} />
          <Composer
            desk={desk}
            modalities={model?.inputModalities ?? []}
            isRunning={isRunning}
            canSend={way.models.length > 0}
            onSend={send}
            onStop={() => desk.stop()}
            onEditLast={() => !isRunning && setEditedId(last?.id)}
          />
        </div>
      </div>
    </div>
  );
}

function runningLanes(roundId: string, lanes: number, running: ReadonlySet<string>): string {
  return [...Array(lanes).keys()].filter((lane) => running.has(replyKey(roundId, lane))).join(',');
}

function Beginning({ onPick, canSend }: { onPick(text: string): void; readonly canSend: boolean }) {
  const { turn: words, model } = useWords().playground;
  const { title, ...examples } = words.examples;
  if (!canSend) {
    return (
      <EmptyState icon="models" title={model.noneServed}>
        {model.noneServedHint}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="playground"
      title={words.empty}
      action={
        <div className="grid justify-items-center gap-2">
          <p className="text-sm text-quiet">{title}</p>
          <div className="flex flex-wrap justify-center gap-2">
            {Object.values(examples).map((example) => (
              <Button key={example} size="small" onClick={() => onPick(example)}>
                {example}
              </Button>
            ))}
          </div>
        </div>
      }
    >
      {words.emptyHint}
    </EmptyState>
  );
}
