/** Keeps a live list still while someone reads it: what arrives waits until they are done, or ask for it. */

import { type ReactNode, useState } from 'react';
import type { AnalyzedRowView } from '../../../admin/contracts/analytics-contract.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/use-words.tsx';
import { arrivedSince } from './live-rows.ts';

interface HeldRowsProps {
  readonly rows: readonly AnalyzedRowView[] | undefined;
  readonly isLive: boolean;
  readonly children: (rows: readonly AnalyzedRowView[] | undefined) => ReactNode;
}

export function HeldRows({ rows, isLive, children }: HeldRowsProps) {
  const words = useWords().requests;
  const [held, setHeld] = useState<readonly AnalyzedRowView[]>();
  const isHeld = isLive && held !== undefined && rows !== undefined;
  const waiting = isHeld ? arrivedSince(held, rows) : 0;
  const hold = () => setHeld((before) => before ?? rows);
  const release = () => setHeld(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: holding still is a courtesy; everything in it can be used without.
    <div
      className="relative min-w-0"
      onPointerEnter={hold}
      onPointerLeave={(event) => !event.currentTarget.contains(document.activeElement) && release()}
      onFocus={hold}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && release()}
    >
      {waiting > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-11 z-10 flex justify-center">
          <Button
            kind="primary"
            size="small"
            className="pointer-events-auto animate-rise shadow-float"
            onClick={() => setHeld(rows)}
          >
            {words.arrived(waiting)}
          </Button>
        </div>
      )}
      {children(isHeld ? held : rows)}
    </div>
  );
}
