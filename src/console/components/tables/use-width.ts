/** The width of an element while it is shown. */

import { type RefObject, useLayoutEffect, useState } from 'react';

/** Undefined before the first layout, which is before anything is painted. */
export function useWidth(element: RefObject<HTMLElement | null>): number | undefined {
  const [widthPx, setWidthPx] = useState<number>();
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = () => setWidthPx(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
}
