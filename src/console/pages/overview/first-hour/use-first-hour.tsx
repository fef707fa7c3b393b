/** The checklist on an overview that has nothing to show yet: it stays while its steps are done, and is gone for good once dismissed. */

import { lazy, type ReactNode, Suspense, useState } from 'react';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { remember, remembered } from '../../../remembered.ts';

/** Most visits never need it. */
const Checklist = lazy(async () => ({ default: (await import('./checklist.tsx')).Checklist }));

const dismissed = 'dismissed';

/**
 * `isNew`: this person's overview has never had a request. Null where there is nothing to show. What is below the list appears with
 * it, so that nothing moves.
 */
export function useFirstHour(isNew: boolean): ((below: ReactNode) => ReactNode) | null {
  const [isDismissed, setDismissed] = useState(() => remembered('first-hour') === dismissed);
  // The first request does not take the list away while someone works through it.
  const [isBegun, setBegun] = useState(isNew);
  if (isNew && !isBegun) setBegun(true);
  if (!isBegun || isDismissed) return null;
  const dismiss = () => {
    remember('first-hour', dismissed);
    setDismissed(true);
  };
  return (below) => (
    <Suspense fallback={<SkeletonText lines={8} />}>
      <Checklist onDismiss={dismiss} />
      {below}
    </Suspense>
  );
}
