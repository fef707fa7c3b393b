/** The second step of a sign-in: a code of the app, a passkey, or a recovery code. */

import { type FormEvent, useState } from 'react';
import type { SignedInView } from '../../admin/contracts/account-contract.ts';
import type { FactorKind, PendingSignInView } from '../../admin/contracts/factor-contract.ts';
import { ask } from '../api/ask.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/fields/field.tsx';
import { useWords } from '../words/use-words.tsx';
import { FactorError } from './factor-error.tsx';
import { hasPasskeys, showPasskey } from './passkeys.ts';

interface SecondStepProps {
  readonly pending: PendingSignInView;
  onEntered(signedIn: SignedInView): void;
  onBack(): void;
}

export function SecondStep({ pending, onEntered, onBack }: SecondStepProps) {
  const words = useWords().factors.step;
  const kinds = pending.secondFactor.filter((kind) => kind !== 'passkey' || hasPasskeys());
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? 'recovery');
  const [error, setError] = useState<unknown>();
  const [isEmpty, setEmpty] = useState(false);
  const [busy, setBusy] = useState(false);

  const finish = async (given: () => Promise<object>) => {
    setError(undefined);
    setBusy(true);
    try {
      const body = { ticket: pending.ticket, ...(await given()) };
      onEntered(await ask<SignedInView>('/console/api/session/second-factor', { body, signsInAgain: false }));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim();
    setEmpty(code === '');
    if (code !== '') void finish(async () => ({ [kind]: code }));
  };
  const change = (next: FactorKind) => {
    setKind(next);
    setEmpty(false);
    setError(undefined);
  };
  const leads = { totp: words.totpLead, passkey: words.passkeyLead, recovery: words.recoveryLead };
  const changes = { totp: words.useTotp, passkey: words.usePasskey, recovery: words.useRecovery };
  return (
    <form noValidate onSubmit={send} className="grid gap-4">
      <p className="text-quiet">{leads[kind]}</p>
      {kind === 'passkey' ? (
        <Button
          kind="primary"
          size="large"
          busy={busy}
          onClick={() => {
            const { passkey } = pending;
            if (passkey !== undefined) void finish(async () => ({ passkey: await showPasskey(passkey) }));
          }}
        >
          {words.usePasskey}
        </Button>
      ) : (
        <>
          <CodeField key={kind} kind={kind} error={isEmpty ? words.empty : undefined} />
          <Button type="submit" kind="primary" size="large" busy={busy}>
            {words.verify}
          </Button>
        </>
      )}
      <FactorError error={error} />
      <div className="flex flex-wrap gap-2 border-t border-line pt-4">
        {kinds
          .filter((other) => other !== kind)
          .map((other) => (
            <Button key={other} size="small" onClick={() => change(other)}>
              {changes[other]}
            </Button>
          ))}
        <Button size="small" kind="quiet" onClick={onBack}>
          {words.back}
        </Button>
      </div>
    </form>
  );
}

function CodeField({ kind, error }: { readonly kind: 'totp' | 'recovery'; readonly error: string | undefined }) {
  const words = useWords().factors;
  const isApp = kind === 'totp';
  return (
    <Field
      label={isApp ? words.code : words.step.recoveryCode}
      name="code"
      mono
      autoFocus
      autoComplete={isApp ? 'one-time-code' : 'off'}
      inputMode={isApp ? 'numeric' : 'text'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      error={error}
      {...(isApp && { hint: words.codeHint })}
    />
  );
}
