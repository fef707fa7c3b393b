/** A session that ended while a page was open: asks for the password over the page, so that nothing typed there is lost. */

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { SetUpView, SignedInView, SignIn } from '../../admin/contracts/account-contract.ts';
import type { PendingSignInView } from '../../admin/contracts/factor-contract.ts';
import { ask } from '../api/ask.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/fields/field.tsx';
import { PasswordField } from '../components/fields/password-field.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { useWords } from '../words/use-words.tsx';
import { IssuerButtons } from './issuer-buttons.tsx';
import type { Reentry } from './reentry.ts';
import { SecondStep } from './second-step.tsx';
import { forgetSession, useSessionState, visitorPath } from './session.tsx';

export function SignInAgain({ reentry }: { readonly reentry: Reentry }) {
  const words = useWords().session.again;
  const queries = useQueryClient();
  const { session, enter } = useSessionState();
  const isAsked = useSyncExternalStore(reentry.subscribe, reentry.isAsked);
  const isOpen = isAsked && session !== undefined;
  const leave = () => {
    forgetSession(queries);
    reentry.settle(false);
  };
  const entered = (signedIn: SignedInView) => {
    if (signedIn.account.id === session?.account.id) {
      enter(signedIn);
      reentry.settle(true);
      return;
    }
    // What one account saw and typed is nothing for the next: the page is left, then loaded anew.
    leave();
    setTimeout(() => location.reload(), 0);
  };
  useEffect(() => {
    // Nobody was signed in here, so there is no page to continue.
    if (isAsked && session === undefined) reentry.settle(false);
  }, [isAsked, session, reentry]);
  useElsewhere(isOpen, entered);
  return (
    <Dialog open={isOpen} title={words.title}>
      <SignInForm name={session?.account.name ?? ''} onEntered={entered} onLeave={leave} />
    </Dialog>
  );
}

interface SignInFormProps {
  readonly name: string;
  onEntered(signedIn: SignedInView): void;
  onLeave(): void;
}

function SignInForm({ name, onEntered, onLeave }: SignInFormProps) {
  const words = useWords().session;
  const [error, setError] = useState<unknown>();
  const [isEmpty, setEmpty] = useState(false);
  const [busy, setBusy] = useState(false);
  const [pending, setPending] = useState<PendingSignInView>();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const body: SignIn = { name: String(given.get('name')), password: String(given.get('password')) };
    setEmpty(body.password === '');
    if (body.password === '') return;
    setBusy(true);
    setError(undefined);
    const entered = (answer: SignedInView | PendingSignInView) =>
      'ticket' in answer ? setPending(answer) : onEntered(answer);
    await ask<SignedInView | PendingSignInView>('/console/api/session', { body }).then(entered, setError);
    setBusy(false);
  };
  if (pending !== undefined) {
    return (
      <div className="p-5">
        <SecondStep pending={pending} onEntered={onEntered} onBack={() => setPending(undefined)} />
      </div>
    );
  }
  return (
    <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4 p-5">
      <p className="text-quiet">{words.again.lead}</p>
      <Field label={words.name} name="name" autoComplete="username" defaultValue={name} />
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="current-password"
        data-first-focus=""
        error={isEmpty ? words.mistakes.passwordMissing : undefined}
      />
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onLeave}>{words.again.leave}</Button>
        <Button type="submit" kind="primary" busy={busy}>
          {words.signIn}
        </Button>
      </div>
      <IssuerButtons to="/console" newTab />
    </form>
  );
}

/** A sign-in in another tab is the session here too. */
function useElsewhere(isOpen: boolean, onEntered: (signedIn: SignedInView) => void): void {
  const look = useEffectEvent(async () => {
    const view = await ask<SetUpView>(visitorPath).catch(() => undefined);
    if (view?.signedIn !== undefined) onEntered(view.signedIn);
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    const seen = () => void look();
    window.addEventListener('focus', seen);
    return () => window.removeEventListener('focus', seen);
  }, [isOpen]);
}
