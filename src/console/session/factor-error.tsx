/** What went wrong with a factor: the browser's refusal in our words, everything else as Weir says it. */

import { ErrorNotice } from '../components/error-notice.tsx';
import { useWords } from '../words/use-words.tsx';
import { PasskeyStopped } from './passkeys.ts';

export function FactorError({ error }: { readonly error: unknown }) {
  const words = useWords().factors;
  if (error === undefined || error === null) return null;
  if (!(error instanceof PasskeyStopped)) return <ErrorNotice error={error} />;
  return (
    <p role="alert" className="rounded-md border border-line-strong bg-sunken px-3 py-2 text-sm">
      {words.passkeyStopped}
    </p>
  );
}
