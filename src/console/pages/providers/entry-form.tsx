/** How a provider is reached, as fields: its address, the way there, what is sent along, and which models it has. */

import type { PresetView } from '../../../admin/contracts/configuration-contract.ts';
import { AskError } from '../../api/ask.ts';
import { Field, Select, TextField } from '../../components/fields/field.tsx';
import { useWords } from '../../words/use-words.tsx';
import { type EntryTexts, readHeaders, readProfiles } from './provider-entry.ts';
import { UrlField } from './url/url-field.tsx';

const entryNames = { routesElsewhere: 'routes_elsewhere', reportsCost: 'reports_cost' } as const;
/** A refusal names its place as the entry spells it; these are shown at the field, all others below the form. */
const places = [
  'base_url',
  'region',
  'proxy',
  'headers',
  'models',
  'results',
  ...Object.values(entryNames),
  'profiles',
  'settings',
] as const;

export function fieldErrorOf(error: unknown, place: string): string | undefined {
  if (!(error instanceof AskError)) return undefined;
  const isThere = error.param === place || ['.', '['].some((inside) => error.param.startsWith(place + inside));
  if (!isThere) return undefined;
  return error.message.startsWith(`${error.param}: `) ? error.message.slice(error.param.length + 2) : error.message;
}

export function isAtField(error: unknown): boolean {
  return places.some((place) => fieldErrorOf(error, `entry.${place}`) !== undefined);
}

interface EntryFieldsProps {
  readonly texts: EntryTexts;
  readonly preset: PresetView | undefined;
  readonly error: unknown;
  /** Names of fields that were left empty and must not be. */
  readonly missing?: ReadonlySet<string>;
  onChange(texts: EntryTexts): void;
}

/** What a preset needs to be reached at all. */
export function NeededFields({ texts, preset, error, missing, onChange }: EntryFieldsProps) {
  const words = useWords().providers.form;
  const needsAddress = preset?.needsBaseUrl === true;
  return (
    <>
      {needsAddress && (
        <UrlField
          hint={words.baseUrlNeeded}
          error={missing?.has('baseUrl') ? words.needed : fieldErrorOf(error, 'entry.base_url')}
          value={texts.baseUrl}
          onText={(baseUrl) => onChange({ ...texts, baseUrl })}
        />
      )}
      {preset?.settings.map(({ name, required, example }) => (
        <Field
          key={name}
          label={words.setting(name)}
          {...(example !== '' && { hint: words.example(example) })}
          error={missing?.has(`settings.${name}`) ? words.needed : fieldErrorOf(error, `entry.settings.${name}`)}
          optional={!required}
          mono
          spellCheck={false}
          value={texts.settings[name] ?? ''}
          onChange={(event) => onChange({ ...texts, settings: { ...texts.settings, [name]: event.target.value } })}
        />
      ))}
    </>
  );
}

interface FurtherFieldsProps extends EntryFieldsProps {
  /** False where the models are asked for elsewhere. */
  readonly withModels?: boolean;
}

/** What most providers do not need, and some do. */
export function FurtherFields({ texts, preset, error, withModels = true, onChange }: FurtherFieldsProps) {
  const words = useWords().providers.form;
  const set = (name: keyof EntryTexts) => (event: { readonly target: { readonly value: string } }) =>
    onChange({ ...texts, [name]: event.target.value });
  const headersWrong = readHeaders(texts.headers) === undefined ? words.headersWrong : undefined;
  const common = { optional: true, mono: true, spellCheck: false } as const;
  return (
    <>
      {preset?.needsBaseUrl !== true && (
        <UrlField
          optional
          hint={words.baseUrlHint}
          error={fieldErrorOf(error, 'entry.base_url')}
          placeholder={preset?.baseUrl ?? ''}
          value={texts.baseUrl}
          onText={(baseUrl) => onChange({ ...texts, baseUrl })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {(['region', 'proxy'] as const).map((name) => (
          <Field
            key={name}
            {...common}
            label={words[name]}
            hint={words[`${name}Hint`]}
            error={fieldErrorOf(error, `entry.${name}`)}
            value={texts[name]}
            onChange={set(name)}
          />
        ))}
      </div>
      {withModels && <ModelsField texts={texts} error={error} onChange={onChange} />}
      <TextField
        label={words.headers}
        hint={words.headersHint}
        error={headersWrong ?? fieldErrorOf(error, 'entry.headers')}
        optional
        rows={2}
        spellCheck={false}
        className="font-mono text-sm"
        value={texts.headers}
        onChange={set('headers')}
      />
      <ProfilesField texts={texts} error={error} onChange={onChange} />
      <Select
        label={words.results}
        error={fieldErrorOf(error, 'entry.results')}
        value={texts.results}
        options={(['', 'keep', 'proxy'] as const).map((value) => ({ value, label: words.resultsOptions[value] }))}
        onChange={set('results')}
      />
      {(['routesElsewhere', 'reportsCost'] as const).map((name) => (
        <Select
          key={name}
          label={words[name]}
          hint={words[`${name}Hint`]}
          error={fieldErrorOf(error, `entry.${entryNames[name]}`)}
          value={texts[name]}
          options={(['', 'yes', 'no'] as const).map((value) => ({ value, label: words.switchOptions[value] }))}
          onChange={set(name)}
        />
      ))}
    </>
  );
}

export function ModelsField({ texts, error, onChange }: Pick<EntryFieldsProps, 'texts' | 'error' | 'onChange'>) {
  const words = useWords().providers.form;
  return (
    <TextField
      label={words.models}
      hint={words.modelsHint}
      error={fieldErrorOf(error, 'entry.models')}
      optional
      rows={2}
      spellCheck={false}
      className="font-mono text-sm"
      value={texts.models}
      onChange={(event) => onChange({ ...texts, models: event.target.value })}
    />
  );
}

function ProfilesField({ texts, error, onChange }: Pick<EntryFieldsProps, 'texts' | 'error' | 'onChange'>) {
  const words = useWords().providers.form;
  const profilesWrong = readProfiles(texts.profiles) === undefined ? words.profilesWrong : undefined;
  return (
    <TextField
      label={words.profiles}
      hint={words.profilesHint}
      error={profilesWrong ?? fieldErrorOf(error, 'entry.profiles')}
      optional
      rows={texts.profiles === '' ? 2 : 8}
      spellCheck={false}
      className="font-mono text-sm"
      value={texts.profiles}
      onChange={(event) => onChange({ ...texts, profiles: event.target.value })}
    />
  );
}
