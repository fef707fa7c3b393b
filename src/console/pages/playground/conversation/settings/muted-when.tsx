/** Draws a field back that is kept and not sent; it can still be changed or emptied, so it is not disabled. */

import type { ReactNode } from 'react';

const mutedShape =
  'text-quiet [&_:is(input,select,textarea)]:border-dashed [&_:is(input,select,textarea)]:bg-transparent ' +
  '[&_:is(input,select,textarea)]:text-quiet';

export function MutedWhen({
  isMuted,
  className = '',
  children,
}: {
  readonly isMuted: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return <div className={`grid content-start gap-2 ${isMuted ? mutedShape : ''} ${className}`}>{children}</div>;
}
