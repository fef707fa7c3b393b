/** A state in a word: the word says it, the colour and the mark only help to find it. */

import type { ReactNode } from 'react';

const tones = {
  plain: 'border-line bg-sunken text-quiet',
  accent: 'border-transparent bg-wash text-accent',
  ok: 'border-transparent bg-ok-wash text-ok',
  warn: 'border-transparent bg-warn-wash text-warn',
  bad: 'border-transparent bg-bad-wash text-bad',
  test: 'border-transparent bg-test-wash text-test',
} as const;

export type Tone = keyof typeof tones;

export function Badge({
  tone = 'plain',
  dot = false,
  children,
}: {
  readonly tone?: Tone;
  readonly dot?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={`inline-flex h-5 max-w-full items-center gap-1.5 rounded-sm border px-1.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {dot && <span className="size-1.5 shrink-0 rounded-full bg-current" aria-hidden="true" />}
      {children}
    </span>
  );
}

/** A key as it is printed on keyboards. */
export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-sans text-xs text-quiet">
      {children}
    </kbd>
  );
}
