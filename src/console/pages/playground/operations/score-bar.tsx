/** A score as a number with a bar: the number says it, the bar makes it comparable. */

import { useSpeech } from '../../../words/use-words.tsx';

interface ScoreBarProps {
  /** How long the bar is, 0 to 1. */
  readonly share: number;
  readonly value: number;
  readonly tone?: 'accent' | 'bad';
}

const tones = { accent: 'bg-accent', bad: 'bg-bad' } as const;

export function ScoreBar({ share, value, tone = 'accent' }: ScoreBarProps) {
  const { tag } = useSpeech();
  const held = Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0));
  const text = new Intl.NumberFormat(tag, { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(value);
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden="true" className="h-1.5 min-w-0 grow overflow-hidden rounded-sm bg-pressed">
        <span className={`block h-full ${tones[tone]}`} style={{ width: `${held * 100}%` }} />
      </span>
      <span className="w-14 text-right font-mono text-xs tabular-nums">{text}</span>
    </span>
  );
}
