/** A sheet for the name and the limits of a level: a new one, or one that is changed. */

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { LevelTermsView } from '../../../admin/contracts/organization-contract.ts';
import { AskError } from '../../api/ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { type StaysWith, useUnsaved } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { refusalText } from '../tokens/token-form.ts';
import { TermsFields, type TermsOf } from './terms-fields.tsx';
import { type TermsErrors, termsChanges, termsFormOf, termsMistakes } from './terms-form.ts';

const formId = 'level';

interface LevelFormProps {
  readonly title: string;
  /** Whose limits; those of a unit where absent. */
  readonly of?: TermsOf;
  /** Absent where it has no name of its own. */
  readonly name?: string;
  /** Absent where this person may change the name alone. */
  readonly terms?: LevelTermsView;
  readonly submit: string;
  readonly note?: string;
  /** What the address says while the sheet is open. */
  readonly stays: StaysWith;
  /** The beginnings of paths whose answers the change may alter. */
  readonly stale: readonly string[];
  send(body: Readonly<Record<string, unknown>>): Promise<unknown>;
  savedText(name: string): string;
  onDone(): void;
}

export function LevelForm(props: LevelFormProps) {
  const { title, of = 'unit', name: firstName, terms, submit, note, stays, onDone } = props;
  const words = useWords().teams;
  const element = useRef<HTMLFormElement>(null);
  const [name, setName] = useState(firstName ?? '');
  const [first] = useState(() => termsFormOf(terms ?? {}));
  const [form, setForm] = useState(first);
  const [isTried, setTried] = useState(false);
  const save = useSaving(props);
  const changes = termsChanges(first, form);
  const body = {
    ...(firstName !== undefined && name.trim() !== firstName && { name: name.trim() }),
    ...(Object.keys(changes).length > 0 && { terms: changes }),
  };
  const leave = useUnsaved(Object.keys(body).length > 0, stays);
  const mistakes: TermsErrors = {
    ...termsMistakes(form, words.mistakes),
    ...(firstName !== undefined && name.trim() === '' && { name: words.mistakes.name }),
  };
  const refused = refusalsOf(save.error);
  const errors = { ...(isTried ? mistakes : {}), ...refused };
  const go = () => {
    setTried(true);
    if (Object.keys(mistakes).length > 0) return;
    if (Object.keys(body).length === 0) return onDone();
    save.mutate(body, { onSuccess: () => leave(onDone) });
  };
  return (
    <SidePanel
      open
      title={title}
      onClose={onDone}
      actions={
        <>
          <Button onClick={() => leave(onDone)}>{words.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={save.isPending}>
            {submit}
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
          go();
        }}
      >
        <FirstFocus form={element} />
        {note !== undefined && <p className="text-sm text-quiet">{note}</p>}
        {firstName !== undefined && (
          <Field
            label={words.name}
            maxLength={100}
            value={name}
            error={errors['name']}
            onChange={({ target }) => setName(target.value)}
          />
        )}
        {terms !== undefined && (
          <TermsFields
            of={of}
            form={form}
            errors={errors}
            onChange={(fields) => setForm((old) => ({ ...old, ...fields }))}
          />
        )}
        {save.error !== null && Object.keys(refused).length === 0 && <ErrorNotice error={save.error} />}
      </form>
    </SidePanel>
  );
}

/** The sheet opens on its first question; its content is there only after the sheet is. */
function FirstFocus({ form }: { readonly form: RefObject<HTMLFormElement | null> }) {
  useEffect(() => form.current?.querySelector<HTMLElement>('input, button')?.focus(), [form]);
  return null;
}

function useSaving({ name = '', stale, send, savedText }: LevelFormProps) {
  const tell = useTell();
  return useChange(
    async (body: Readonly<Record<string, unknown>>) => {
      const answer = await send(body);
      tell({ tone: 'ok', text: savedText(typeof body['name'] === 'string' ? body['name'] : name) });
      return answer;
    },
    [...stale, '/console/api/audit'],
  );
}

const shownFields = ['name', 'rpm', 'tpm', 'concurrency', 'models', 'labels', 'budgets', 'endUsers'];

/** A refusal at the field that it speaks of. */
function refusalsOf(error: unknown): TermsErrors {
  if (!(error instanceof AskError) || error.param === '') return {};
  const field = /^(?:terms\.)?(\w+)/.exec(error.param)?.[1] ?? '';
  return shownFields.includes(field) ? { [field]: refusalText(error.message, error.param) } : {};
}
