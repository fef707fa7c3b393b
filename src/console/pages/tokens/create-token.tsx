/** A new token in one sheet: a beginning for its purpose, a name, and limits that can be seen and changed before it exists. */

import { useEffect, useRef, useState } from 'react';
import type { IssuedTokenView } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/use-change.ts';
import { AroundName } from '../../components/around-name.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { type StaysWith, useUnsaved } from '../../router/unsaved.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { OwnerField, TeamOwnerField, useMayChooseOwner } from './fields/owner-field.tsx';
import { PlaceField } from './fields/place-field.tsx';
import { IssuedSecret } from './issued-secret.tsx';
import { TokenFields } from './token-fields.tsx';
import { newTokenBody } from './token-form.ts';
import { type PresetName, presetForm, presetNames } from './token-presets.ts';
import { useTokenForm } from './use-token-form.ts';

export const tokensPath = '/console/api/tokens';
const formId = 'new-token';
/** Another beginning keeps what was typed. */
const withSheet: StaysWith = (to) => to.has('new');

interface CreateTokenProps {
  readonly preset: PresetName;
  onPreset(preset: PresetName): void;
  onClose(): void;
}

/** Mounted anew for every token, so that a closed sheet forgets everything, a secret above all. */
export function CreateToken({ preset, onPreset, onClose }: CreateTokenProps) {
  const words = useWords().tokens;
  const create = useChange((body: object) => ask<IssuedTokenView>(tokensPath, { body }), [tokensPath]);
  const { account, tokenCeiling } = useSession();
  const [owner, setOwner] = useState(account.id);
  const [wantedPlace] = useQueryWord('team');
  const [place, setPlace] = useState(wantedPlace ?? '');
  const edited = useTokenForm(() => presetForm(preset, '', Date.now(), tokenCeiling), create.error);
  const [first] = useState(edited.form);
  const isIssued = create.data !== undefined;
  const isWritten = JSON.stringify(edited.form) !== JSON.stringify(first) || owner !== account.id;
  const ownerBody = owner === account.id ? {} : { ownerId: owner === '' ? null : owner };
  const placeBody = place === '' ? {} : { unitId: place };
  const leave = useUnsaved(isIssued || isWritten, withSheet, isIssued ? words.onceShown : undefined);
  const choose = (next: PresetName) => {
    edited.replace(presetForm(next, edited.form.name, Date.now(), tokenCeiling));
    onPreset(next);
  };
  if (create.data !== undefined) {
    return (
      <SidePanel
        open
        title={<AroundName text={words.created} name={create.data.name} />}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={() => leave(onClose)}>
            {words.stored}
          </Button>
        }
      >
        <IssuedSecret issued={create.data} />
      </SidePanel>
    );
  }
  return (
    <SidePanel
      open
      title={words.newToken}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => leave(onClose)}>{words.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={create.isPending}>
            {words.create}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="grid gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          edited.submit((form) => create.mutate({ ...newTokenBody(form), ...ownerBody, ...placeBody }));
        }}
      >
        <Presets chosen={preset} onChoose={choose} />
        <Field
          label={words.fields.name}
          placeholder={words.namePlaceholder[preset]}
          maxLength={100}
          value={edited.form.name}
          error={edited.errors.name}
          onChange={(event) => edited.change({ name: event.target.value })}
        />
        <Belongs place={place} owner={owner} onPlace={setPlace} onOwner={setOwner} />
        <NewTokenFields edited={edited} />
        {edited.failure !== null && <ErrorNotice error={edited.failure} />}
      </form>
    </SidePanel>
  );
}

interface BelongsProps {
  readonly place: string;
  readonly owner: string;
  onPlace(unitId: string): void;
  onOwner(accountId: string): void;
}

/** The team or project of the token, and whose it is. */
function Belongs({ place, owner, onPlace, onOwner }: BelongsProps) {
  const mayChooseOwner = useMayChooseOwner();
  return (
    <>
      <PlaceField value={place} act="create" onChange={onPlace} />
      {mayChooseOwner ? (
        <OwnerField value={owner} onChange={onOwner} />
      ) : (
        <TeamOwnerField place={place} value={owner} onChange={onOwner} />
      )}
    </>
  );
}

function NewTokenFields({ edited }: { readonly edited: ReturnType<typeof useTokenForm> }) {
  const session = useSession();
  return (
    <TokenFields
      form={edited.form}
      errors={edited.errors}
      emptyMeans="default"
      mayGrant={session.account.role !== 'member'}
      ceiling={session.tokenCeiling}
      onChange={edited.change}
    />
  );
}

function Presets({ chosen, onChoose }: { readonly chosen: PresetName; onChoose(preset: PresetName): void }) {
  const words = useWords().tokens;
  const group = useRef<HTMLFieldSetElement>(null);
  // The sheet opens on its first question.
  useEffect(() => group.current?.querySelector<HTMLInputElement>('input:checked')?.focus(), []);
  return (
    <fieldset ref={group}>
      <legend className="mb-2 text-sm font-medium">{words.presetFor}</legend>
      <div className="grid grid-cols-2 gap-2">
        {presetNames.map((name) => (
          <label
            key={name}
            className={
              'grid cursor-pointer content-start gap-1 rounded-md border border-line p-3 transition-colors duration-[120ms] ' +
              'hover:bg-sunken has-checked:border-accent has-checked:bg-wash has-focus-visible:outline-2 ' +
              'has-focus-visible:outline-offset-2 has-focus-visible:outline-accent'
            }
          >
            <input
              type="radio"
              name="preset"
              value={name}
              checked={chosen === name}
              onChange={() => onChoose(name)}
              className="sr-only"
            />
            <span className="text-sm font-medium">{words.presets[name].title}</span>
            <span className="text-xs text-quiet">{words.presets[name].meaning}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
