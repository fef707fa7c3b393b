/** The application: everything a page can count on, around the frame and the page that the address names. */

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react';
import { Button } from './components/button.tsx';
import { EmptyState } from './components/empty-state.tsx';
import { NoticeProvider } from './components/overlays/toast.tsx';
import { TooltipProvider } from './components/overlays/tooltip.tsx';
import { SkeletonText } from './components/skeleton.tsx';
import type { Connection } from './connection/connection.ts';
import { ConnectionProvider } from './connection/use-connection.tsx';
import type { ConsolePage, PageProps } from './console-page.ts';
import { BareFrame } from './frame/bare-frame.tsx';
import { FactsProvider } from './frame/facts.tsx';
import { Frame } from './frame/frame.tsx';
import { PageBoundary } from './frame/page-boundary.tsx';
import { PaletteProvider } from './frame/palette.tsx';
import { ShortcutProvider } from './keyboard/use-shortcut.tsx';
import type { PageFacts } from './page-facts.ts';
import { pages, welcomePage } from './pages.ts';
import { matchPath, type Navigation } from './router/navigation.ts';
import { NavigationProvider, useNavigation, usePath } from './router/router.tsx';
import { UnsavedProvider } from './router/unsaved.tsx';
import type { Reentry } from './session/reentry.ts';
import { SessionProvider, useSessionState } from './session/session.tsx';
import { SessionGate } from './session/session-gate.tsx';
import { SignInAgain } from './session/sign-in-again.tsx';
import type { Words } from './words/en.ts';
import type { LanguageName } from './words/languages.ts';
import { SpeechProvider, useWords } from './words/use-words.tsx';

interface AppProps {
  readonly facts: PageFacts;
  readonly queries: QueryClient;
  readonly navigation: Navigation;
  readonly speech: { readonly language: LanguageName; readonly words: Words };
  readonly connection: Connection;
  readonly reentry: Reentry;
}

export function App({ facts, queries, navigation, speech, connection, reentry }: AppProps) {
  return (
    <FactsProvider value={facts}>
      <QueryClientProvider client={queries}>
        <NavigationProvider value={navigation}>
          <ConnectionProvider value={connection}>
            <SpeechProvider first={speech}>
              <ShortcutProvider>
                <TooltipProvider>
                  <NoticeProvider>
                    <SessionProvider>
                      <UnsavedProvider>
                        <PaletteProvider>
                          <CurrentPage />
                          <SignInAgain reentry={reentry} />
                        </PaletteProvider>
                      </UnsavedProvider>
                    </SessionProvider>
                  </NoticeProvider>
                </TooltipProvider>
              </ShortcutProvider>
            </SpeechProvider>
          </ConnectionProvider>
        </NavigationProvider>
      </QueryClientProvider>
    </FactsProvider>
  );
}

/** Loaded once each: another visit shows the page at once. */
const components = new Map<ConsolePage, LazyExoticComponent<ComponentType<PageProps>>>(
  pages.map((page) => [page, lazy(async () => ({ default: (await page.load()).Page }))]),
);

function CurrentPage() {
  const path = usePath();
  const isRestricted = useSessionState().session?.restriction !== undefined;
  for (const found of pages) {
    const params = matchPath(found.path, path);
    const page = isRestricted && found.open !== true ? welcomePage : found;
    const Component = components.get(page);
    if (params === undefined || Component === undefined) continue;
    const content = (
      <PageBoundary key={page.id}>
        <SessionGate page={page}>
          <Suspense fallback={<SkeletonText />}>
            <Component params={params} />
          </Suspense>
        </SessionGate>
      </PageBoundary>
    );
    return page.bare === true ? <BareFrame page={page}>{content}</BareFrame> : <Frame page={page}>{content}</Frame>;
  }
  return (
    <Frame page={undefined}>
      <NoSuchPage />
    </Frame>
  );
}

function NoSuchPage() {
  const words = useWords().frame;
  const navigation = useNavigation();
  return (
    <EmptyState
      icon="search"
      title={words.notFound}
      action={<Button onClick={() => navigation.go('/console')}>{words.toOverview}</Button>}
    >
      {words.notFoundHint}
    </EmptyState>
  );
}
