/** The page that everybody sees at the root address: the operator's own words, or none at all. */

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { HomeTextView } from '../../../admin/contracts/settings-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf, useAsk } from '../../api/use-ask.ts';
import { errorAtField, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Check, Field, TextField } from '../../components/fields/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useUnsaved } from '../../router/unsaved.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { Section } from './section.tsx';

const path = '/console/api/home';

export function HomeSection() {
  const words = useWords().settings;
  const { data, error, refetch } = useAsk<HomeTextView>(path);
  return (
    <Section
      id="home"
      tools={
        <a href="/" className="flex h-8 items-center gap-2 rounded-md text-sm text-accent hover:underline">
          {words.openHome}
          <Icon name="external" />
        </a>
      }
    >
      {error !== null && data === undefined && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {data === undefined ? error === null && <SkeletonText lines={4} /> : <HomeForm home={data} />}
    </Section>
  );
}

interface Draft {
  readonly shown: boolean;
  readonly title: string;
  readonly text: string;
}

const draftOf = ({ shown, title = '', text = '' }: HomeTextView): Draft => ({ shown, title, text });

function HomeForm({ home }: { readonly home: HomeTextView }) {
  const words = useWords().settings;
  const tell = useTell();
  const queries = useQueryClient();
  const isLocked = home.locked || !useSession().may('PATCH /console/api/home');
  const [edited, setEdited] = useState<Draft>();
  const draft = edited ?? draftOf(home);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(home));
  // Other sections and open people are the same page.
  useUnsaved(isChanged, () => true);
  const save = useChange(
    ({ shown, title, text }: Draft) =>
      ask<HomeTextView>(path, {
        method: 'PATCH',
        body: { shown, title: title.trim() === '' ? null : title.trim(), text: text.trim() === '' ? null : text },
      }),
    [path, '/console/api/settings', '/console/api/audit'],
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft, {
      onSuccess: (saved) => {
        queries.setQueryData(keyOf(path), saved);
        // What was changed while the answer was on its way stays.
        setEdited((now) => (now === edited ? undefined : now));
        tell({ tone: 'ok', text: words.homeSaved });
      },
    });
  };
  const atFields = { title: errorAtField(save.error, 'title'), text: errorAtField(save.error, 'text') };
  const isAtField = atFields.title !== undefined || atFields.text !== undefined;
  return (
    <form onSubmit={submit} className="grid max-w-2xl gap-4">
      {home.locked && (
        <p className="flex items-center gap-2 text-sm text-quiet">
          <Icon name="lock" /> {words.homeLocked}
        </p>
      )}
      <Check
        label={words.homeShown}
        hint={words.homeShownHint}
        disabled={isLocked}
        checked={draft.shown}
        onChange={(event) => setEdited({ ...draft, shown: event.target.checked })}
      />
      <Field
        label={words.homeTitle}
        optional
        disabled={isLocked || !draft.shown}
        placeholder="Weir"
        value={draft.title}
        error={atFields.title}
        onChange={(event) => setEdited({ ...draft, title: event.target.value })}
      />
      <TextField
        label={words.homeText}
        optional
        rows={4}
        disabled={isLocked || !draft.shown}
        hint={words.homeTextHint}
        value={draft.text}
        error={atFields.text}
        onChange={(event) => setEdited({ ...draft, text: event.target.value })}
      />
      {save.error !== null && !isAtField && <ErrorNotice error={save.error} />}
      {!isLocked && (
        <div className="flex gap-2">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged}>
            {words.save}
          </Button>
          <Button disabled={!isChanged} onClick={() => setEdited(undefined)}>
            {words.cancel}
          </Button>
        </div>
      )}
    </form>
  );
}
