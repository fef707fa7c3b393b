/** Short notices at the edge of the page: they say what was done, stay while they are read, and are spoken once. */

import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react';
import { useWords } from '../../words/use-words.tsx';
import { IconButton } from '../button.tsx';
import { Icon, type IconName } from '../icon.tsx';

interface Notice {
  readonly text: ReactNode;
  readonly tone?: 'ok' | 'bad' | 'plain';
}

interface ShownNotice extends Notice {
  readonly id: number;
}

const shownForMs = 5_000;
const noticesMax = 3;

const TellContext = createContext<(notice: Notice) => void>(() => undefined);

/** Says something that needs no answer. What must be answered belongs into the page. */
export function useTell(): (notice: Notice) => void {
  return use(TellContext);
}

export function NoticeProvider({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly ShownNotice[]>([]);
  const nextId = useRef(0);
  const tell = useCallback((notice: Notice) => {
    const shown = { ...notice, id: nextId.current++ };
    setNotices((before) => [...before, shown].slice(-noticesMax));
  }, []);
  const dismiss = useCallback((id: number) => setNotices((before) => before.filter((notice) => notice.id !== id)), []);
  const words = useWords();
  return (
    <TellContext value={tell}>
      {children}
      <section
        aria-label={words.parts.notices}
        aria-live="polite"
        // Above the buttons at the foot of a panel, which are often needed next.
        className="pointer-events-none fixed right-4 bottom-20 left-4 z-50 grid justify-items-end gap-2 md:left-auto"
      >
        {notices.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} onDismiss={dismiss} />
        ))}
      </section>
    </TellContext>
  );
}

const marks: Readonly<Record<NonNullable<Notice['tone']>, { readonly icon: IconName; readonly colour: string }>> = {
  ok: { icon: 'check', colour: 'text-ok' },
  bad: { icon: 'bad', colour: 'text-bad' },
  plain: { icon: 'info', colour: 'text-quiet' },
};

function NoticeLine({ notice, onDismiss }: { readonly notice: ShownNotice; readonly onDismiss: (id: number) => void }) {
  const words = useWords();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    // Whoever points at it is still reading it.
    if (held) return undefined;
    const timer = setTimeout(() => onDismiss(notice.id), shownForMs);
    return () => clearTimeout(timer);
  }, [held, notice.id, onDismiss]);
  const mark = marks[notice.tone ?? 'plain'];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pausing is a courtesy; the button below does everything.
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex max-w-96 animate-rise items-center gap-2.5 rounded-md border border-line bg-raised py-1 pr-1 pl-3 text-sm shadow-float"
    >
      <Icon name={mark.icon} className={mark.colour} />
      <span className="grow py-1.5">{notice.text}</span>
      <IconButton icon="close" label={words.parts.dismiss} hideTip onClick={() => onDismiss(notice.id)} />
    </div>
  );
}
