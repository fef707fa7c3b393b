/** The first start: whoever has the one-time link from the banner makes the first account and owns this Weir. */

import { type FormEvent, useEffect, useState } from 'react';
import type { SetUp, SignedInView } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { PasswordField } from '../../components/fields/password-field.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useNavigation } from '../../router/router.tsx';
import { useSessionState } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { Prose } from '../settings/prose.tsx';
import { type AccountMistakes, accountMistakes } from './account-mistakes.ts';

const linkCommand = 'npx weir set-up-link';

export function Page() {
  const allWords = useWords();
  const words = allWords.session;
  const navigation = useNavigation();
  const { session, isKnown, isSetUp, error } = useSessionState();
  // Behind the hash, which no server and no log ever sees.
  const [code] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (session !== undefined) navigation.go('/console', { replace: true });
  }, [session, navigation]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!isKnown) return <SkeletonText />;
  if (isSetUp) {
    return (
      <EmptyState
        icon="check"
        title={words.linkUsed}
        action={
          <Button kind="primary" onClick={() => navigation.go('/console/sign-in')}>
            {words.signIn}
          </Button>
        }
      >
        {words.linkUsedHint}
      </EmptyState>
    );
  }
  if (code === '') {
    return (
      <EmptyState icon="lock" title={words.needsLink}>
        <div className="grid gap-4">
          <p>{words.needsLinkHint}</p>
          <p>{words.needsLinkCommand}</p>
          <div className="text-left">
            <CodeBlock title={allWords.tokens.terminal} code={linkCommand} />
          </div>
          <p className="text-sm">
            <Prose text={words.needsLinkContainer} />
          </p>
        </div>
      </EmptyState>
    );
  }
  return <FirstAccount code={code} />;
}

function FirstAccount({ code }: { readonly code: string }) {
  const words = useWords().session;
  const { enter } = useSessionState();
  const [error, setError] = useState<unknown>();
  const [mistakes, setMistakes] = useState<AccountMistakes>({});
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const body: SetUp = { code, name: String(given.get('name')), password: String(given.get('password')) };
    setError(undefined);
    const found = accountMistakes(body, words.mistakes);
    setMistakes(found);
    if (found.name !== undefined || found.password !== undefined) return;
    setBusy(true);
    try {
      enter(await ask<SignedInView>('/console/api/set-up', { body }));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const ofField = (name: 'name' | 'password'): string | undefined => mistakes[name] ?? errorAtField(error, name);
  const isOfField = ofField('name') !== undefined || ofField('password') !== undefined;
  return (
    <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
      <p className="pb-2 text-quiet">{words.setUpLead}</p>
      <Field
        label={words.yourName}
        hint={words.yourNameHint}
        name="name"
        autoComplete="username"
        autoFocus
        error={ofField('name')}
      />
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="new-password"
        hint={words.passwordHint}
        error={ofField('password')}
      />
      {error !== undefined && !isOfField && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" size="large" busy={busy}>
        {words.create}
      </Button>
    </form>
  );
}
