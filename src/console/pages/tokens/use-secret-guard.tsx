/** A secret that is shown once must not vanish by a stray Escape: the first one asks, the second one closes. */

import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/use-words.tsx';

export function useSecretGuard(
  secret: string | undefined,
  onClose: () => void,
): { close(): void; readonly notice: ReactNode } {
  const words = useWords().tokens;
  /** The secret that was asked about; another one asks anew. */
  const [asked, setAsked] = useState<string>();
  const isAsked = secret !== undefined && asked === secret;
  return {
    close: () => (secret === undefined || isAsked ? onClose() : setAsked(secret)),
    notice: isAsked && (
      <p role="alert" className="mb-4 flex items-start gap-2 rounded-md bg-warn-wash p-3 text-sm text-warn">
        <Icon name="warn" className="mt-0.5" />
        {words.closeAgain}
      </p>
    ),
  };
}
