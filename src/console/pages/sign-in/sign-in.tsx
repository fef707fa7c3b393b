/** Where someone says who they are, and goes on to where they wanted to be. */

import { type FormEvent, useEffect, useState } from 'react';
import type { SignedInView, SignIn } from '../../../admin/contracts/account-contract.ts';
import type { PasskeyRequestView, PendingSignInView } from '../../../admin/contracts/factor-contract.ts';
import type { SignInRefusalCode } from '../../../admin/contracts/sign-in-contract.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { PasswordField } from '../../components/fields/password-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { Link, useNavigation, useQueryWord } from '../../router/router.tsx';
import { FactorError } from '../../session/factor-error.tsx';
import { IssuerButtons, useSignInOptions } from '../../session/issuer-buttons.tsx';
import { hasPasskeys, showPasskey } from '../../session/passkeys.ts';
import { SecondStep } from '../../session/second-step.tsx';
import { useSessionState } from '../../session/session.tsx';
import { wayBack } from '../../session/session-gate.tsx';
import { useWords } from '../../words/use-words.tsx';

export function Page() {
  const all = useWords();
  const { session: words, signIn: signInWords } = all;
  const { passwords } = useSignInOptions();
  const navigation = useNavigation();
  const { session, isSetUp, enter } = useSessionState();
  const [wanted] = useQueryWord('to');
  const [error, setError] = useState<unknown>();
  const [missing, setMissing] = useState({ name: false, password: false });
  const [busy, setBusy] = useState<'password' | 'passkey'>();
  const [pending, setPending] = useState<PendingSignInView>();
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
    setBusy('password');
    try {
      const answer = await ask<SignedInView | PendingSignInView>('/console/api/session', { body });
      if ('ticket' in answer) setPending(answer);
      else enter(answer);
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(undefined);
  };
  const byPasskey = async () => {
    setError(undefined);
    setMissing({ name: false, password: false });
    setBusy('passkey');
    try {
      const options = await ask<PasskeyRequestView>('/console/api/session/passkey/options', { body: {} });
      const credential = await showPasskey(options);
      enter(await ask<SignedInView>('/console/api/session/passkey', { body: { credential } }));
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(undefined);
  };

  if (pending !== undefined)
    return <SecondStep pending={pending} onEntered={enter} onBack={() => setPending(undefined)} />;

  return (
    <div className="grid gap-4">
      <IssuerRefusal />
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
        <FactorError error={error} />
        <Button type="submit" kind="primary" size="large" busy={busy === 'password'}>
          {words.signIn}
        </Button>
        {hasPasskeys() && (
          <Button size="large" busy={busy === 'passkey'} onClick={() => void byPasskey()}>
            {all.factors.step.signInByPasskey}
          </Button>
        )}
        {passwords === 'owners' && <p className="text-sm text-quiet">{signInWords.ownersOnly}</p>}
      </form>
      <IssuerButtons to={wayBack(wanted)} />
      {passwords === 'all' && <p className="text-sm text-quiet">{words.forgotten}</p>}
      <p className="border-t border-line pt-4 text-sm text-quiet">
        {words.tokenInstead}{' '}
        <Link to="/console/playground" className="text-accent underline underline-offset-2">
          {words.toPlayground}
        </Link>
      </p>
    </div>
  );
}

const isRefusal = (text: string, known: object): text is SignInRefusalCode => Object.hasOwn(known, text);

/** Why an issuer's sign-in led back here. */
function IssuerRefusal() {
  const words = useWords();
  const [refused] = useQueryWord('refused');
  const { refusals } = words.signIn;
  if (refused === undefined || !isRefusal(refused, refusals)) return null;
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-md border border-line border-l-bad bg-raised p-3 [border-left-width:3px]"
    >
      <Icon name="bad" className="mt-0.5 text-bad" />
      <div className="grid min-w-0 gap-1">
        <p>{refusals[refused]}</p>
        <p className="text-xs text-quiet">
          {words.parts.code} <code className="font-mono text-text">{refused}</code>
        </p>
      </div>
    </div>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
