/** What stays while pages change: the rail, the top line, and the keys that work everywhere. */

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ConnectionBanner } from '../connection/connection-banner.tsx';
import type { ConsolePage } from '../console-page.ts';
import { useShortcut } from '../keyboard/use-shortcut.tsx';
import { remember, remembered } from '../remembered.ts';
import { useNavigation } from '../router/router.tsx';
import { useWords } from '../words/use-words.tsx';
import { BottomBar, Rail } from './rail.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { useShownPages } from './shown-pages.ts';
import { ToolsSlot, TopLine } from './top-line.tsx';

export function Frame({ page, children }: { readonly page: ConsolePage | undefined; readonly children: ReactNode }) {
  const words = useWords();
  const [narrow, setNarrow] = useState(() => remembered('rail') === 'narrow');
  const [listOpen, setListOpen] = useState(false);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const main = useFocusOnChange(page?.id);
  const railPages = useShownPages();
  const title = page === undefined ? words.frame.notFound : words.pages[page.id];
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  useShortcut('?', () => setListOpen(true));
  useShortcut('/', () => document.querySelector<HTMLElement>('main [data-filter]')?.focus());
  const toggleRail = () => {
    remember('rail', narrow ? undefined : 'narrow');
    setNarrow(!narrow);
  };
  return (
    <>
      <a
        href="#content"
        className="sr-only rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {words.frame.skip}
      </a>
      {railPages.map(
        ({ id, path, letter }) => letter !== undefined && <PageShortcut key={id} letter={letter} path={path} />,
      )}
      <div className={`min-h-dvh md:grid ${narrow ? 'md:grid-cols-[56px_1fr]' : 'md:grid-cols-[208px_1fr]'}`}>
        <Rail current={page} narrow={narrow} onToggle={toggleRail} />
        <div className="flex min-w-0 flex-col pb-16 md:pb-0">
          <TopLine title={title} onSlot={setSlot} onShortcuts={() => setListOpen(true)} />
          <ConnectionBanner />
          <main id="content" ref={main} tabIndex={-1} className="mx-auto w-full max-w-[1440px] grow px-4 py-6 md:px-8">
            <ToolsSlot value={slot}>{children}</ToolsSlot>
          </main>
        </div>
      </div>
      <BottomBar current={page} />
      <ShortcutList open={listOpen} onClose={() => setListOpen(false)} />
    </>
  );
}

function PageShortcut({ letter, path }: { readonly letter: string; readonly path: string }) {
  const navigation = useNavigation();
  useShortcut(`g ${letter}`, () => navigation.go(path));
  return null;
}

/** Whoever cannot see the page change must be taken to it; on the first page the browser has done that. */
function useFocusOnChange(id: string | undefined) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(id);
  useEffect(() => {
    if (shown.current !== id) main.current?.focus({ preventScroll: true });
    shown.current = id;
  }, [id]);
  return main;
}
