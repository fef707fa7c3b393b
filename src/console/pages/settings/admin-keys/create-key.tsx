/** A new admin key: what it may do and from where, then the key itself, which is shown once. */

import { type FormEvent, useState } from 'react';
import type { IssuedAdminKeyView, NewAdminKey } from '../../../../admin/contracts/admin-key-contract.ts';
import type { TeamView } from '../../../../admin/contracts/organization-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field, Select, TextField } from '../../../components/fields/field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { SecretPanel } from '../../../components/secret-panel.tsx';
import { useLeave, useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { adminKeysPath, linesIn, staleAfterKeys } from './key-paths.ts';

const formId = 'new-admin-key';
const withSheet = withWords('key');

interface CreateKeyProps {
  readonly areas: readonly string[];
  /** That the person manages. */
  readonly teams: readonly TeamView[];
  readonly onClose: () => void;
}

export function CreateKey({ areas, teams, onClose }: CreateKeyProps) {
  const words = useWords().adminKeys;
  const leave = useLeave();
  const create = useChange((body: NewAdminKey) => ask<IssuedAdminKeyView>(adminKeysPath, { body }), staleAfterKeys);
  if (create.data !== undefined) return <OneTimeKey issued={create.data} onClose={onClose} />;
  return (
    <SidePanel
      open
      title={words.newKey}
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
      <KeyForm areas={areas} teams={teams} error={create.error} onSubmit={create.mutate} />
    </SidePanel>
  );
}

interface KeyFormProps extends Pick<CreateKeyProps, 'areas' | 'teams'> {
  readonly error: unknown;
  onSubmit(key: NewAdminKey): void;
}

interface Draft {
  readonly name: string;
  readonly teamId: string;
  readonly role: NewAdminKey['role'];
  /** Absent: everything that the role may do. */
  readonly levels?: Readonly<Record<string, Level>> | undefined;
  readonly expires: string;
  readonly networks: string;
}

type Level = 'none' | 'read' | 'write';

const scopesOf = (levels: Readonly<Record<string, Level>>): string[] =>
  Object.entries(levels).flatMap(([area, level]) => (level === 'none' ? [] : [`${area}:${level}`]));

const placedErrors = ['name', 'role', 'teamId', 'expiresAt', 'networks', 'scopes'] as const;

function KeyForm({ areas, teams, error, onSubmit }: KeyFormProps) {
  const words = useWords().adminKeys.fields;
  const isMember = useSession().account.role === 'member';
  const [draft, setDraft] = useState<Draft>({
    name: '',
    teamId: isMember ? (teams[0]?.id ?? '') : '',
    role: 'admin',
    expires: '',
    networks: '',
  });
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  useUnsaved(draft.name !== '' || draft.networks !== '' || draft.levels !== undefined, withSheet);
  const at = (field: string) => errorAtField(error, field) ?? errorAtField(error, `${field}[0]`);
  const hasPlace = placedErrors.some((field) => at(field) !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, teamId, role, levels, expires, networks } = draft;
    const allowed = linesIn(networks);
    onSubmit({
      ...{ name, role },
      ...(teamId !== '' && { teamId }),
      ...(levels !== undefined && { scopes: scopesOf(levels) }),
      ...(expires !== '' && { expiresAt: expires }),
      ...(allowed.length > 0 && { networks: allowed }),
    });
  };
  return (
    <form id={formId} noValidate onSubmit={submit} className="grid gap-5">
      <Field
        label={words.name}
        hint={words.nameHint}
        maxLength={100}
        value={draft.name}
        error={at('name')}
        onChange={(event) => set({ name: event.target.value })}
      />
      {teams.length > 0 && (
        <Select
          label={words.team}
          hint={words.teamHint}
          value={draft.teamId}
          error={at('teamId')}
          options={[
            ...(isMember ? [] : [{ value: '', label: words.noTeam }]),
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => set({ teamId: event.target.value, role: 'admin' })}
        />
      )}
      <RoleSelect draft={draft} error={at('role')} onChange={(role) => set({ role })} />
      <ScopeFields areas={areas} levels={draft.levels} error={at('scopes')} onChange={(levels) => set({ levels })} />
      <Field
        label={words.expires}
        hint={words.expiresHint}
        optional
        type="date"
        value={draft.expires}
        error={at('expiresAt')}
        onChange={(event) => set({ expires: event.target.value })}
      />
      <TextField
        label={words.networks}
        hint={words.networksHint}
        optional
        className="font-mono text-sm"
        value={draft.networks}
        error={at('networks')}
        onChange={(event) => set({ networks: event.target.value })}
      />
      {error !== null && !hasPlace && <ErrorNotice error={error} />}
    </form>
  );
}

interface RoleSelectProps {
  readonly draft: Draft;
  readonly error: string | undefined;
  onChange(role: Draft['role']): void;
}

function RoleSelect({ draft: { role, teamId }, error, onChange }: RoleSelectProps) {
  const { adminKeys: words, session, settings, teams } = useWords();
  const mine = useSession().account.role;
  const whole = (['owner', 'admin', 'member', 'viewer'] as const).filter(
    (each) => each !== 'owner' || mine === 'owner',
  );
  const ofTeam = role === 'viewer' ? 'viewer' : 'admin';
  return (
    <Select
      label={words.fields.role}
      hint={teamId === '' ? settings.roleMeanings[role] : teams.roleHints[ofTeam]}
      value={role}
      error={error}
      options={
        teamId === ''
          ? whole.map((value) => ({ value, label: session.roles[value] }))
          : (['admin', 'viewer'] as const).map((value) => ({ value, label: words.teamRoles[value] }))
      }
      onChange={(event) => onChange(event.target.value as Draft['role'])}
    />
  );
}

interface ScopeFieldsProps {
  readonly areas: readonly string[];
  readonly levels: Draft['levels'];
  readonly error: string | undefined;
  onChange(levels: Draft['levels']): void;
}

function ScopeFields({ areas, levels, error, onChange }: ScopeFieldsProps) {
  const words = useWords().adminKeys.fields;
  const options = (['none', 'read', 'write'] as const).map((value) => ({ value, label: words.levels[value] }));
  return (
    <>
      <Select
        label={words.access}
        value={levels === undefined ? 'all' : 'some'}
        error={error}
        options={[
          { value: 'all', label: words.allAccess },
          { value: 'some', label: words.someAccess },
        ]}
        onChange={(event) => onChange(event.target.value === 'all' ? undefined : {})}
      />
      {levels !== undefined && (
        <fieldset className="grid gap-3">
          <legend className="mb-2 text-sm font-medium">{words.areas}</legend>
          <p className="text-xs text-quiet">{words.areaHint}</p>
          <div className="grid grid-cols-2 gap-3">
            {areas.map((area) => (
              <Select
                key={area}
                label={area}
                value={levels[area] ?? 'none'}
                options={options}
                onChange={(event) => onChange({ ...levels, [area]: event.target.value as Level })}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

function OneTimeKey({ issued, onClose }: { readonly issued: IssuedAdminKeyView; readonly onClose: () => void }) {
  const words = useWords().adminKeys;
  const call = `curl ${location.origin}/admin/v1/tokens \\\n  -H "Authorization: Bearer $WEIR_ADMIN_KEY"`;
  return (
    <SecretPanel secret={issued.key} words={words} onClose={onClose}>
      <CodeBlock title={words.tryIt} code={call} />
    </SecretPanel>
  );
}
