/** Adds an authenticator app: the password, the QR code and its first code, and the recovery codes. */

import { type FormEvent, useRef, useState } from 'react';
import type { AddedFactorView, TotpEnrollmentView } from '../../../../admin/contracts/factor-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { factorsPath, staleByFactors } from './factors-path.ts';
import { PasswordStep } from './password-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

interface SetUpProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function SetUpTotp({ onDone, onCancel }: SetUpProps) {
  const begin = useChange(
    (password: string) => ask<TotpEnrollmentView>(`${factorsPath}/totp`, { body: { password } }),
    [],
  );
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} onSaved={onDone} />;
  if (begin.data === undefined) {
    return (
      <PasswordStep
        error={begin.error}
        busy={begin.isPending}
        onPassword={(password) => begin.mutate(password)}
        onCancel={onCancel}
      />
    );
  }
  const added = ({ recoveryCodes }: AddedFactorView) =>
    recoveryCodes === undefined ? onDone() : setCodes(recoveryCodes);
  return <FirstCode enrollment={begin.data} onAdded={added} onCancel={onCancel} />;
}

interface FirstCodeProps {
  readonly enrollment: TotpEnrollmentView;
  readonly onAdded: (added: AddedFactorView) => void;
  readonly onCancel: () => void;
}

function FirstCode({ enrollment: { secret, qr }, onAdded, onCancel }: FirstCodeProps) {
  const words = useWords().factors;
  const [code, setCode] = useState('');
  const shown = useRef<HTMLElement>(null);
  const confirm = useChange(
    (given: string) => ask<AddedFactorView>(`${factorsPath}/totp/confirm`, { body: { code: given } }),
    staleByFactors,
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate(code.trim(), { onSuccess: onAdded });
  };
  const atCode = errorAtField(confirm.error, 'code');
  return (
    <form noValidate onSubmit={send} className="grid gap-4">
      <p>{words.scan}</p>
      {/* Readers want dark on light in every theme. */}
      <svg
        viewBox={`0 0 ${qr.size} ${qr.size}`}
        role="img"
        aria-label={words.qr}
        className="size-52 rounded-md bg-white"
      >
        <path d={qr.path} fill="#000" shapeRendering="crispEdges" />
      </svg>
      <div className="grid gap-1.5">
        <span className="text-sm font-medium">{words.key}</span>
        <span className="flex items-center gap-2">
          <code ref={shown} data-secret className="min-w-0 text-sm break-all">
            {secret.match(/.{1,4}/g)?.join(' ')}
          </code>
          <CopyButton text={secret} what={words.theKey} shown={shown} bare />
        </span>
      </div>
      <Field
        label={words.code}
        hint={words.codeHint}
        mono
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        value={code}
        error={atCode}
        onChange={(event) => setCode(event.target.value)}
      />
      {confirm.error !== null && atCode === undefined && <ErrorNotice error={confirm.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="submit" kind="primary" busy={confirm.isPending} disabled={code.trim().length < 6}>
          {words.confirm}
        </Button>
      </div>
    </form>
  );
}
