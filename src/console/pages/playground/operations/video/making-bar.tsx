/** How far a video is: unlike a budget, it is no worry when it is nearly full. */

interface MakingBarProps {
  readonly label: string;
  /** 0 to 1. */
  readonly share: number;
  readonly text: string;
}

export function MakingBar({ label, share, text }: MakingBarProps) {
  return (
    <div className="flex items-center gap-3">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
        className="h-1.5 grow overflow-hidden rounded-sm bg-pressed"
      >
        <div
          className="h-full bg-accent transition-[width] duration-[180ms]"
          // A little is shown from the start, so that one sees a bar and not a line.
          style={{ width: `${Math.max(2, share * 100)}%` }}
        />
      </div>
      <span className="w-12 text-right font-mono text-xs tabular-nums">{text}</span>
    </div>
  );
}
