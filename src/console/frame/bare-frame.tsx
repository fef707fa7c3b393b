/** The frame of pages before the sign-in: the mark, one card, and the choice of language and theme. */

import { type ReactNode, useEffect } from 'react';
import { Mark } from '../components/icon.tsx';
import { ConnectionBanner } from '../connection/connection-banner.tsx';
import type { ConsolePage } from '../console-page.ts';
import { useWords } from '../words/use-words.tsx';
import { LanguageMenu, ThemeMenu } from './preferences.tsx';

export function BareFrame({ page, children }: { readonly page: ConsolePage; readonly children: ReactNode }) {
  const words = useWords();
  const title = words.pages[page.id];
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 shrink-0 items-center justify-between px-4">
        <a
          href="/"
          aria-label={`Weir: ${words.frame.home}`}
          className="flex items-center gap-2.5 rounded-md px-1 text-lg font-semibold"
        >
          <Mark className="size-6" />
          Weir
        </a>
        <span className="flex">
          <LanguageMenu />
          <ThemeMenu />
        </span>
      </header>
      <ConnectionBanner />
      <main id="content" className="mx-auto w-full max-w-[400px] grow px-4 pt-[8vh] pb-16">
        <h1 className="pb-6 text-2xl font-semibold tracking-tight text-balance">{title}</h1>
        {children}
      </main>
    </div>
  );
}
