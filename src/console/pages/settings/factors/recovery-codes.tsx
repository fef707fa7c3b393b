/** Recovery codes, the one time they can be seen. */

import { useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useWords } from '../../../words/use-words.tsx';

export function RecoveryCodes({ codes, onSaved }: { readonly codes: readonly string[]; readonly onSaved: () => void }) {
  const words = useWords().factors;
  const shown = useRef<HTMLElement>(null);
  const text = codes.join('\n');
  return (
    <div className="grid gap-4">
      <h3 className="font-medium">{words.recovery}</h3>
      <p className="text-sm">{words.recoveryLead}</p>
      <code
        ref={shown}
        data-secret
        className="grid gap-x-6 gap-y-1 rounded-md border border-line-strong bg-sunken p-4 whitespace-pre sm:grid-cols-2"
      >
        {codes.map((code) => (
          <span key={code}>{code}</span>
        ))}
      </code>
      <p className="text-sm text-quiet">{words.recoveryOnce}</p>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} what={words.theCodes} shown={shown} size="medium" />
        <Button kind="primary" onClick={onSaved}>
          {words.saved}
        </Button>
      </div>
    </div>
  );
}
