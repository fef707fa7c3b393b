/** Adds a passkey: a name and the password, then the browser asks, then the recovery codes. */

import { type FormEvent, useState } from 'react';
import type { AddedFactorView, PasskeyCreationView } from '../../../../admin/contracts/factor-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { PasswordField } from '../../../components/fields/password-field.tsx';
import { FactorError } from '../../../session/factor-error.tsx';
import { makePasskey } from '../../../session/passkeys.ts';
import { useWords } from '../../../words/use-words.tsx';
import { safetyFacts } from '../safety-facts.ts';
import { factorsPath, staleByFactors } from './factors-path.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

interface SetUpProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

interface Given {
  readonly name: string;
  readonly password: string;
}

async function register({ name, password }: Given): Promise<AddedFactorView> {
  const options = await ask<PasskeyCreationView>(`${factorsPath}/passkeys/options`, { body: { password } });
  const credential = await makePasskey(options);
  return ask<AddedFactorView>(`${factorsPath}/passkeys`, { body: { name, credential } });
}

export function SetUpPasskey({ onDone, onCancel }: SetUpProps) {
  const words = useWords().factors;
  const [name, setName] = useState(words.passkeyDefault);
  const [password, setPassword] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  const add = useChange(register, staleByFactors);
  if (codes !== undefined) return <RecoveryCodes codes={codes} onSaved={onDone} />;
  const send = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = ({ recoveryCodes }: AddedFactorView) =>
      recoveryCodes === undefined ? onDone() : setCodes(recoveryCodes);
    add.mutate({ name: name.trim(), password }, { onSuccess });
  };
  const atPassword = errorAtField(add.error, 'password');
  return (
    <form noValidate onSubmit={send} className="grid gap-4">
      <Field
        label={words.passkeyName}
        hint={words.passkeyNameHint}
        maxLength={safetyFacts.passkeyNameLengthMax}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <PasswordField
        label={words.yourPassword}
        autoComplete="current-password"
        data-first-focus=""
        value={password}
        error={atPassword}
        onChange={(event) => setPassword(event.target.value)}
      />
      {atPassword === undefined && <FactorError error={add.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="submit" kind="primary" busy={add.isPending} disabled={password === '' || name.trim() === ''}>
          {words.next}
        </Button>
      </div>
    </form>
  );
}
