/** Who is signed in, for every page: what they may do, and the way out. Asked once for a tab and again where Weir says that it has ended. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useMemo } from 'react';
import type { SignedInView } from '../../admin/account-contract.ts';
import type { AdminRouteName } from '../../admin/role-table.ts';
import { AskError, ask } from '../api/ask.ts';

export interface Session extends SignedInView {
  /** Pages hide what would only be refused. */
  may(route: AdminRouteName): boolean;
  signOut(): Promise<void>;
}

export interface SessionState {
  /** Absent where nobody is signed in, and until that is known. */
  readonly session: Session | undefined;
  readonly isKnown: boolean;
  /** After somebody has signed in: the answer of the sign-in is the session. */
  enter(signedIn: SignedInView): void;
}

const sessionPath = '/console/api/session';
const sessionKey = ['console', 'api', 'session'] as const;

const SessionContext = createContext<SessionState | undefined>(undefined);

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { data, isPending } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => ask<SignedInView>(sessionPath, { signal }).catch(nobody),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const enter = useCallback((signedIn: SignedInView) => queries.setQueryData(sessionKey, signedIn), [queries]);
  const signOut = useCallback(async () => {
    await ask(sessionPath, { method: 'DELETE' });
    // What one account saw is nothing for the next.
    queries.clear();
    queries.setQueryData(sessionKey, null);
  }, [queries]);
  const state = useMemo<SessionState>(() => {
    const session =
      data == null ? undefined : { ...data, may: (route: AdminRouteName) => data.routes.includes(route), signOut };
    return { session, isKnown: !isPending, enter };
  }, [data, isPending, enter, signOut]);
  return <SessionContext value={state}>{children}</SessionContext>;
}

/** Nobody is signed in: that is an answer, not a failure. */
function nobody(error: unknown): null {
  if (error instanceof AskError && error.status === 401) return null;
  throw error;
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
