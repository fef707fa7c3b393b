/** Asks once before something that is not easily taken back: what will happen, the way out, and what went wrong where it did. */

import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import { Dialog } from './dialog.tsx';

export interface QuestionProps {
  readonly open: boolean;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The words of the way out, and of the deed. */
  readonly keep: string;
  readonly confirm: string;
  readonly kind?: 'danger' | 'primary';
  readonly busy: boolean;
  readonly error: unknown;
  onConfirm(): void;
  onClose(): void;
}

export function Question(props: QuestionProps) {
  const { open, title, children, keep, confirm, kind = 'danger', busy, error, onConfirm, onClose } = props;
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <div className="grid gap-4 p-5">
        {children}
        {error !== null && error !== undefined && <ErrorNotice error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{keep}</Button>
          <Button kind={kind} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
