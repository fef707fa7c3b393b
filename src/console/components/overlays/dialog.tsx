/** What must be answered before anything else: over everything, keeps the focus, and gives it back. */

import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useRef } from 'react';
import { capturesKeys } from '../../keyboard/use-shortcut.tsx';
import { useWords } from '../../words/use-words.tsx';
import { IconButton } from '../button.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  /** Without a head of its own the content shows what the title says; it is then only spoken. */
  readonly bare?: boolean;
  readonly children: ReactNode;
  /** Absent where an answer is needed: it then closes by its own buttons alone. */
  readonly onClose?: () => void;
}

export function Dialog({ open, title, bare = false, children, onClose }: DialogProps) {
  const words = useWords();
  const cameFrom = useRef<Element>(null);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose?.()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            cameFrom.current = document.activeElement;
            const first = (event.currentTarget as Element | null)?.querySelector<HTMLElement>('[data-first-focus]');
            if (!first) return;
            event.preventDefault();
            first.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // What the answer opened may have taken the focus already.
            const isFree = document.activeElement === document.body;
            if (isFree && cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
          }}
          {...{ [capturesKeys]: '' }}
          className={
            'fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(560px,calc(100vw-32px))] -translate-x-1/2 flex-col ' +
            'overflow-hidden rounded-md border border-line bg-raised shadow-float focus-visible:outline-none'
          }
        >
          {bare ? (
            <Radix.Title className="sr-only">{title}</Radix.Title>
          ) : (
            <div className="flex h-14 shrink-0 items-center justify-between border-b border-line pr-3 pl-5">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {onClose !== undefined && (
                <Radix.Close asChild>
                  <IconButton icon="close" label={words.parts.close} hideTip />
                </Radix.Close>
              )}
            </div>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
