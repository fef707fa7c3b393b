/** Speech that is written down. */

import { useRef, useState } from 'react';
import { Check, Field, Select } from '../../../../components/fields/field.tsx';
import { durationText } from '../../../../texts/time.ts';
import { useSpeech, useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps, PlaygroundModel, WireRequest } from '../../playground-contract.ts';
import { type CallOptions, callForBlob, callForJson, jsonRequest } from '../call.ts';
import { useDraft } from '../draft.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow, OperationFrame } from '../operation-frame.tsx';
import { SoundPlayer } from '../sound/sound-player.tsx';
import { useRun } from '../use-run.ts';
import { SoundChoice } from './sound-choice.tsx';
import { spanText, type Transcript, transcriptOf } from './transcript.ts';

interface Heard {
  readonly sound: File;
  readonly transcript: Transcript;
}

/** Outlives a look at another tab. */
let chosen: File | undefined;

export function Panel({ token, models, wire }: OperationPanelProps) {
  const words = useWords().operations.transcription;
  const choice = useModel(models, 'transcribe');
  const [sound, setSound] = useState(chosen);
  const [language, setLanguage] = useDraft('transcription.language', '');
  const [detail, setDetail] = useDraft('transcription.detail', 'verbose_json');
  const [translate, setTranslate] = useDraft('transcription.translate', false);
  const run = useRun<Heard>('transcription');
  if (choice.model === '') return <NoModel what={words.what} />;
  const canTranslate = choice.options.find(({ id }) => id === choice.model)?.operations.includes('translate') === true;
  const speaker = speakerFor(choice.model, models);
  const take = (file: File) => {
    chosen = file;
    setSound(file);
  };
  const speak = async (by: PlaygroundModel, options: CallOptions): Promise<File> => {
    const file = await spokenSample(by.id, words.sampleText, options);
    take(file);
    return file;
  };
  const start = () =>
    run.start(async (call) => {
      const options = { token, wire, ...call };
      const heard = sound ?? (speaker === undefined ? undefined : await speak(speaker, options));
      if (heard === undefined) throw new Error(words.noSound);
      const fields = { model: choice.model, language, detail, translate: translate && canTranslate };
      const answer = await callForJson(requestFor(heard, fields), { ...options, model: choice.model });
      return { sound: heard, transcript: transcriptOf(answer) };
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={sound === undefined && speaker !== undefined ? words.actionSample : words.action}
      empty={words.empty}
      canRun={sound !== undefined || speaker !== undefined}
      onRun={start}
      result={run.result !== undefined && <HeardView {...run.result} />}
    >
      <ModelField choice={choice} />
      <SoundChoice
        name={sound?.name}
        onFile={take}
        onSample={speaker === undefined ? undefined : () => void speak(speaker, { token, wire }).catch(() => undefined)}
      />
      <FieldRow>
        <Select
          label={words.detail}
          value={detail}
          onChange={(event) => setDetail(event.target.value)}
          options={[
            { value: 'verbose_json', label: words.withTimes },
            { value: 'json', label: words.textOnly },
          ]}
        />
        <Field
          label={words.language}
          placeholder={words.languageHint}
          maxLength={8}
          optional
          value={language}
          onChange={(event) => setLanguage(event.target.value)}
        />
      </FieldRow>
      {canTranslate && (
        <Check label={words.translate} checked={translate} onChange={(event) => setTranslate(event.target.checked)} />
      )}
    </OperationFrame>
  );
}

/** Of the same provider where it has one, else the sandbox, which costs nothing and needs no key. */
function speakerFor(model: string, models: readonly PlaygroundModel[]): PlaygroundModel | undefined {
  const own = models.find(({ id }) => id === model)?.providers ?? [];
  const speakers = models.filter(({ operations }) => operations.includes('speak'));
  const of = (names: readonly string[]) => speakers.find(({ providers }) => names.includes(providers[0] ?? ''));
  return of(own) ?? of(['sandbox']) ?? speakers[0];
}

async function spokenSample(model: string, text: string, options: CallOptions): Promise<File> {
  const body = { model, input: text, voice: 'alloy', response_format: 'wav' };
  const blob = await callForBlob(jsonRequest('/v1/audio/speech', body), { ...options, model });
  return new File([blob], 'sample.wav', { type: 'audio/wav' });
}

interface TranscriptionFields {
  readonly model: string;
  readonly language: string;
  readonly detail: string;
  readonly translate: boolean;
}

function requestFor(sound: File, { model, language, detail, translate }: TranscriptionFields): WireRequest {
  const fields: (readonly [string, string | File])[] = [
    ['file', sound],
    ['model', model],
    ['response_format', detail],
  ];
  if (detail === 'verbose_json' && !translate) fields.push(['timestamp_granularities[]', 'segment']);
  if (language.trim() !== '' && !translate) fields.push(['language', language.trim()]);
  const path = translate ? '/v1/audio/translations' : '/v1/audio/transcriptions';
  return { method: 'POST', path, body: { kind: 'form', fields } };
}

function HeardView({ sound, transcript }: Heard) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.transcription;
  const player = useRef<HTMLAudioElement>(null);
  const playFrom = (seconds: number) => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    void player.current.play().catch(() => undefined);
  };
  const { text, language, durationSeconds, segments } = transcript;
  return (
    <div className="grid gap-4">
      <div className="grid gap-3 rounded-md border border-line bg-raised p-4">
        <p className="text-lg break-words" data-part="transcript">
          {text === '' ? words.nothingSaid : text}
        </p>
        {durationSeconds !== undefined && language !== '' && (
          <p className="text-xs text-quiet">
            {words.spokenIn(language, durationText(durationSeconds * 1_000, tag, all.units))}
          </p>
        )}
        <SoundPlayer
          blob={sound}
          player={player}
          label={words.heard}
          unplayable={all.operations.speech.unplayable(sound.type)}
        />
      </div>
      {segments.length > 0 && (
        <section aria-label={words.segments}>
          <ol className="grid">
            {segments.map((segment) => (
              <li
                key={`${segment.startSeconds} ${segment.text}`}
                className="flex gap-3 border-b border-line py-1.5 last:border-b-0"
              >
                <button
                  type="button"
                  aria-label={words.playFrom(spanText(segment))}
                  onClick={() => playFrom(segment.startSeconds)}
                  className="h-6 shrink-0 cursor-pointer rounded-sm px-1 font-mono text-xs text-accent tabular-nums hover:bg-pressed"
                >
                  {spanText(segment)}
                </button>
                <span className="min-w-0 break-words">
                  {segment.speaker !== '' && <span className="mr-2 text-quiet">{segment.speaker}</span>}
                  {segment.text}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
