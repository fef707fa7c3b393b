/** Pointing at a chart and selecting a part of it, by pointer and by keyboard alike. */

import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { type Bucket, bucketAt, middleOf, type Span } from './buckets.ts';

interface PointingOptions {
  readonly buckets: readonly Bucket[];
  /** The bucket under the crosshair, which another chart may have moved. */
  readonly current: number | undefined;
  /** The time at a distance from the left edge, as a share of the width. */
  timeAt(share: number): number;
  point(atS: number | undefined): void;
  readonly onZoom: ((fromMs: number, toMs: number) => void) | undefined;
  /** One bucket is worth a click. */
  readonly zoomOnClick: boolean;
}

/** Two times, because places change while new buckets arrive. */
export interface Selection {
  readonly anchorS: number;
  readonly headS: number;
}

/** Whole buckets, the earlier one first. */
export function selectedSpan(buckets: readonly Bucket[], { anchorS, headS }: Selection): Span | undefined {
  const first = buckets[bucketAt(buckets, Math.min(anchorS, headS)) ?? 0];
  const last = buckets[bucketAt(buckets, Math.max(anchorS, headS)) ?? 0];
  return first === undefined || last === undefined ? undefined : { fromS: first.fromS, toS: last.toS };
}

/** A hand is never quite still: less than this is a click. */
const dragPxMin = 5;

export function usePointing({ buckets, current, timeAt, point, onZoom, zoomOnClick }: PointingOptions) {
  const [selection, setSelection] = useState<Selection>();
  const [isOver, setOver] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const pressed = useRef<{ readonly x: number; readonly atS: number }>(undefined);

  /** The middle of a bucket, which stays in it however many others there are. */
  const middleAt = (index: number | undefined) => {
    const bucket = index === undefined ? undefined : buckets[index];
    return bucket === undefined ? undefined : middleOf(bucket);
  };
  const pointedAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return middleAt(bucketAt(buckets, timeAt(width === 0 ? 0 : (clientX - left) / width)));
  };
  const zoom = (selected: Selection) => {
    const span = selectedSpan(buckets, selected);
    setSelection(undefined);
    if (span !== undefined) onZoom?.(span.fromS * 1_000, span.toS * 1_000);
  };
  const end = () => {
    pressed.current = undefined;
    setSelection(undefined);
  };

  const handlers = {
    onPointerEnter: () => setOver(true),
    onPointerLeave: () => {
      setOver(false);
      if (pressed.current === undefined) point(undefined);
    },
    onPointerDown: (event: PointerEvent) => {
      const atS = pointedAt(event);
      if (event.button !== 0 || atS === undefined || onZoom === undefined) return;
      pressed.current = { x: event.clientX, atS };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const atS = pointedAt(event);
      point(atS);
      const from = pressed.current;
      if (from === undefined || atS === undefined) return;
      const isDrag = selection !== undefined || Math.abs(event.clientX - from.x) >= dragPxMin;
      if (isDrag) setSelection({ anchorS: from.atS, headS: atS });
    },
    onPointerUp: () => {
      const from = pressed.current;
      pressed.current = undefined;
      if (from === undefined) return;
      if (selection !== undefined) zoom(selection);
      else if (zoomOnClick) zoom({ anchorS: from.atS, headS: from.atS });
    },
    onPointerCancel: end,
    onFocus: () => {
      setFocused(true);
      if (current === undefined && pressed.current === undefined) point(middleAt(buckets.length - 1));
    },
    onBlur: () => {
      setFocused(false);
      end();
      point(undefined);
    },
    onKeyDown: (event: KeyboardEvent) =>
      pressKey(event, {
        buckets,
        current,
        selection,
        point,
        select: setSelection,
        zoom,
        canZoom: onZoom !== undefined,
      }),
  };
  return { handlers, selection, isActive: isOver || isFocused };
}

interface KeyState {
  readonly buckets: readonly Bucket[];
  readonly current: number | undefined;
  readonly selection: Selection | undefined;
  readonly canZoom: boolean;
  point(atS: number): void;
  select(selection: Selection | undefined): void;
  zoom(selection: Selection): void;
}

/** Arrows move, with Shift they select, Enter zooms; Escape takes a selection back, and without one is left to the page. */
function pressKey(event: KeyboardEvent, { buckets, current, selection, canZoom, point, select, zoom }: KeyState): void {
  const last = buckets.length - 1;
  const here = current ?? last;
  const places: Readonly<Record<string, number>> = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last };
  const place = places[event.key];
  const [bucket, next] = [buckets[here], buckets[Math.max(0, Math.min(last, place ?? here))]];
  if (bucket === undefined || next === undefined) return;
  const [hereS, nextS] = [middleOf(bucket), middleOf(next)];
  if (place !== undefined) {
    select(event.shiftKey && canZoom ? { anchorS: selection?.anchorS ?? hereS, headS: nextS } : undefined);
    point(nextS);
  } else if (event.key === 'Enter' && canZoom) zoom(selection ?? { anchorS: hereS, headS: hereS });
  else if (event.key === 'Escape' && selection !== undefined) select(undefined);
  else return;
  event.preventDefault();
}
