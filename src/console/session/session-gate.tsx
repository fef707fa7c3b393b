/** Stands before every page that is not for everybody: leads to the sign-in, or to the set-up where nobody has an account yet, and back. */

import { type ReactNode, useEffect } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SkeletonText } from '../components/skeleton.tsx';
import type { ConsolePage } from '../console-page.ts';
import { useNavigation } from '../router/router.tsx';
import { useWords } from '../words/use-words.tsx';
import { useSessionState } from './session.tsx';

export function SessionGate({ page, children }: { readonly page: ConsolePage; readonly children: ReactNode }) {
  const { session, isKnown, error } = useSessionState();
  const words = useWords().session;
  if (page.open === true) return children;
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!isKnown) return <SkeletonText />;
  if (session === undefined) return <Entrance />;
  if (page.needs !== undefined && !session.may(page.needs)) {
    return (
      <EmptyState icon="lock" title={words.notForRole}>
        {words.notForRoleHint(words.roles[session.account.role])}
      </EmptyState>
    );
  }
  return children;
}

function Entrance() {
  const navigation = useNavigation();
  const { isSetUp } = useSessionState();
  useEffect(() => {
    const back = navigation.address();
    const query = back === '/console' ? '' : `?${new URLSearchParams({ to: back })}`;
    navigation.go(isSetUp ? `/console/sign-in${query}` : '/console/set-up', { replace: true });
  }, [isSetUp, navigation]);
  return <SkeletonText />;
}

/** Only our own pages: an address that someone else wrote must not lead away after a sign-in. */
export function wayBack(wanted: string | undefined): string {
  return wanted !== undefined && /^\/console(?:[/?]|$)/.test(wanted) && !wanted.startsWith('/console/sign-in')
    ? wanted
    : '/console';
}
