/** What has to be done before the console opens: choose a password, or add a second factor. */

import { type FormEvent, useState } from 'react';
import type { PasswordChange, SignedInView } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/fields/password-field.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { hasPasskeys } from '../../session/passkeys.ts';
import { useSessionState } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { SetUpPasskey } from '../settings/factors/set-up-passkey.tsx';
import { SetUpTotp } from '../settings/factors/set-up-totp.tsx';
import { safetyFacts } from '../settings/safety-facts.ts';

export function Page() {
  const words = useWords().factors.welcome;
  const { session, enter } = useSessionState();
  const [error, setError] = useState<unknown>();
  if (session === undefined) return <SkeletonText />;
  const proceed = () => void ask<SignedInView>('/console/api/session').then(enter, setError);
  return (
    <div className="grid gap-6">
      {session.restriction === 'password' ? (
        <OwnPassword name={session.account.name} onDone={proceed} />
      ) : (
        <FirstFactor onDone={proceed} />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="border-t border-line pt-4">
        <Button size="small" kind="quiet" icon="leave" onClick={() => void session.signOut()}>
          {words.signOut}
        </Button>
      </div>
    </div>
  );
}

function OwnPassword({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const words = useWords();
  const [given, setGiven] = useState<PasswordChange>({ current: '', next: '' });
  const change = useChange((body: PasswordChange) => ask('/console/api/session/password', { body }), []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(given, { onSuccess: onDone });
  };
  const atFields = { current: errorAtField(change.error, 'current'), next: errorAtField(change.error, 'next') };
  const isAtField = atFields.current !== undefined || atFields.next !== undefined;
  const set = (part: Partial<PasswordChange>) => setGiven((before) => ({ ...before, ...part }));
  return (
    <form noValidate onSubmit={send} className="grid gap-4">
      <p className="text-quiet">{words.factors.welcome.password}</p>
      <input type="text" autoComplete="username" readOnly hidden value={name} />
      <PasswordField
        label={words.factors.welcome.given}
        autoComplete="current-password"
        autoFocus
        value={given.current}
        error={atFields.current}
        onChange={(event) => set({ current: event.target.value })}
      />
      <PasswordField
        label={words.factors.welcome.own}
        autoComplete="new-password"
        hint={words.session.passwordHint}
        value={given.next}
        error={atFields.next}
        onChange={(event) => set({ next: event.target.value })}
      />
      {change.error !== null && !isAtField && <ErrorNotice error={change.error} />}
      <Button
        type="submit"
        kind="primary"
        size="large"
        busy={change.isPending}
        disabled={given.current === '' || [...given.next].length < safetyFacts.passwordLengthMin}
      >
        {words.factors.welcome.save}
      </Button>
    </form>
  );
}

function FirstFactor({ onDone }: { readonly onDone: () => void }) {
  const words = useWords().factors;
  const [chosen, setChosen] = useState<'totp' | 'passkey'>();
  const back = () => setChosen(undefined);
  if (chosen === 'totp') return <SetUpTotp onDone={onDone} onCancel={back} />;
  if (chosen === 'passkey') return <SetUpPasskey onDone={onDone} onCancel={back} />;
  return (
    <div className="grid gap-4">
      <p className="text-quiet">{words.welcome.factor}</p>
      <Button kind="primary" size="large" onClick={() => setChosen('totp')}>
        {words.totp}
      </Button>
      {hasPasskeys() ? (
        <Button size="large" onClick={() => setChosen('passkey')}>
          {words.addPasskey}
        </Button>
      ) : (
        <p className="text-xs text-quiet">{words.noPasskeysHere}</p>
      )}
    </div>
  );
}
