/** The second step of adding a provider: its name, its key, and whatever else its preset needs; the rest is folded away. */

import { type FormEvent, type ReactNode, useId } from 'react';
import type { PresetView } from '../../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Icon } from '../../../components/icon.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { FurtherFields, fieldErrorOf, isAtField, ModelsField, NeededFields } from '../entry-form.tsx';
import { type DraftProvider, isReadable } from '../provider-entry.ts';

interface DraftFormProps {
  readonly preset: PresetView;
  readonly draft: DraftProvider;
  readonly missing: ReadonlySet<string>;
  readonly isTaken: boolean;
  readonly error: unknown;
  readonly children: ReactNode;
  onChange(draft: DraftProvider): void;
  onBack(): void;
  onSubmit(): void;
}

export function DraftForm({ preset, draft, missing, isTaken, error, children, ...on }: DraftFormProps) {
  const words = useWords().providers;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReadable(draft.texts)) on.onSubmit();
  };
  const fields = {
    texts: draft.texts,
    preset,
    error,
    missing,
    onChange: (texts: DraftProvider['texts']) => on.onChange({ ...draft, texts }),
  };
  const isPlaced =
    isAtField(error) || fieldErrorOf(error, 'name') !== undefined || fieldErrorOf(error, 'keys') !== undefined;
  return (
    <form onSubmit={submit} className="grid gap-4" noValidate>
      <div className="flex min-h-10 items-center justify-between gap-4 rounded-md bg-sunken py-1 pr-1 pl-3">
        <div className="grid min-w-0">
          <span className="truncate font-medium">{preset.title}</span>
          {preset.baseUrl !== '' && <code className="truncate text-xs text-quiet">{preset.baseUrl}</code>}
        </div>
        <Button size="small" kind="quiet" onClick={on.onBack}>
          {words.sheet.change}
        </Button>
      </div>
      <Field
        label={words.sheet.key}
        hint={preset.needsKey ? words.sheet.keyHint : words.sheet.keyOptional}
        error={missing.has('key') ? words.form.needed : fieldErrorOf(error, 'keys')}
        optional={!preset.needsKey}
        type="password"
        mono
        autoFocus
        autoComplete="new-password"
        spellCheck={false}
        value={draft.key}
        onChange={(event) => on.onChange({ ...draft, key: event.target.value })}
      />
      <NeededFields {...fields} />
      {!preset.listsModels && (
        <>
          <p className="text-sm text-quiet">{words.sheet.cannotList}</p>
          <ModelsField {...fields} />
        </>
      )}
      <Field
        label={words.sheet.name}
        hint={words.sheet.nameHint}
        error={
          missing.has('name')
            ? words.form.needed
            : isTaken
              ? words.sheet.nameTaken(draft.name.trim())
              : fieldErrorOf(error, 'name')
        }
        mono
        spellCheck={false}
        value={draft.name}
        onChange={(event) => on.onChange({ ...draft, name: event.target.value })}
      />
      <Folded title={words.sheet.more}>
        <FurtherFields {...fields} withModels={preset.listsModels} />
      </Folded>
      {error != null && !isPlaced && <ErrorNotice error={error} />}
      {children}
    </form>
  );
}

/** What few need: there for who looks for it. */
function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <details className="group rounded-md border border-line">
      <summary
        aria-controls={id}
        className="flex h-9 cursor-pointer list-none items-center gap-2 rounded-md px-3 text-sm text-quiet select-none hover:text-text [&::-webkit-details-marker]:hidden"
      >
        <Icon name="chevron" className="-rotate-90 group-open:rotate-0" />
        {title}
      </summary>
      <div id={id} className="grid gap-4 border-t border-line p-4">
        {children}
      </div>
    </details>
  );
}
