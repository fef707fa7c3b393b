/** Where someone says who they are, and goes on to where they wanted to be. */

import { type FormEvent, useEffect, useState } from 'react';
import type { SignedInView, SignIn } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { PasswordField } from '../../components/fields/password-field.tsx';
import { Link, useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSessionState } from '../../session/session.tsx';
import { wayBack } from '../../session/session-gate.tsx';
import { useWords } from '../../words/use-words.tsx';

export function Page() {
  const words = useWords().session;
  const navigation = useNavigation();
  const { session, isSetUp, enter } = useSessionState();
  const [wanted] = useQueryWord('to');
  const [error, setError] = useState<unknown>();
  const [missing, setMissing] = useState({ name: false, password: false });
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (session !== undefined) navigation.go(wayBack(wanted), { replace: true });
    else if (!isSetUp) navigation.go('/console/set-up', { replace: true });
  }, [session, isSetUp, wanted, navigation]);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const body: SignIn = { name: textOf(given, 'name'), password: textOf(given, 'password') };
    setError(undefined);
    setMissing({ name: body.name.trim() === '', password: body.password === '' });
    if (body.name.trim() === '' || body.password === '') return;
    setBusy(true);
    try {
      enter(await ask<SignedInView>('/console/api/session', { body }));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };

  return (
    <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
      <Field
        label={words.name}
        name="name"
        autoComplete="username"
        autoFocus
        error={missing.name ? words.mistakes.nameMissing : undefined}
      />
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="current-password"
        error={missing.password ? words.mistakes.passwordMissing : undefined}
      />
      {error !== undefined && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" size="large" busy={busy}>
        {words.signIn}
      </Button>
      <p className="text-sm text-quiet">{words.forgotten}</p>
      <p className="border-t border-line pt-4 text-sm text-quiet">
        {words.tokenInstead}{' '}
        <Link to="/console/playground" className="text-accent underline underline-offset-2">
          {words.toPlayground}
        </Link>
      </p>
    </form>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
