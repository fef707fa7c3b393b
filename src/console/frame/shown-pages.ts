/** The pages that the person may open: a rail full of refusals would help nobody. */

import type { ConsolePage } from '../console-page.ts';
import { railPages } from '../pages.ts';
import { useSessionState } from '../session/session.tsx';

export function useShownPages(): readonly ConsolePage[] {
  const { session, isKnown } = useSessionState();
  // Until it is known who is there, nothing may jump away.
  if (!isKnown) return railPages;
  if (session === undefined) return railPages.filter(({ open }) => open === true);
  return railPages.filter(({ needs }) => needs === undefined || session.may(needs));
}
