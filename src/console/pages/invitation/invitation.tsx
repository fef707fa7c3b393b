/** Where an invitation leads: what it offers, and the name and password of the new account. */

import { type FormEvent, useEffect, useState } from 'react';
import type { SignedInView } from '../../../admin/contracts/account-contract.ts';
import type { AcceptInvitation, OfferedInvitationView } from '../../../admin/contracts/factor-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField } from '../../api/use-change.ts';
import { Time } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { PasswordField } from '../../components/fields/password-field.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useNavigation } from '../../router/router.tsx';
import { useSessionState } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { type AccountMistakes, accountMistakes } from '../set-up/account-mistakes.ts';

const path = '/console/api/invitation';

export function Page() {
  const words = useWords().factors.invitation;
  const { session, isKnown } = useSessionState();
  // Behind the hash, which no server and no log ever sees.
  const [code] = useState(() => location.hash.slice(1));
  const [offer, setOffer] = useState<OfferedInvitationView>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (code !== '') ask<OfferedInvitationView>(`${path}/read`, { body: { code } }).then(setOffer, setError);
  }, [code]);
  if (code === '') {
    return (
      <EmptyState icon="lock" title={words.missing}>
        {words.missingHint}
      </EmptyState>
    );
  }
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (offer === undefined || !isKnown) return <SkeletonText />;
  if (session !== undefined) return <OtherAccount name={session.account.name} onSignOut={session.signOut} />;
  return <Acceptance code={code} offer={offer} />;
}

function OtherAccount({ name, onSignOut }: { readonly name: string; readonly onSignOut: () => Promise<unknown> }) {
  const words = useWords().factors;
  return (
    <div className="grid gap-4">
      <p>{words.invitation.signedIn(name)}</p>
      <Button size="large" icon="leave" onClick={() => void onSignOut()}>
        {words.welcome.signOut}
      </Button>
    </div>
  );
}

function Acceptance({ code, offer }: { readonly code: string; readonly offer: OfferedInvitationView }) {
  const words = useWords();
  const navigation = useNavigation();
  const { enter } = useSessionState();
  const [error, setError] = useState<unknown>();
  const [mistakes, setMistakes] = useState<AccountMistakes>({});
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const body: AcceptInvitation = { code, name: String(given.get('name')), password: String(given.get('password')) };
    setError(undefined);
    const found = accountMistakes(body, words.session.mistakes);
    setMistakes(found);
    if (found.name !== undefined || found.password !== undefined) return;
    setBusy(true);
    try {
      const signedIn = await ask<SignedInView>(path, { body });
      navigation.go('/console', { replace: true });
      enter(signedIn);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const ofField = (name: 'name' | 'password'): string | undefined => mistakes[name] ?? errorAtField(error, name);
  const isOfField = ofField('name') !== undefined || ofField('password') !== undefined;
  const { invitation } = words.factors;
  return (
    <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
      <div className="grid gap-1 pb-2">
        <p>{invitation.lead(offer.invitedBy, words.session.roles[offer.role])}</p>
        {offer.teamName !== undefined && <p>{invitation.team(offer.teamName)}</p>}
        <p className="text-sm text-quiet">
          {invitation.expires} <Time at={offer.expiresAt} />
        </p>
      </div>
      <Field
        label={words.session.yourName}
        hint={words.session.yourNameHint}
        name="name"
        autoComplete="username"
        autoFocus
        error={ofField('name')}
      />
      <PasswordField
        label={words.session.password}
        name="password"
        autoComplete="new-password"
        hint={words.session.passwordHint}
        error={ofField('password')}
      />
      {error !== undefined && !isOfField && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" size="large" busy={busy}>
        {invitation.accept}
      </Button>
    </form>
  );
}
