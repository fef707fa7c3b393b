/** A password that Weir made, the one time it can be seen. */

import { useEffect, useRef } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useWords } from '../../../words/use-words.tsx';

export function OneTimePassword({ name, password }: { readonly name: string; readonly password: string }) {
  const words = useWords().settings;
  const shown = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p>{words.handOver(name)}</p>
      <div ref={box} className="grid gap-3 rounded-md border border-line-strong bg-sunken p-4">
        <code ref={shown} data-secret className="text-lg leading-7 break-all">
          {password}
        </code>
        <div>
          <CopyButton text={password} what={words.thePassword} shown={shown} kind="primary" size="large" />
        </div>
      </div>
      <p className="text-sm text-quiet">{words.handOverOnce}</p>
    </div>
  );
}
