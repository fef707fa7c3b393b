/** Who is signed in, for every page: what they may do, and the way out. Asked once for a tab and again where Weir says that it has ended. */

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useMemo } from 'react';
import type { SetUpView, SignedInView } from '../../admin/contracts/account-contract.ts';
import type { SignedOutView } from '../../admin/contracts/sign-in-contract.ts';
import type { AdminRouteName } from '../../admin/role-table.ts';
import { AskError, ask } from '../api/ask.ts';

interface Session extends SignedInView {
  /** Pages hide what would only be refused. */
  may(route: AdminRouteName): boolean;
  /** `leaving`: the browser is on its way to the issuer, to end the session there too. */
  signOut(): Promise<'here' | 'leaving'>;
}

interface SessionState {
  /** Absent where nobody is signed in, and until that is known. */
  readonly session: Session | undefined;
  readonly isKnown: boolean;
  /** Is there an account at all? */
  readonly isSetUp: boolean;
  /** Why it cannot be known. */
  readonly error: Error | undefined;
  /** After someone has signed in: the answer of the sign-in is the session. */
  enter(signedIn: SignedInView): void;
}

/** One question for both, and no refusal where nobody is signed in: a stranger's playground starts without an error. */
export const visitorPath = '/console/api/set-up';
export const visitorKey = ['visitor'] as const;
const nobody: SetUpView = { done: true };

/** The session has ended, wherever that was noticed. */
export function forgetSession(queries: QueryClient): void {
  queries.setQueryData(visitorKey, nobody);
}

const SessionContext = createContext<SessionState | undefined>(undefined);

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { data, isPending, error } = useQuery({
    queryKey: visitorKey,
    queryFn: ({ signal }) => ask<SetUpView>(visitorPath, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const enter = useCallback(
    (signedIn: SignedInView) => queries.setQueryData<SetUpView>(visitorKey, { done: true, signedIn }),
    [queries],
  );
  const signOut = useCallback(async () => {
    const options = { method: 'DELETE', signsInAgain: false } as const;
    const answer = await ask<SignedOutView | undefined>('/console/api/session', options).catch((error: unknown) => {
      if (!(error instanceof AskError) || error.code !== 'sign_in_required') throw error;
    });
    if (answer?.logoutUrl !== undefined) {
      // The issuer has a session too. It sends the browser back to the sign-in.
      location.assign(answer.logoutUrl);
      return 'leaving';
    }
    // What one account saw is nothing for the next.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey !== visitorKey });
    forgetSession(queries);
    return 'here';
  }, [queries]);
  const state = useMemo<SessionState>(() => {
    const signedIn = data?.signedIn;
    const may = (route: AdminRouteName): boolean => signedIn?.routes.includes(route) === true;
    const session = signedIn === undefined ? undefined : { ...signedIn, may, signOut };
    return {
      session,
      isKnown: !isPending,
      isSetUp: data?.done !== false,
      error: data === undefined ? (error ?? undefined) : undefined,
      enter,
    };
  }, [data, isPending, error, enter, signOut]);
  return <SessionContext value={state}>{children}</SessionContext>;
}

export function useSessionState(): SessionState {
  const state = use(SessionContext);
  if (state === undefined) throw new Error('No session was provided.');
  return state;
}

/** For pages that are shown only to those who are signed in. */
export function useSession(): Session {
  const { session } = useSessionState();
  if (session === undefined) throw new Error('This page was shown without a session.');
  return session;
}
