/** What was asked in this browser: open it again, rename it, or delete it. */

import { type FormEvent, useState } from 'react';
import { Time } from '../../../components/amounts.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { useWords } from '../../../words/use-words.tsx';
import type { ConversationHead } from './conversation.ts';
import type { Desk } from './conversations.ts';

interface ConversationListProps {
  readonly desk: Desk;
  readonly heads: readonly ConversationHead[];
  readonly currentId: string;
  /** Without an id a new one begins. */
  onOpen(id: string | undefined): void;
}

export function ConversationList({ desk, heads, currentId, onOpen }: ConversationListProps) {
  const words = useWords().playground.conversations;
  const tell = useTell();
  const [renamed, setRenamed] = useState<ConversationHead>();
  const remove = async ({ id }: ConversationHead) => {
    await desk.remove(id);
    if (id === currentId) onOpen(undefined);
    tell({ text: words.removed, tone: 'ok' });
  };
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      <Button icon="plus" onClick={() => onOpen(undefined)}>
        {words.fresh}
      </Button>
      {heads.length === 0 && <p className="px-2 py-3 text-sm text-pretty text-quiet">{words.empty}</p>}
      <ul
        aria-label={words.title}
        className="-mx-1 grid min-h-0 content-start gap-0.5 overflow-y-auto px-1 empty:hidden"
      >
        {heads.map((head) => (
          <li key={head.id} className="group/head relative">
            <button
              type="button"
              aria-current={head.id === currentId ? 'true' : undefined}
              onClick={() => onOpen(head.id)}
              className={`grid w-full cursor-pointer gap-0.5 rounded-sm py-1.5 pr-8 pl-2 text-left text-sm ${head.id === currentId ? 'bg-pressed' : 'hover:bg-sunken'}`}
            >
              <span className="truncate">{head.title || words.untitled}</span>
              <span className="text-xs text-quiet">
                <Time at={head.changedAtMs} />
              </span>
            </button>
            <span className="absolute top-2 right-1">
              <Menu
                trigger={
                  <IconButton icon="more" label={words.more(head.title || words.untitled)} hideTip className="size-7" />
                }
              >
                <MenuItem icon="edit" onSelect={() => setRenamed(head)}>
                  {words.rename}
                </MenuItem>
                <MenuItem icon="remove" onSelect={() => void remove(head)}>
                  {words.remove}
                </MenuItem>
              </Menu>
            </span>
          </li>
        ))}
      </ul>
      {renamed !== undefined && <RenameDialog desk={desk} head={renamed} onDone={() => setRenamed(undefined)} />}
    </div>
  );
}

interface RenameDialogProps {
  readonly desk: Desk;
  readonly head: ConversationHead;
  onDone(): void;
}

function RenameDialog({ desk, head, onDone }: RenameDialogProps) {
  const words = useWords().playground.conversations;
  const [name, setName] = useState(head.title);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    await desk.rename(head.id, name);
    onDone();
  };
  return (
    <Dialog open title={words.rename} onClose={onDone}>
      <form onSubmit={(event) => void save(event)} className="grid gap-4 p-5">
        <Field label={words.name} value={name} onChange={(event) => setName(event.target.value)} />
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={onDone}>
            {words.cancel}
          </Button>
          <Button type="submit" kind="primary" disabled={name.trim() === ''}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
