/** Where the console begins in the browser: builds the few objects there is one of, and mounts the application. */

import './theme/style.css';
import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { AskError, listenToAsks } from './api/ask.ts';
import { App } from './app.tsx';
import { connectionOf } from './connection/browser-connection.ts';
import { readPageFacts } from './page-facts.ts';
import { createNavigation } from './router/navigation.ts';
import { createReentry } from './session/reentry.ts';
import { forgetSession, visitorKey } from './session/session.tsx';
import { chosenLanguage, languages } from './words/languages.ts';

const facts = readPageFacts(document);
// The dialogs' scroll lock writes a style element; this is the name under which it looks for the nonce.
Object.assign(globalThis, { __webpack_nonce__: facts.styleNonce });

const freshForMs = 10_000;
const retriesMax = 2;

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // Without a sign-in in place, the sign-in page opens and leads back here.
    onError: (error) => {
      if (error instanceof AskError && error.code === 'sign_in_required') forgetSession(queries);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: freshForMs,
      // What was refused stays refused; only an absent or failing server is worth another try.
      retry: (count, error) =>
        count < retriesMax && (!(error instanceof AskError) || error.status === 0 || error.status >= 500),
    },
    // A change that cannot be made is said at once; it must not happen later, when nobody expects it.
    mutations: { networkMode: 'always' },
  },
});

const reentry = createReentry();
const connection = connectionOf(window);
listenToAsks({ answered: connection.answered, unanswered: connection.failed, sessionEnded: reentry.ended });
// While Weir cannot be reached nothing is asked; afterwards everything that is shown is asked for again.
onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(!connection.isLost())));
connection.subscribe(() => {
  if (!connection.isLost()) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey !== visitorKey });
});

const language = chosenLanguage();
const words = await languages[language].load();
const root = document.getElementById('console');
if (root !== null) {
  createRoot(root).render(
    <App
      facts={facts}
      queries={queries}
      navigation={createNavigation(window)}
      speech={{ language, words }}
      connection={connection}
      reentry={reentry}
    />,
  );
}
