/** One thing's whole story beside the list it came from; the list stays usable, and the address says which thing is open. */

import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useRef } from 'react';
import { useWords } from '../../words/use-words.tsx';
import { IconButton } from '../button.tsx';

/** A field carries this attribute while Escape means its own list. */
export const closesByEscape = 'data-closes-by-escape';

interface SidePanelProps {
  readonly open: boolean;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** Stands at the foot, always in sight. */
  readonly actions?: ReactNode;
  /** Wide for what is drawn rather than read. */
  readonly size?: 'usual' | 'wide';
  onClose(): void;
}

export function SidePanel({ open, title, children, actions, size = 'usual', onClose }: SidePanelProps) {
  const words = useWords();
  const cameFrom = useRef<Element>(null);
  return (
    <Radix.Root open={open} modal={false} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Content
          aria-describedby={undefined}
          // The list behind is part of the work: using it must not close the panel.
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={() => {
            cameFrom.current = document.activeElement;
          }}
          // Escape first closes a list that is open in the panel.
          onEscapeKeyDown={(event) => {
            if (document.activeElement?.matches(`[${closesByEscape}]`) === true) event.preventDefault();
          }}
          // Back to the row, from which j and k go on.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const { current } = cameFrom;
            // The one that was read last, which need not be the one that was opened first.
            const row =
              current?.matches('tr') === true ? current.closest('tbody')?.querySelector('tr[tabindex="0"]') : null;
            const back = row ?? current;
            if (back instanceof HTMLElement && back.isConnected) back.focus();
          }}
          className={
            'fixed inset-y-0 right-0 z-30 flex w-full animate-unfold flex-col border-l border-line bg-raised shadow-float ' +
            `focus-visible:outline-none max-sm:max-w-none ${size === 'wide' ? 'max-w-[680px]' : 'max-w-[520px]'}`
          }
        >
          <div className="flex h-14 shrink-0 items-center justify-between gap-4 border-b border-line pr-3 pl-5">
            <Radix.Title className="min-w-0 truncate text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label={words.parts.close} hideTip />
            </Radix.Close>
          </div>
          <div className="min-h-0 grow overflow-y-auto p-5">{children}</div>
          {actions !== undefined && (
            <div className="flex shrink-0 justify-end gap-2 border-t border-line px-5 py-3">{actions}</div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
