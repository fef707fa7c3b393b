/** One's own account: the name, the password, and where one is signed in. */

import { type FormEvent, useState } from 'react';
import type { AccountView, PasswordChange } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { Field } from '../../components/fields/field.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { useSession, useSessionState } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { OwnLimits } from '../teams/person-limits.tsx';
import { SecondFactors } from './factors/second-factors.tsx';
import { SignedInPrograms } from './people/program-list.tsx';
import { OwnSessions } from './people/session-list.tsx';
import { safetyFacts } from './safety-facts.ts';
import { Section, Subsection } from './section.tsx';

export function Account() {
  const words = useWords();
  const { account, may } = useSession();
  return (
    <Section id="account">
      {may('PATCH /console/api/accounts/{id}') ? (
        <NameForm account={account} />
      ) : (
        <FactRows facts={[{ name: words.session.name, value: account.name }]} />
      )}
      <p className="-mt-2 text-sm text-quiet">{words.settings.yourRole(words.session.roles[account.role])}</p>
      <Subsection title={words.teams.people.yours}>
        <OwnLimits accountId={account.id} />
      </Subsection>
      <Subsection title={words.settings.changePassword}>
        <PasswordForm />
      </Subsection>
      <Subsection title={words.factors.title}>
        <SecondFactors />
      </Subsection>
      <Subsection title={words.settings.sessions}>
        <OwnSessions />
      </Subsection>
      <Subsection title={words.device.programs}>
        <SignedInPrograms />
      </Subsection>
    </Section>
  );
}

function NameForm({ account }: { readonly account: AccountView }) {
  const words = useWords();
  const tell = useTell();
  const { session: signedIn, enter } = useSessionState();
  const [name, setName] = useState(account.name);
  const path = '/console/api/accounts';
  const rename = useChange(
    (next: string) => ask<AccountView>(`${path}/${account.id}`, { method: 'PATCH', body: { name: next } }),
    [path],
  );
  const save = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = (renamed: AccountView) => {
      tell({ tone: 'ok', text: words.settings.renamed });
      if (signedIn !== undefined) {
        enter({ account: renamed, session: signedIn.session, routes: signedIn.routes });
      }
    };
    rename.mutate(name.trim(), { onSuccess });
  };
  const atField = errorAtField(rename.error, 'name');
  return (
    <form onSubmit={save} className="grid max-w-md gap-3">
      <div className="flex items-start gap-2">
        <div className="grow">
          <Field
            label={words.session.name}
            value={name}
            maxLength={100}
            autoComplete="username"
            error={atField}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button
          type="submit"
          className="mt-[26px]"
          busy={rename.isPending}
          disabled={name.trim() === '' || name.trim() === account.name}
        >
          {words.settings.save}
        </Button>
      </div>
      {rename.error !== null && atField === undefined && <ErrorNotice error={rename.error} />}
    </form>
  );
}

const emptyPasswords = { current: '', next: '' } as const satisfies PasswordChange;

function PasswordForm() {
  const words = useWords();
  const tell = useTell();
  const [given, setGiven] = useState<PasswordChange>(emptyPasswords);
  const change = useChange(
    (body: PasswordChange) => ask<{ readonly sessionsRevoked: number }>('/console/api/session/password', { body }),
    ['/console/api/sessions', '/console/api/audit'],
  );
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(given, {
      onSuccess: ({ sessionsRevoked }) => {
        setGiven(emptyPasswords);
        tell({ tone: 'ok', text: words.settings.passwordChanged(sessionsRevoked) });
      },
    });
  };
  const atFields = { current: errorAtField(change.error, 'current'), next: errorAtField(change.error, 'next') };
  const isAtField = atFields.current !== undefined || atFields.next !== undefined;
  const field = (name: keyof PasswordChange, autoComplete: string) => (
    <Field
      label={words.settings.passwords[name]}
      type="password"
      autoComplete={autoComplete}
      value={given[name]}
      error={atFields[name]}
      {...(name === 'next' && { hint: words.session.passwordHint })}
      onChange={(event) => setGiven((before) => ({ ...before, [name]: event.target.value }))}
    />
  );
  return (
    <form onSubmit={save} className="grid max-w-2xl gap-3">
      {/* Password managers want to know whose password this is. */}
      <input type="text" autoComplete="username" readOnly hidden value={useSession().account.name} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {field('current', 'current-password')}
        {field('next', 'new-password')}
      </div>
      <p className="text-xs text-quiet">{words.settings.passwordMeaning}</p>
      {change.error !== null && !isAtField && <ErrorNotice error={change.error} />}
      <div>
        <Button
          type="submit"
          busy={change.isPending}
          disabled={given.current === '' || [...given.next].length < safetyFacts.passwordLengthMin}
        >
          {words.settings.changePassword}
        </Button>
      </div>
    </form>
  );
}
