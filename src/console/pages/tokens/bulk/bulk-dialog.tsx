/** Asks once before many tokens are changed, naming how many, and says which of them could not be. */

import { useState } from 'react';
import type { OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { tokensPath } from '../create-token.tsx';
import { endOfDay } from '../token-form.ts';
import { type BulkAction, type BulkOutcome, bulkChange, runBulk } from './run-bulk.ts';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly tokens: readonly OwnedTokenView[];
  onSelect(ids: readonly string[]): void;
  onClose(): void;
}

export function BulkDialog({ action, tokens: given, onSelect, onClose }: BulkDialogProps) {
  const words = useWords().tokenList.bulk;
  const tell = useTell();
  // What was asked about stays, also where the list behind changes.
  const [tokens] = useState(given);
  const [day, setDay] = useState('');
  const [label, setLabel] = useState('');
  const [isTried, setTried] = useState(false);
  const isMissing = action === 'label' && label.trim() === '';
  const change = useChange(
    () =>
      runBulk(tokens, async (token) => {
        const wanted = { expiresAt: day === '' ? null : endOfDay(day), label: label.trim() };
        const body = bulkChange(action, token, wanted);
        const path = `${tokensPath}/${encodeURIComponent(token.id)}`;
        if (body === null) await ask(path, { method: 'DELETE' });
        else if (body !== undefined) await ask(path, { method: 'PATCH', body });
      }),
    [tokensPath],
  );
  const done = ({ done: count, failures }: BulkOutcome) => {
    // Those that failed stay selected, for another try.
    onSelect(failures.map(({ token }) => token.id));
    if (failures.length > 0) return;
    tell({ tone: 'ok', text: words.allDone(count) });
    onClose();
  };
  const submit = () => {
    setTried(true);
    if (!isMissing) change.mutate(undefined, { onSuccess: done });
  };
  return (
    <Dialog open title={words.titles[action](tokens.length)} onClose={onClose}>
      <form
        noValidate
        className="grid gap-4 overflow-y-auto p-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {change.data === undefined ? (
          <>
            <p>{words.meanings[action]}</p>
            <Names tokens={tokens} />
            {action === 'expiry' && (
              <Field
                label={words.expires}
                type="date"
                autoFocus
                value={day}
                onChange={({ target }) => setDay(target.value)}
              />
            )}
            {action === 'label' && (
              <Field
                label={words.newLabel}
                mono
                autoFocus
                maxLength={64}
                value={label}
                error={isTried && isMissing ? words.labelMissing : undefined}
                onChange={({ target }) => setLabel(target.value)}
              />
            )}
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>{words.cancel}</Button>
              <Button type="submit" kind={action === 'revoke' ? 'danger' : 'primary'} busy={change.isPending}>
                {words.confirm[action](tokens.length)}
              </Button>
            </div>
          </>
        ) : (
          <Result outcome={change.data} all={tokens.length} onClose={onClose} />
        )}
      </form>
    </Dialog>
  );
}

const namesMax = 8;

function Names({ tokens }: { readonly tokens: readonly OwnedTokenView[] }) {
  const shown = tokens.slice(0, namesMax).map(({ name }) => name);
  return (
    <p className="text-sm break-words text-quiet">
      {shown.join(', ')}
      {tokens.length > namesMax && ` +${tokens.length - namesMax}`}
    </p>
  );
}

interface ResultProps {
  readonly outcome: BulkOutcome;
  readonly all: number;
  onClose(): void;
}

function Result({ outcome: { done, failures }, all, onClose }: ResultProps) {
  const words = useWords().tokenList.bulk;
  return (
    <>
      <p role="alert">{words.result(done, all)}</p>
      <ul className="grid gap-2 text-sm">
        {failures.map(({ token, error }) => (
          <li key={token.id} className="grid gap-0.5">
            <span className="font-medium break-words">{token.name}</span>
            <span className="text-bad">{error instanceof Error ? error.message : String(error)}</span>
          </li>
        ))}
      </ul>
      <div className="flex justify-end">
        <Button kind="primary" autoFocus onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </>
  );
}
