/** A secret, the one time it can be seen. */

import { type ReactNode, useRef } from 'react';
import { useLeave } from '../router/unsaved.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { SidePanel } from './overlays/side-panel.tsx';

interface SecretPanelProps {
  readonly secret: string;
  /** What it is, in its place: title, the name for the copy button, what happens to it, the button that closes. */
  readonly words: {
    readonly secretTitle: string;
    readonly theSecret: string;
    readonly secretOnce: string;
    readonly stored: string;
  };
  /** How it is used. */
  readonly children?: ReactNode;
  onClose(): void;
}

export function SecretPanel({ secret, words, children, onClose }: SecretPanelProps) {
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
          <code ref={shown} data-secret className="leading-6 break-all">
            {secret}
          </code>
          <div>
            <CopyButton text={secret} what={words.theSecret} shown={shown} kind="primary" size="large" />
          </div>
        </div>
        <p className="text-sm text-quiet">{words.secretOnce}</p>
        {children}
      </div>
    </SidePanel>
  );
}
