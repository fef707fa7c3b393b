/** How much of something is used: a bar with its numbers beside it, since a bar alone cannot be read aloud. */

const tones = { accent: 'bg-accent', warn: 'bg-warn-fill', bad: 'bg-bad' } as const;

interface ProgressProps {
  readonly label: string;
  /** 0 to 1; more is shown as full. */
  readonly share: number;
  /** What the bar says in numbers. */
  readonly text: string;
}

/** From here on a budget deserves a look. */
const warnShare = 0.8;

export function Progress({ label, share, text }: ProgressProps) {
  const held = Math.max(0, Math.min(1, share));
  const tone = share >= 1 ? 'bad' : share >= warnShare ? 'warn' : 'accent';
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-4 text-xs">
        <span className="text-quiet">{label}</span>
        <span className="font-mono tabular-nums">{text}</span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(held * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
        className="h-1.5 overflow-hidden rounded-sm bg-pressed"
      >
        <div className={`h-full ${tones[tone]}`} style={{ width: `${held * 100}%` }} />
      </div>
    </div>
  );
}
