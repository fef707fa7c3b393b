/** Keeps the end of a conversation in sight while a reply grows, however fast it does. */

import { type RefObject, useEffect, useRef } from 'react';

/** Nearer to the end than this counts as at the end. */
const endPx = 48;

interface Place {
  readonly top: number;
  /** From what is seen last to the end. */
  readonly leftPx: number;
}

/** Only scrolling up stops following: a reply that grows faster than it is drawn also moves the end away. */
export function isFollowingAt(wasFollowing: boolean, before: number, { top, leftPx }: Place): boolean {
  if (leftPx < endPx) return true;
  return wasFollowing && top >= before;
}

/** Stays at the end while the reply grows; after scrolling up it stays there until following is switched on again. */
export function useFollow(
  scroller: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
  conversationId: string,
): () => void {
  const isFollowing = useRef(true);
  useEffect(() => {
    const box = scroller.current;
    const grown = content.current;
    if (box === null || grown === null || conversationId === '') return undefined;
    isFollowing.current = true;
    let top = box.scrollTop;
    const look = () => {
      const leftPx = box.scrollHeight - box.scrollTop - box.clientHeight;
      isFollowing.current = isFollowingAt(isFollowing.current, top, { top: box.scrollTop, leftPx });
      top = box.scrollTop;
    };
    // A fast stream could move the end down in the same picture in which the wheel moved up.
    const turn = (event: WheelEvent) => {
      if (event.deltaY < 0 && box.scrollHeight > box.clientHeight) isFollowing.current = false;
    };
    const observer = new ResizeObserver(() => {
      if (!isFollowing.current) return;
      box.scrollTop = box.scrollHeight;
      top = box.scrollTop;
    });
    observer.observe(grown);
    // The line of facts and the composer grow too, and take the room from it.
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    box.addEventListener('wheel', turn, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
      box.removeEventListener('wheel', turn);
    };
  }, [scroller, content, conversationId]);
  return () => {
    isFollowing.current = true;
  };
}
