/** Another person's second factors, for the day on which they have lost them. */

import { useState } from 'react';
import type { AccountView } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Button } from '../../../components/button.tsx';
import { Question } from '../../../components/overlays/question.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { Part } from '../../../components/part.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { accountsPath } from './accounts-path.ts';

export function PersonFactors({ person, mayRemove }: { readonly person: AccountView; readonly mayRemove: boolean }) {
  const words = useWords().factors;
  const tell = useTell();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange(
    () => ask(`${accountsPath}/${person.id}/factors`, { method: 'DELETE' }),
    [accountsPath, '/console/api/audit'],
  );
  const { secondFactorAt } = person;
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        tell({ tone: 'ok', text: words.people.factorsRemoved(person.name) });
      },
    });
  const tools = mayRemove && secondFactorAt !== undefined && (
    <Button size="small" onClick={() => setAsking(true)}>
      {words.people.removeFactors}
    </Button>
  );
  return (
    <Part title={words.people.factor} tools={tools}>
      <p className="text-sm text-quiet">
        {secondFactorAt === undefined ? (
          words.people.noFactor
        ) : (
          <>
            {words.people.factorSince} <Time at={secondFactorAt} />
          </>
        )}
      </p>
      <Question
        open={isAsking}
        title={words.people.removeTitle(person.name)}
        keep={words.cancel}
        confirm={words.remove}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <p>{words.people.removeMeaning}</p>
      </Question>
    </Part>
  );
}
