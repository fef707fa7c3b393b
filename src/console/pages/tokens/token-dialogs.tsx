/** The two things that end a secret, each asked about once and in words that say what will happen. */

import { useState } from 'react';
import { Select } from '../../components/fields/field.tsx';
import { Question, type QuestionProps } from '../../components/overlays/question.tsx';
import { lastingText } from '../../texts/lasting.ts';
import { useSpeech } from '../../words/use-words.tsx';

interface TokenQuestion extends Pick<QuestionProps, 'open' | 'busy' | 'error' | 'onClose'> {
  readonly name: string;
}

export function RevokeDialog({ name, ...rest }: TokenQuestion & { onConfirm(): void }) {
  const words = useSpeech().words.tokens;
  return (
    <Question {...rest} title={words.revokeTitle(name)} keep={words.keep} confirm={words.revokeNow}>
      <p>{words.revokeMeaning}</p>
    </Question>
  );
}

const hourMs = 3_600_000;
const overlapsMs = [0, hourMs, 24 * hourMs, 7 * 24 * hourMs, 30 * 24 * hourMs] as const;
/** Long enough to change it everywhere on the same day. */
const overlapDefaultMs = 24 * hourMs;

export function RotateDialog({ name, onConfirm, ...rest }: TokenQuestion & { onConfirm(overlapMs: number): void }) {
  const { words: all, tag } = useSpeech();
  const words = all.tokens;
  const [overlapMs, setOverlapMs] = useState<number>(overlapDefaultMs);
  return (
    <Question
      {...rest}
      title={words.rotateTitle(name)}
      keep={words.cancel}
      confirm={words.rotateNow}
      kind="primary"
      onConfirm={() => onConfirm(overlapMs)}
    >
      <p>{words.rotateMeaning}</p>
      <Select
        label={words.overlap}
        options={overlapsMs.map((ms) => ({
          value: String(ms),
          label: ms === 0 ? words.overlapNone : lastingText(ms, tag, all.units),
        }))}
        value={String(overlapMs)}
        onChange={(event) => setOverlapMs(Number(event.target.value))}
      />
    </Question>
  );
}
