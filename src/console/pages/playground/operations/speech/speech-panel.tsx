/** Text that is spoken and can be heard at once. */

import { Field, Select, TextField } from '../../../../components/fields/field.tsx';
import { bytesText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForBlob, jsonRequest } from '../call.ts';
import { DownloadLink } from '../download-link.tsx';
import { useDraft } from '../draft.ts';
import { optionalNumber, useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow, OperationFrame } from '../operation-frame.tsx';
import { wavFile } from '../sound/samples.ts';
import { SoundPlayer } from '../sound/sound-player.tsx';
import { useObjectUrl } from '../use-object-url.ts';
import { useRun } from '../use-run.ts';
import { VoiceField } from './voice-field.tsx';

interface Spoken {
  readonly format: string;
  /** As it came, to be kept. */
  readonly file: Blob;
  /** What a browser can play: bare samples have no head, and get one. */
  readonly playable: Blob;
}

const formats = ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'] as const;
/** What bare samples are at wherever this format is spoken. */
const pcmRateHz = 24_000;

export function Panel({ token, models, wire }: OperationPanelProps) {
  const words = useSpeech().words.operations.speech;
  const choice = useModel(models, 'speak');
  const [text, setText] = useDraft('speech.text', words.examples.first);
  const [voice, setVoice] = useDraft('speech.voice', 'alloy');
  const [format, setFormat] = useDraft<string>('speech.format', 'mp3');
  const [speed, setSpeed] = useDraft('speech.speed', '1');
  const [instructions, setInstructions] = useDraft('speech.instructions', '');
  const run = useRun<Spoken>('speech');
  const nextExample = useNextExample(words.examples, setText);
  if (choice.model === '') return <NoModel what={words.what} />;
  const start = () =>
    run.start(async (call) => {
      const wanted = optionalNumber(speed);
      const body = {
        model: choice.model,
        input: text,
        voice,
        response_format: format,
        ...(wanted !== undefined && wanted !== 1 && { speed: wanted }),
        ...(instructions !== '' && { instructions }),
      };
      const file = await callForBlob(jsonRequest('/v1/audio/speech', body), {
        token,
        wire,
        model: choice.model,
        ...call,
      });
      return { format, file, playable: await playableOf(file, format) };
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={text.trim() !== '' && voice.trim() !== ''}
      onRun={start}
      onExample={nextExample}
      result={run.result !== undefined && <SpokenView spoken={run.result} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.text} rows={5} value={text} onChange={(event) => setText(event.target.value)} />
      <VoiceField label={words.voice} value={voice} onChange={setVoice} />
      <FieldRow>
        <Select
          label={words.format}
          value={format}
          onChange={(event) => setFormat(event.target.value)}
          options={formats.map((value) => ({ value, label: value.toUpperCase() }))}
        />
        <Field
          label={words.speed}
          type="number"
          min={0.25}
          max={4}
          step={0.05}
          mono
          value={speed}
          onChange={(event) => setSpeed(event.target.value)}
        />
      </FieldRow>
      <Field
        label={words.instructions}
        optional
        value={instructions}
        onChange={(event) => setInstructions(event.target.value)}
      />
    </OperationFrame>
  );
}

function SpokenView({ spoken }: { readonly spoken: Spoken }) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.speech;
  const file = useObjectUrl(spoken.file);
  return (
    <div className="grid gap-3 rounded-md border border-line bg-raised p-4">
      <SoundPlayer
        blob={spoken.playable}
        label={words.player}
        unplayable={words.unplayable(spoken.format.toUpperCase())}
      />
      <div className="flex items-center justify-between gap-4 text-xs text-quiet">
        <span>{words.fact(bytesText(spoken.file.size, tag), spoken.file.type)}</span>
        <DownloadLink href={file} name={`speech.${spoken.format}`} what={words.player} />
      </div>
    </div>
  );
}

async function playableOf(file: Blob, format: string): Promise<Blob> {
  if (format !== 'pcm') return file;
  const bytes = await file.arrayBuffer();
  const samples = new Int16Array(bytes.slice(0, bytes.byteLength - (bytes.byteLength % 2)));
  return new Blob([wavFile(samples, pcmRateHz)], { type: 'audio/wav' });
}
