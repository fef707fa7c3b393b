/** A new account: a name, what its holder may do, and a password that is shown once. */

import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { IssuedAccountView, NewAccount, Role } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useLeave, useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { accountsPath } from './accounts-path.ts';
import { OneTimePassword } from './one-time-password.tsx';
import { RoleChoice } from './role-choice.tsx';

const formId = 'new-person';
const withSheet = withWords('person');

export function CreatePerson({ onClose }: { readonly onClose: () => void }) {
  const words = useWords().settings;
  const leave = useLeave();
  const create = useChange(
    (body: NewAccount) => ask<IssuedAccountView>(accountsPath, { body }),
    [accountsPath, '/console/api/audit'],
  );
  if (create.data?.password !== undefined) {
    return (
      <SidePanel
        open
        title={words.personReady(create.data.account.name)}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            {words.handedOver}
          </Button>
        }
      >
        <OneTimePassword name={create.data.account.name} password={create.data.password} />
      </SidePanel>
    );
  }
  return (
    <SidePanel
      open
      title={words.addPerson}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => leave(onClose)}>{words.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={create.isPending}>
            {words.addPerson}
          </Button>
        </>
      }
    >
      <PersonForm error={create.error} onSubmit={create.mutate} />
    </SidePanel>
  );
}

function PersonForm({ error, onSubmit }: { readonly error: unknown; onSubmit(account: NewAccount): void }) {
  const words = useWords();
  const mine = useSession().account.role;
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('member');
  useUnsaved(name !== '' || role !== 'member', withSheet);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input')?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: name.trim(), role });
  };
  const atName = errorAtField(error, 'name');
  return (
    <form ref={form} id={formId} noValidate onSubmit={submit} className="grid gap-6">
      <Field
        label={words.session.name}
        hint={words.settings.personNameHint}
        maxLength={100}
        value={name}
        error={atName}
        onChange={(event) => setName(event.target.value)}
      />
      <RoleChoice value={role} mayOwn={mine === 'owner'} onChange={setRole} />
      {error !== null && atName === undefined && <ErrorNotice error={error} />}
    </form>
  );
}
