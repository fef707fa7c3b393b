/** A button that deletes something for good, after one question. */

import { type ReactNode, useState } from 'react';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../button.tsx';
import { Deletion } from './deletion.tsx';

interface DeleteButtonProps {
  readonly name: string;
  readonly words: Parameters<typeof Deletion>[0]['words'];
  /** What is asked to be deleted. */
  readonly path: string;
  /** The beginnings of paths whose answers change with it. */
  readonly stale: readonly string[];
  /** At the left of a row of other actions. */
  readonly apart?: boolean;
  /** What will stop. */
  readonly children: ReactNode;
  onGone(): void;
}

export function DeleteButton({ name, words, path, stale, apart = false, children, onGone }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const deletion = useChange<void, unknown>(() => ask(path, { method: 'DELETE' }), stale);
  return (
    <>
      <Button kind="danger" className={apart ? 'mr-auto' : ''} onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      <Deletion
        name={name}
        open={isAsking}
        words={words}
        deletion={deletion}
        onClose={() => setAsking(false)}
        onGone={onGone}
      >
        {children}
      </Deletion>
    </>
  );
}
