/** What is shown in place of figures where the filter leaves no request. */

import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useWords } from '../../words/use-words.tsx';

export function NoMatch({ onClear }: { readonly onClear: () => void }) {
  const words = useWords();
  return (
    <div className="rounded-md border border-line bg-raised">
      <EmptyState
        icon="search"
        title={words.usage.noMatch}
        action={
          <Button kind="primary" onClick={onClear}>
            {words.requests.clearAll}
          </Button>
        }
      >
        {words.usage.noMatchHint}
      </EmptyState>
    </div>
  );
}
