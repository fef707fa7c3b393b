/** Deletes something for good: asks once, says what stops, and leaves the place where it was shown. */

import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLeave } from '../../router/unsaved.tsx';
import { Question } from './question.tsx';
import { useTell } from './toast.tsx';

interface DeletionProps {
  readonly name: string;
  readonly open: boolean;
  readonly words: {
    readonly keep: string;
    readonly delete: string;
    deleteAsk(name: string): string;
    deleted(name: string): string;
  };
  readonly deletion: Pick<UseMutationResult<unknown, unknown, void>, 'mutate' | 'isPending' | 'error'>;
  /** What will stop. */
  readonly children: ReactNode;
  onClose(): void;
  onGone(): void;
}

export function Deletion({ name, open, words, deletion, children, onClose, onGone }: DeletionProps) {
  const tell = useTell();
  const leave = useLeave();
  const remove = () =>
    deletion.mutate(undefined, {
      onSuccess: () => {
        tell({ text: words.deleted(name), tone: 'ok' });
        onClose();
        // Whatever was being changed in it is gone with it.
        leave(onGone);
      },
    });
  return (
    <Question
      open={open}
      title={words.deleteAsk(name)}
      keep={words.keep}
      confirm={words.delete}
      busy={deletion.isPending}
      error={deletion.error}
      onConfirm={remove}
      onClose={onClose}
    >
      {children}
    </Question>
  );
}
