/** A conversation by voice or in writing, while it happens. */

import { type FormEvent, useState } from 'react';
import { Badge } from '../../../../components/badge.tsx';
import { Button } from '../../../../components/button.tsx';
import { ErrorNotice } from '../../../../components/error-notice.tsx';
import { Field, Select, TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { useDraft } from '../draft.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow } from '../operation-frame.tsx';
import { VoiceField } from '../speech/voice-field.tsx';
import { LiveFacts } from './live-facts.tsx';
import type { LiveSettings } from './live-link.ts';
import { hasMicrophone } from './microphone.ts';
import { TranscriptLines } from './transcript-lines.tsx';
import { type Live, useLive } from './use-live.ts';

export function Panel(props: OperationPanelProps) {
  const words = useWords().operations.realtime;
  const choice = useModel(props.models, 'converse-live');
  const [instructions, setInstructions] = useDraft('realtime.instructions', words.instructionsExample);
  const [voice, setVoice] = useDraft('realtime.voice', 'alloy');
  const [replies, setReplies] = useDraft<LiveSettings['replies']>('realtime.replies', 'audio');
  const live = useLive(props);
  if (choice.model === '') return <NoModel what={words.what} />;
  const isOpen = live.phase === 'connecting' || live.phase === 'live';
  const start = (event: FormEvent) => {
    event.preventDefault();
    live.start({ model: choice.model, instructions, voice, replies });
  };
  return (
    <div className="@container relative">
      <div className="grid gap-x-8 gap-y-6 @3xl:grid-cols-[minmax(280px,380px)_minmax(0,1fr)]">
        <form onSubmit={start} className="grid content-start gap-4">
          {/* What was agreed at the start holds until the end. */}
          <fieldset disabled={isOpen} className="grid gap-4">
            <legend className="sr-only">{words.what}</legend>
            <ModelField choice={choice} />
            <TextField
              label={words.instructions}
              optional
              value={instructions}
              onChange={(event) => setInstructions(event.target.value)}
            />
            <FieldRow>
              <VoiceField label={words.voice} value={voice} onChange={setVoice} />
              <Select
                label={words.reply}
                value={replies}
                onChange={(event) => setReplies(event.target.value === 'text' ? 'text' : 'audio')}
                options={[
                  { value: 'audio', label: words.spoken },
                  { value: 'text', label: words.written },
                ]}
              />
            </FieldRow>
          </fieldset>
          <div className="flex flex-wrap gap-2">
            {/* Two buttons, not one that changes: a press that hangs up must not become the press that starts. */}
            {isOpen ? (
              <Button key="hang-up" kind="danger" onClick={live.hangUp}>
                {words.hangUp}
              </Button>
            ) : (
              <Button key="start" type="submit" kind="primary">
                {words.start}
              </Button>
            )}
          </div>
        </form>
        <Talk live={live} token={props.token} models={props.models} />
      </div>
    </div>
  );
}

function Talk({ live, token, models }: Pick<OperationPanelProps, 'token' | 'models'> & { readonly live: Live }) {
  const words = useWords().operations.realtime;
  const { phase, state, error, lostCode, isRefused } = live;
  return (
    <section aria-label={words.transcript} className="grid min-w-0 content-start gap-3">
      <StatusLine live={live} />
      <LiveFacts live={live} token={token} models={models} />
      {error !== undefined && <ErrorNotice error={error} />}
      {state.error !== undefined && <ErrorNotice error={new Error(`${state.error.message} (${state.error.code})`)} />}
      {lostCode !== undefined && <ErrorNotice error={new Error(words.lost(String(lostCode)))} />}
      {isRefused && (
        <p role="alert" className="text-sm text-warn">
          {words.refused}
        </p>
      )}
      <TranscriptLines lines={state.lines} phase={phase} />
      {phase === 'live' && <Say live={live} />}
    </section>
  );
}

function StatusLine({ live }: { readonly live: Live }) {
  const words = useWords().operations.realtime;
  const { phase, state, isHearing } = live;
  const isLive = phase === 'live';
  const doing = state.hearing
    ? words.hearing
    : state.responseId !== undefined
      ? words.answering
      : isHearing
        ? words.idle
        : words.quiet;
  return (
    <div className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-2">
      {/* Beside the words, because a state is read aloud when it changes. */}
      <span role="status" className="flex items-center gap-3 text-sm">
        {phase === 'idle' ? (
          <h2 className="text-sm font-semibold">{words.transcript}</h2>
        ) : (
          <Badge tone={isLive ? 'ok' : 'plain'} dot>
            {phase === 'connecting' ? words.connecting : isLive ? words.live : words.ended}
          </Badge>
        )}
        {isLive && <span className="text-quiet">{doing}</span>}
      </span>
    </div>
  );
}

function Say({ live }: { readonly live: Live }) {
  const words = useWords().operations.realtime;
  const [text, setText] = useState(words.sayExample);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    live.say(text.trim());
    setText('');
  };
  return (
    <div className="grid gap-3">
      <form onSubmit={send} className="flex items-end gap-2">
        <div className="min-w-0 grow">
          <Field label={words.say} value={text} onChange={(event) => setText(event.target.value)} />
        </div>
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          {words.send}
        </Button>
      </form>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" aria-pressed={live.isHearing} disabled={!hasMicrophone()} onClick={live.toggleMicrophone}>
          {live.isHearing ? words.turnOff : words.turnOn}
        </Button>
        <Button size="small" disabled={live.state.lines.length === 0} onClick={live.interrupt}>
          {words.interrupt}
        </Button>
        {live.isHearing && <meter min={0} max={1} value={live.level} aria-label={words.level} className="h-2 w-32" />}
      </div>
    </div>
  );
}
