/** Where a message is written: keys as everywhere, files by picking, pasting or dropping, and one button that sends or stops. */

import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Button, IconButton } from '../../../components/button.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { randomId } from '../../../random-id.ts';
import { bytesText } from '../../../texts/number.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { AttachmentChip } from './attachment-chip.tsx';
import { acceptedTypes, attachmentBytesMax, readAttachment, takesFiles } from './attachments.ts';
import type { Desk, Message } from './conversations.ts';

interface ComposerProps {
  readonly desk: Desk;
  /** Of the model that is asked; decides which files it is offered. */
  readonly modalities: readonly string[];
  readonly isRunning: boolean;
  readonly canSend: boolean;
  onSend(message: Message): void;
  onStop(): void;
  /** Arrow up in an empty field. */
  onEditLast(): void;
}

export function Composer({ desk, modalities, isRunning, canSend, onSend, onStop, onEditLast }: ComposerProps) {
  const words = useWords().playground.composer;
  const unsent = useSyncExternalStore(desk.subscribeUnsent, desk.unsent);
  const field = useRef<HTMLTextAreaElement>(null);
  const attach = useAttach(desk);
  const { isDragged, handlers } = useDrop(attach);
  useEffect(() => {
    // On a phone the keyboard would cover the page before anybody asked for it.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, []);
  const isEmpty = unsent.text.trim() === '' && unsent.attachments.length === 0;
  const send = () => {
    if (isEmpty || isRunning || !canSend) return;
    onSend({ text: unsent.text.trim(), attachments: unsent.attachments });
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) send();
    else if (event.key === 'Escape' && isRunning) onStop();
    else if (event.key === 'ArrowUp' && unsent.text === '') onEditLast();
    else return;
    event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  return (
    <section
      aria-label={words.label}
      {...handlers}
      className={`grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md border bg-raised p-2 focus-within:border-accent ${isDragged ? 'border-accent bg-wash' : 'border-line-strong'}`}
    >
      {unsent.attachments.length > 0 && (
        <ul aria-label={words.attached(unsent.attachments.length)} className="flex flex-wrap gap-2">
          {unsent.attachments.map((attachment) => (
            <li key={attachment.id} className="min-w-0">
              <AttachmentChip
                attachment={attachment}
                onRemove={() => desk.type({ attachments: unsent.attachments.filter(({ id }) => id !== attachment.id) })}
              />
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        data-filter=""
        aria-label={words.label}
        aria-describedby="composer-keys"
        placeholder={isDragged ? words.drop : words.placeholder}
        rows={1}
        value={unsent.text}
        onChange={(event) => desk.type({ text: event.target.value })}
        onKeyDown={press}
        onPaste={paste}
        className="field-sizing-content max-h-48 min-h-8 w-full resize-none bg-transparent px-1.5 py-1.5 outline-none"
      />
      <div className="flex items-center gap-2">
        {takesFiles(modalities) && <FilePicker modalities={modalities} onFiles={(files) => void attach(files)} />}
        <p id="composer-keys" className="min-w-0 grow text-xs text-pretty text-quiet max-sm:sr-only">
          {words.keys}
        </p>
        {isRunning ? (
          <Button size="small" icon="stop" onClick={onStop} className="ml-auto">
            {words.stop}
          </Button>
        ) : (
          <Button
            size="small"
            kind="primary"
            icon="send"
            disabled={isEmpty || !canSend}
            onClick={send}
            className="ml-auto"
          >
            {words.send}
          </Button>
        )}
      </div>
    </section>
  );
}

function FilePicker({ modalities, onFiles }: { readonly modalities: readonly string[]; onFiles(files: File[]): void }) {
  const words = useWords().playground.composer;
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={acceptedTypes(modalities)}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file may be picked again after it was removed.
          event.target.value = '';
        }}
      />
      <IconButton icon="attach" label={words.attach} className="size-7" onClick={() => picker.current?.click()} />
    </>
  );
}

function useAttach(desk: Desk): (files: readonly File[]) => Promise<void> {
  const { tag } = useSpeech();
  const words = useWords().playground.composer;
  const tell = useTell();
  return async (files) => {
    const [fitting, large] = [files.filter(fits), files.filter((file) => !fits(file))];
    for (const { name } of large) tell({ tone: 'bad', text: words.tooLarge(name, bytesText(attachmentBytesMax, tag)) });
    const read = await Promise.all(fitting.map((file) => readAttachment(file, randomId)));
    desk.type({ attachments: [...desk.unsent().attachments, ...read] });
  };
}

const fits = ({ size }: File) => size <= attachmentBytesMax;

function useDrop(attach: (files: readonly File[]) => Promise<void>) {
  const [isDragged, setDragged] = useState(false);
  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    isDragged,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setDragged(true);
      },
      onDragLeave: () => setDragged(false),
      onDrop: (event: DragEvent) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setDragged(false);
        void attach([...event.dataTransfer.files]);
      },
    },
  };
}
