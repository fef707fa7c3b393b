/** A token's terms, changed in the place where they are read. */

import { useEffect, useRef, useState } from 'react';
import type { OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { tokensPath } from './create-token.tsx';
import { OwnerField, useMayChooseOwner } from './fields/owner-field.tsx';
import { PlaceField } from './fields/place-field.tsx';
import { TokenFields } from './token-fields.tsx';
import { changesBody, formOf, type TokenForm } from './token-form.ts';
import { useTokenForm } from './use-token-form.ts';

const formId = 'edit-token';
const withPanel = withWords('token', 'edit', 'new');

interface EditTokenProps {
  readonly token: OwnedTokenView;
  readonly path: string;
  onDone(): void;
}

export function EditToken({ token, path, onDone }: EditTokenProps) {
  const words = useWords().tokens;
  const tell = useTell();
  const isMember = useSession().account.role === 'member';
  const mayChooseOwner = useMayChooseOwner();
  const [owner, setOwner] = useState(token.ownerId ?? '');
  const [place, setPlace] = useState(token.unitId ?? '');
  const ownerBody = {
    ...(owner !== (token.ownerId ?? '') && { ownerId: owner === '' ? null : owner }),
    ...(place !== (token.unitId ?? '') && { unitId: place === '' ? null : place }),
  };
  const save = useChange((body: object) => ask<OwnedTokenView>(path, { method: 'PATCH', body }), [tokensPath]);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  const edited = useTokenForm(() => formOf(token), save.error);
  const bodyOf = (form: TokenForm) => ({ ...changesBody(formOf(token), form), ...ownerBody });
  const leave = useUnsaved(Object.keys(bodyOf(edited.form)).length > 0, withPanel);
  const send = (form: TokenForm) => {
    const body = bodyOf(form);
    if (Object.keys(body).length === 0) return onDone();
    const onSuccess = () => {
      tell({ tone: 'ok', text: words.savedNote(form.name) });
      leave(onDone);
    };
    return save.mutate(body, { onSuccess });
  };
  return (
    <SidePanel
      open
      title={words.editTitle(token.name)}
      onClose={onDone}
      actions={
        <>
          <Button onClick={() => leave(onDone)}>{words.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={save.isPending}>
            {words.save}
          </Button>
        </>
      }
    >
      <form
        ref={element}
        id={formId}
        noValidate
        className="grid gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          edited.submit(send);
        }}
      >
        <Field
          label={words.fields.name}
          maxLength={100}
          value={edited.form.name}
          error={edited.errors.name}
          onChange={(event) => edited.change({ name: event.target.value })}
        />
        {token.access === 'full' && <PlaceField value={place} act="move" onChange={setPlace} />}
        {mayChooseOwner && <OwnerField value={owner} token={token} onChange={setOwner} />}
        {token.access !== 'full' ? (
          <p className="text-sm text-quiet">{words.memberEdit}</p>
        ) : (
          <TokenFields
            form={edited.form}
            errors={edited.errors}
            emptyMeans="unlimited"
            mayGrant={!isMember}
            onChange={edited.change}
          />
        )}
        {edited.failure !== null && <ErrorNotice error={edited.failure} />}
      </form>
    </SidePanel>
  );
}
