/** The sound that is to be written down: recorded here, chosen as a file, or spoken by a model for those who have none. */

import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { useSpeech } from '../../../../words/use-words.tsx';
import { FileButton } from '../file-button.tsx';
import { canRecord, type Recording, startRecording } from '../sound/record.ts';
import { wholeClockText } from './transcript.ts';

interface SoundChoiceProps {
  readonly name: string | undefined;
  /** Absent where no model speaks. */
  readonly onSample: (() => void) | undefined;
  onFile(file: File): void;
}

const tickMs = 250;

export function SoundChoice({ name, onSample, onFile }: SoundChoiceProps) {
  const { words: all } = useSpeech();
  const words = all.operations.transcription;
  const { startedAtMs, isRefused, record, finish } = useRecorder((blob) =>
    onFile(new File([blob], words.mine, { type: blob.type })),
  );
  const isRecording = startedAtMs !== undefined;
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">{words.sound}</legend>
      <div className="flex flex-wrap items-center gap-2">
        {isRecording ? (
          <Button size="small" kind="danger" onClick={finish}>
            {words.stopRecording}
          </Button>
        ) : (
          <Button size="small" disabled={!canRecord()} onClick={record}>
            {words.record}
          </Button>
        )}
        <FileButton accept="audio/*,video/mp4,video/webm" disabled={isRecording} onFile={onFile}>
          {words.upload}
        </FileButton>
        {onSample !== undefined && (
          <Button size="small" kind="quiet" disabled={isRecording} onClick={onSample}>
            {words.sample}
          </Button>
        )}
      </div>
      {isRecording && <Elapsed sinceMs={startedAtMs} />}
      {isRefused && (
        <p role="alert" className="text-xs text-bad">
          {words.refused}
        </p>
      )}
      {!isRecording && !isRefused && (
        <p className="text-xs break-words text-quiet">{name ?? (canRecord() ? words.noSound : words.noMicrophone)}</p>
      )}
    </fieldset>
  );
}

function useRecorder(onRecorded: (blob: Blob) => void) {
  const recording = useRef<Recording>(undefined);
  const [startedAtMs, setStartedAtMs] = useState<number>();
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => () => recording.current?.cancel(), []);
  const record = async () => {
    setIsRefused(false);
    try {
      recording.current = await startRecording();
      setStartedAtMs(Date.now());
    } catch {
      setIsRefused(true);
    }
  };
  const finish = async () => {
    setStartedAtMs(undefined);
    const blob = await recording.current?.stop();
    recording.current = undefined;
    if (blob !== undefined) onRecorded(blob);
  };
  return { startedAtMs, isRefused, record: () => void record(), finish: () => void finish() };
}

function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  const { words: all } = useSpeech();
  const [nowMs, setNowMs] = useState(sinceMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="flex items-center gap-2 text-xs text-bad">
      <span aria-hidden="true" className="size-2 animate-breathe rounded-full bg-bad" />
      {all.operations.transcription.recording(wholeClockText((nowMs - sinceMs) / 1_000))}
    </p>
  );
}
