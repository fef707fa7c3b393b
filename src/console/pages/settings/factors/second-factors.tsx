/** One's own second factors: the authenticator app, the passkeys, and how many recovery codes are left. */

import { type ReactNode, useState } from 'react';
import type { FactorsView, PasskeyView, RecoveryCodesView } from '../../../../admin/contracts/factor-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { hasPasskeys } from '../../../session/passkeys.ts';
import { useWords } from '../../../words/use-words.tsx';
import { factorsPath, staleByFactors } from './factors-path.ts';
import { PasswordStep } from './password-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUpPasskey } from './set-up-passkey.tsx';
import { SetUpTotp } from './set-up-totp.tsx';

type Opened = 'add-totp' | 'add-passkey' | 'remove-totp' | 'new-codes' | PasskeyView;

export function SecondFactors() {
  const words = useWords().factors;
  const { data, error, refetch } = useAsk<FactorsView>(factorsPath);
  const [opened, setOpened] = useState<Opened>();
  if (error !== null) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText />;
  const hasAny = data.totp !== undefined || data.passkeys.length > 0;
  return (
    <div className="grid gap-3">
      <p className="max-w-[68ch] text-sm text-quiet">
        {words.lead} {data.required && words.required}
      </p>
      <ul className="rounded-md border border-line bg-raised">
        <Row title={words.totp} fact={data.totp === undefined ? words.totpOff : <Added at={data.totp.createdAt} />}>
          {data.totp === undefined ? (
            <Button size="small" onClick={() => setOpened('add-totp')}>
              {words.totpSetUp}
            </Button>
          ) : (
            <Button size="small" aria-label={words.removeTotp} onClick={() => setOpened('remove-totp')}>
              {words.remove}
            </Button>
          )}
        </Row>
        <Row title={words.passkeys} fact={data.passkeys.length === 0 ? words.noPasskeys : undefined}>
          <Button size="small" disabled={!hasPasskeys()} onClick={() => setOpened('add-passkey')}>
            {words.addPasskey}
          </Button>
        </Row>
        {data.passkeys.map((passkey) => (
          <Row key={passkey.id} isInner title={passkey.name} fact={<PasskeyFacts passkey={passkey} />}>
            <Button size="small" aria-label={words.removePasskey(passkey.name)} onClick={() => setOpened(passkey)}>
              {words.remove}
            </Button>
          </Row>
        ))}
        {hasAny && (
          <Row title={words.recovery} fact={words.recoveryLeft(data.recoveryCodesLeft)}>
            <Button size="small" onClick={() => setOpened('new-codes')}>
              {words.newCodes}
            </Button>
          </Row>
        )}
      </ul>
      {!hasPasskeys() && <p className="text-xs text-quiet">{words.noPasskeysHere}</p>}
      <FactorDialog opened={opened} onClose={() => setOpened(undefined)} />
    </div>
  );
}

interface RowProps {
  readonly title: string;
  readonly fact: ReactNode;
  /** Belongs to the row above. */
  readonly isInner?: boolean;
  readonly children: ReactNode;
}

function Row({ title, fact, isInner = false, children }: RowProps) {
  return (
    <li
      className={`flex items-center gap-4 border-b border-line py-2 pr-3 last:border-b-0 ${isInner ? 'pl-7' : 'pl-3'}`}
    >
      <div className="grid min-w-0 grow gap-0.5">
        <span className={`truncate ${isInner ? '' : 'font-medium'}`}>{title}</span>
        {fact !== undefined && <span className="flex flex-wrap gap-x-3 text-xs text-quiet">{fact}</span>}
      </div>
      {children}
    </li>
  );
}

function Added({ at }: { readonly at: string }) {
  const words = useWords().factors;
  return (
    <span>
      {words.addedAt} <Time at={at} />
    </span>
  );
}

function PasskeyFacts({ passkey }: { readonly passkey: PasskeyView }) {
  const words = useWords().factors;
  return (
    <>
      <Added at={passkey.createdAt} />
      <span>
        {passkey.lastUsedAt === undefined ? (
          words.notUsed
        ) : (
          <>
            {words.usedAt} <Time at={passkey.lastUsedAt} />
          </>
        )}
      </span>
      {passkey.host !== location.hostname && <span>{words.passkeyFor(passkey.host)}</span>}
    </>
  );
}

interface StepProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function FactorDialog({ opened, onClose }: { readonly opened: Opened | undefined; readonly onClose: () => void }) {
  const words = useWords().factors;
  const tell = useTell();
  const titles = {
    'add-totp': words.totp,
    'add-passkey': words.addPasskey,
    'remove-totp': words.removeTotp,
    'new-codes': words.newCodes,
  };
  const isPasskey = typeof opened === 'object';
  const done = (text: string) => () => {
    tell({ tone: 'ok', text });
    onClose();
  };
  return (
    <Dialog
      open={opened !== undefined}
      title={opened === undefined ? '' : isPasskey ? words.removePasskey(opened.name) : titles[opened]}
      onClose={onClose}
    >
      <div className="overflow-y-auto p-5">
        {opened === 'add-totp' && <SetUpTotp onDone={done(words.added)} onCancel={onClose} />}
        {opened === 'add-passkey' && <SetUpPasskey onDone={done(words.added)} onCancel={onClose} />}
        {opened === 'remove-totp' && <RemoveTotp onDone={done(words.removed)} onCancel={onClose} />}
        {opened === 'new-codes' && <NewCodes onDone={onClose} onCancel={onClose} />}
        {isPasskey && <RemovePasskey passkey={opened} onDone={done(words.removed)} onCancel={onClose} />}
      </div>
    </Dialog>
  );
}

function RemoveTotp({ onDone, onCancel }: StepProps) {
  const words = useWords().factors;
  const remove = useChange(
    (body: { readonly password: string; readonly code: string }) => ask(`${factorsPath}/totp/disable`, { body }),
    staleByFactors,
  );
  return (
    <PasswordStep
      withCode
      kind="danger"
      deed={words.remove}
      error={remove.error}
      busy={remove.isPending}
      onPassword={(password, code) => remove.mutate({ password, code }, { onSuccess: onDone })}
      onCancel={onCancel}
    >
      <p>{words.removeTotpMeaning}</p>
    </PasswordStep>
  );
}

function RemovePasskey({ passkey, onDone, onCancel }: StepProps & { readonly passkey: PasskeyView }) {
  const words = useWords().factors;
  const path = `${factorsPath}/passkeys/${encodeURIComponent(passkey.id)}/remove`;
  const remove = useChange((password: string) => ask(path, { body: { password } }), staleByFactors);
  return (
    <PasswordStep
      kind="danger"
      deed={words.remove}
      error={remove.error}
      busy={remove.isPending}
      onPassword={(password) => remove.mutate(password, { onSuccess: onDone })}
      onCancel={onCancel}
    >
      <p>{words.removePasskeyMeaning}</p>
    </PasswordStep>
  );
}

function NewCodes({ onDone, onCancel }: StepProps) {
  const words = useWords().factors;
  const create = useChange(
    (password: string) => ask<RecoveryCodesView>(`${factorsPath}/recovery-codes`, { body: { password } }),
    staleByFactors,
  );
  if (create.data !== undefined) return <RecoveryCodes codes={create.data.recoveryCodes} onSaved={onDone} />;
  return (
    <PasswordStep
      error={create.error}
      busy={create.isPending}
      onPassword={(password) => create.mutate(password)}
      onCancel={onCancel}
    >
      <p>{words.newCodesMeaning}</p>
    </PasswordStep>
  );
}
