/** What can be done with the tokens that are selected; it stays in sight while the list scrolls. */

import { useState } from 'react';
import type { OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';
import { Button } from '../../../components/button.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { type BulkAction, bulkActions } from './run-bulk.ts';

interface BulkBarProps {
  readonly tokens: readonly OwnedTokenView[];
  /** The ids that stay selected. */
  onSelect(ids: readonly string[]): void;
}

export function BulkBar({ tokens, onSelect }: BulkBarProps) {
  const words = useWords().tokenList.bulk;
  const isMember = useSession().account.role === 'member';
  const [action, setAction] = useState<BulkAction>();
  // What a token may do is changed by administrators; its owner may end it.
  const offered = isMember ? (['revoke'] as const) : bulkActions;
  return (
    <section
      aria-label={words.label}
      className="sticky top-2 z-20 flex flex-wrap items-center gap-2 rounded-md border border-accent bg-wash px-3 py-2"
    >
      <span role="status" className="mr-2 text-sm font-medium">
        {words.selected(tokens.length)}
      </span>
      {offered.map((each) => (
        <Button key={each} size="small" kind={each === 'revoke' ? 'danger' : 'plain'} onClick={() => setAction(each)}>
          {words.actions[each]}
        </Button>
      ))}
      <Button size="small" kind="quiet" className="ml-auto" onClick={() => onSelect([])}>
        {words.clear}
      </Button>
      {action !== undefined && (
        <BulkDialog action={action} tokens={tokens} onSelect={onSelect} onClose={() => setAction(undefined)} />
      )}
    </section>
  );
}
