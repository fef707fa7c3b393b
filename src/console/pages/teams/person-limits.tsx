/** The teams of a person, and the limits over all their tokens together. */

import { useState } from 'react';
import type { PersonTermsView } from '../../../admin/contracts/organization-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { Link } from '../../router/router.tsx';
import { withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { BudgetRows } from './budget-rows.tsx';
import { LevelForm } from './level-form.tsx';
import { TermsFacts } from './terms-facts.tsx';

const pathOf = (accountId: string): string => `/console/api/accounts/${encodeURIComponent(accountId)}/terms`;
const withPerson = withWords('person');

interface PersonLimitsProps {
  readonly accountId: string;
  readonly mayChange: boolean;
}

/** For those who look after the person. */
export function PersonLimits({ accountId, mayChange }: PersonLimitsProps) {
  const words = useWords().teams.people;
  const { data, error, isPlaceholderData } = useAsk<PersonTermsView>(pathOf(accountId));
  const [isEditing, setEditing] = useState(false);
  const isReady = data !== undefined && !isPlaceholderData;
  const edit = mayChange && isReady && (
    <Button size="small" icon="edit" onClick={() => setEditing(true)}>
      {words.edit}
    </Button>
  );
  return (
    <Part title={words.title} tools={edit}>
      {error !== null ? <ErrorNotice error={error} /> : isReady ? <Facts view={data} /> : <SkeletonText lines={3} />}
      {isEditing && isReady && <EditLimits view={data} onDone={() => setEditing(false)} />}
    </Part>
  );
}

/** One's own. */
export function OwnLimits({ accountId }: { readonly accountId: string }) {
  const { data, error } = useAsk<PersonTermsView>(pathOf(accountId));
  if (error !== null) return <ErrorNotice error={error} />;
  return data === undefined ? <SkeletonText lines={2} /> : <Facts view={data} />;
}

function Facts({ view: { memberships, terms } }: { readonly view: PersonTermsView }) {
  const words = useWords().teams;
  const { budgets, ...others } = terms;
  return (
    <div className="grid gap-4">
      {memberships.length === 0 ? (
        <p className="text-sm text-quiet">{words.people.none}</p>
      ) : (
        <ul className="text-sm">
          {memberships.map(({ teamId, teamName, role, source }) => (
            <li key={teamId} className="flex min-h-8 items-center gap-3 border-b border-line py-1 last:border-b-0">
              <Link
                to={`/console/teams?${new URLSearchParams({ unit: teamId })}`}
                className="min-w-0 grow truncate rounded-sm text-accent hover:underline"
              >
                {teamName}
              </Link>
              {source !== 'manual' && <span className="text-xs text-quiet">{words.fromDirectory(source)}</span>}
              <span className="text-quiet">{words.roles[role]}</span>
            </li>
          ))}
        </ul>
      )}
      {Object.keys(terms).length === 0 ? (
        <p className="text-sm text-quiet">{words.people.noLimits}</p>
      ) : (
        <>
          <BudgetRows budgets={budgets} />
          {Object.keys(others).length > 0 && <TermsFacts terms={others} />}
        </>
      )}
    </div>
  );
}

function EditLimits({ view, onDone }: { readonly view: PersonTermsView; onDone(): void }) {
  const { teams, settings } = useWords();
  const path = pathOf(view.accountId);
  return (
    <LevelForm
      title={teams.people.editTitle(view.name)}
      of="person"
      note={teams.people.hint}
      terms={view.terms}
      submit={settings.save}
      stays={withPerson}
      stale={[path]}
      send={(body) => ask(path, { method: 'PATCH', body })}
      savedText={() => teams.saved(view.name)}
      onDone={onDone}
    />
  );
}
