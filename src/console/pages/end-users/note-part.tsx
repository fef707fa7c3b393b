/** What those who look after an end user wrote about them. */

import { useState } from 'react';
import type { EndUserView } from '../../../admin/contracts/end-user-contract.ts';
import { ask } from '../../api/ask.ts';
import { isSaved, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextField } from '../../components/fields/field.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';

const noteLengthMax = 1_000;
const withPanel = withWords('id');

interface NotePartProps {
  readonly user: EndUserView;
  readonly path: string;
  readonly stale: readonly string[];
  readonly mayChange: boolean;
}

export function NotePart({ user, path, stale, mayChange }: NotePartProps) {
  const words = useWords().endUsers;
  const tell = useTell();
  const [note, setNote] = useState(user.note);
  const save = useChange((text: string) => ask(path, { method: 'PATCH', body: { note: text } }), stale);
  const isChanged = note.trim() !== user.note && !isSaved(save, note);
  useUnsaved(isChanged, withPanel);
  if (!mayChange) return user.note !== '' && <Part title={words.note}>{<p className="text-sm">{user.note}</p>}</Part>;
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(note, { onSuccess: () => tell({ tone: 'ok', text: words.noteSaved }) });
      }}
    >
      <TextField
        label={words.note}
        hint={words.noteHint}
        rows={2}
        optional
        maxLength={noteLengthMax}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      {save.error !== null && <ErrorNotice error={save.error} />}
      {isChanged && (
        <div>
          <Button type="submit" busy={save.isPending}>
            {words.saveNote}
          </Button>
        </div>
      )}
    </form>
  );
}
