/** A button that asks for a file: the browser's own field underneath, so that keyboards and screen readers know it. */

import { type ReactNode, useRef } from 'react';
import { Button } from '../../../components/button.tsx';

interface FileButtonProps {
  readonly accept: string;
  readonly disabled?: boolean;
  readonly children: ReactNode;
  onFile(file: File): void;
}

export function FileButton({ accept, disabled = false, children, onFile }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="small" icon="plus" disabled={disabled} onClick={() => field.current?.click()}>
        {children}
      </Button>
      <input
        ref={field}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          // The same file may be chosen again.
          event.currentTarget.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
