/** Asks for the password before a second factor is changed, and for a code where that is needed too. */

import { type FormEvent, type ReactNode, useState } from 'react';
import { errorAtField } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { PasswordField } from '../../../components/fields/password-field.tsx';
import { useWords } from '../../../words/use-words.tsx';

interface PasswordStepProps {
  readonly error: unknown;
  readonly busy: boolean;
  /** What will happen. */
  readonly children?: ReactNode;
  readonly withCode?: boolean;
  /** The word of the deed. */
  readonly deed?: string;
  readonly kind?: 'primary' | 'danger';
  onPassword(password: string, code: string): void;
  onCancel(): void;
}

export function PasswordStep(props: PasswordStepProps) {
  const { error, busy, children, withCode = false, deed, kind = 'primary', onPassword, onCancel } = props;
  const words = useWords().factors;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    onPassword(password, code.trim());
  };
  const atPassword = errorAtField(error, 'password');
  const atCode = errorAtField(error, 'code');
  const isElsewhere = error !== null && error !== undefined && atPassword === undefined && atCode === undefined;
  return (
    <form noValidate onSubmit={send} className="grid gap-4">
      {children}
      <PasswordField
        label={words.yourPassword}
        autoComplete="current-password"
        data-first-focus=""
        value={password}
        error={atPassword}
        onChange={(event) => setPassword(event.target.value)}
      />
      {withCode && (
        <Field
          label={words.code}
          mono
          autoComplete="one-time-code"
          maxLength={40}
          value={code}
          error={atCode}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      {isElsewhere && <ErrorNotice error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button
          type="submit"
          kind={kind}
          busy={busy}
          disabled={password === '' || (withCode && code.trim().length < 6)}
        >
          {deed ?? words.next}
        </Button>
      </div>
    </form>
  );
}
