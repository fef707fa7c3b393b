/** The secret of a webhook, the one time it can be seen. */

import { useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useLeave } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';

export function OneTimeSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const words = useWords().alerts;
  const leave = useLeave();
  const shown = useRef<HTMLElement>(null);
  return (
    <SidePanel
      open
      title={words.secretTitle}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={() => leave(onClose)}>
          {words.stored}
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <div className="grid gap-3 rounded-md border border-line-strong bg-sunken p-4">
          <code ref={shown} data-secret className="break-all">
            {secret}
          </code>
          <div>
            <CopyButton text={secret} what={words.theSecret} shown={shown} kind="primary" size="large" />
          </div>
        </div>
        <p className="text-sm text-quiet">{words.secretOnce}</p>
      </div>
    </SidePanel>
  );
}
