/** Drags a box with pointer, pen or finger: it follows, the column below it lights up, and letting go drops it there. */

import { type MouseEvent, type PointerEvent, type RefObject, useRef } from 'react';

/** Less is a press by an unsteady hand. */
const dragBeginsPx = 5;

interface Drag {
  readonly pointerId: number;
  readonly fromX: number;
  readonly fromY: number;
  isMoving: boolean;
}

/** Tells the number of the tier that the box was dropped on. */
export function useTargetDrag(picture: RefObject<HTMLElement | null>, onDrop: (tier: number) => void) {
  const drag = useRef<Drag>(undefined);
  const hasDropped = useRef(false);
  const end = (box: HTMLElement) => {
    const wasMoving = drag.current?.isMoving === true;
    drag.current = undefined;
    delete box.dataset['dragged'];
    box.style.transform = '';
    lightUp(picture.current, undefined);
    return wasMoving;
  };
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      hasDropped.current = false;
      if (event.button !== 0) return;
      const { pointerId, clientX: fromX, clientY: fromY } = event;
      // At once: a quick hand is outside the box with its first move.
      event.currentTarget.setPointerCapture(pointerId);
      drag.current = { pointerId, fromX, fromY, isMoving: false };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const held = drag.current;
      if (held === undefined || held.pointerId !== event.pointerId) return;
      const [x, y] = [event.clientX - held.fromX, event.clientY - held.fromY];
      if (!held.isMoving && Math.hypot(x, y) < dragBeginsPx) return;
      const box = event.currentTarget;
      if (!held.isMoving) {
        held.isMoving = true;
        box.dataset['dragged'] = '';
      }
      box.style.transform = `translate(${x}px, ${y}px)`;
      lightUp(picture.current, columnAt(picture.current, event.clientX));
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const column = columnAt(picture.current, event.clientX);
      hasDropped.current = end(event.currentTarget);
      if (hasDropped.current && column !== undefined) onDrop(Number(column.dataset['tier']));
    },
    /** Letting go is no press. */
    onClickCapture(event: MouseEvent<HTMLElement>) {
      if (hasDropped.current) event.stopPropagation();
      hasDropped.current = false;
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      end(event.currentTarget);
    },
  };
}

/** By its left and right alone: whoever drags a little too high still means the column. */
function columnAt(picture: HTMLElement | null, x: number): HTMLElement | undefined {
  return [...(picture?.querySelectorAll<HTMLElement>('[data-tier]') ?? [])].find((column) => {
    const { left, right } = column.getBoundingClientRect();
    return x >= left && x <= right;
  });
}

function lightUp(picture: HTMLElement | null, column: HTMLElement | undefined): void {
  for (const each of picture?.querySelectorAll<HTMLElement>('[data-column]') ?? []) {
    if (each.parentElement === column) each.dataset['over'] = '';
    else delete each.dataset['over'];
  }
}
