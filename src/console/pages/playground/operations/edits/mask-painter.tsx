/** A picture that is painted on: by pointer with brush and eraser, or by numbers for those who use the keyboard. */

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import {
  drawMarks,
  type Mark,
  type MaskAction,
  type MaskState,
  type Point,
  placeOnPicture,
  type Size,
} from './mask.ts';
import { RectangleFields } from './rectangle-fields.tsx';

interface MaskPainterProps {
  readonly pictureUrl: string;
  readonly size: Size;
  readonly mask: MaskState;
  onChange(action: MaskAction): void;
}

type Tool = Mark['does'];

/** In hundredths of the picture's width, so that a brush is as wide on a large picture as on a small one. */
const widthShareDefault = 8;
const widthShareMax = 30;
/** Seen on every picture and in both themes; the canvas is half transparent. */
const paintColour = '#e5484d';

export function MaskPainter({ pictureUrl, size, mask, onChange }: MaskPainterProps) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.edits;
  const [tool, setTool] = useState<Tool>('paint');
  const [widthShare, setWidthShare] = useState(widthShareDefault);
  const press = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    if (event.target instanceof HTMLInputElement && event.target.type === 'number') return;
    event.preventDefault();
    onChange({ type: event.shiftKey ? 'redo' : 'undo' });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are a shortcut for the buttons inside.
    <div onKeyDown={press} className="grid gap-3">
      <PaintedPicture
        pictureUrl={pictureUrl}
        size={size}
        marks={mask.marks}
        tool={tool}
        widthPx={(size.width * widthShare) / 100}
        onMark={(mark) => onChange({ type: 'add', mark })}
      />
      <p className="text-xs text-quiet">{words.paintHint}</p>
      <div className="flex flex-wrap items-center gap-2">
        <ToolChoice tool={tool} onChoose={setTool} />
        <Button size="small" disabled={mask.marks.length === 0} onClick={() => onChange({ type: 'undo' })}>
          {words.undo}
        </Button>
        <Button size="small" disabled={mask.undone.length === 0} onClick={() => onChange({ type: 'redo' })}>
          {words.redo}
        </Button>
        <Button
          size="small"
          kind="quiet"
          disabled={mask.marks.length === 0}
          onClick={() => onChange({ type: 'clear' })}
        >
          {words.clear}
        </Button>
      </div>
      <label className="flex items-center gap-3 text-sm">
        <span className="shrink-0">{words.width}</span>
        <input
          type="range"
          min={1}
          max={widthShareMax}
          value={widthShare}
          onChange={(event) => setWidthShare(Number(event.target.value))}
          className="min-w-0 grow accent-(--accent)"
        />
      </label>
      <RectangleFields size={size} onMark={(mark) => onChange({ type: 'add', mark })} />
      <p role="status" className="sr-only">
        {words.painted(countText(mask.marks.length, tag))}
      </p>
    </div>
  );
}

function ToolChoice({ tool, onChoose }: { readonly tool: Tool; readonly onChoose: (tool: Tool) => void }) {
  const words = useSpeech().words.operations.edits;
  const options = [
    { value: 'paint', label: words.brush },
    { value: 'erase', label: words.eraser },
  ] as const;
  return (
    <fieldset className="flex overflow-hidden rounded-md border border-line-strong">
      <legend className="sr-only">{words.tool}</legend>
      {options.map(({ value, label }) => (
        <label
          key={value}
          className="flex h-7 cursor-pointer items-center px-2.5 text-sm font-medium has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="mask-tool"
            className="sr-only"
            checked={tool === value}
            onChange={() => onChoose(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface PaintedPictureProps {
  readonly pictureUrl: string;
  readonly size: Size;
  readonly marks: readonly Mark[];
  readonly tool: Tool;
  readonly widthPx: number;
  onMark(mark: Mark): void;
}

function PaintedPicture({ pictureUrl, size, marks, tool, widthPx, onMark }: PaintedPictureProps) {
  const words = useSpeech().words.operations.edits;
  const canvas = useRef<HTMLCanvasElement>(null);
  // Moves come faster than pictures are drawn: what is being painted is collected here, and shown when there is time.
  const going = useRef<Point[]>(undefined);
  const [count, setCount] = useState(0);
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (pen === undefined || pen === null) return;
    const points = going.current;
    const latest: readonly Mark[] =
      points === undefined || count === 0 ? [] : [{ kind: 'stroke', does: tool, widthPx, points }];
    drawMarks(pen, [...marks, ...latest], size, paintColour);
  }, [marks, count, size, tool, widthPx]);
  const add = (event: PointerEvent<HTMLCanvasElement>) => {
    const shown = event.currentTarget.getBoundingClientRect();
    going.current?.push(placeOnPicture({ x: event.clientX, y: event.clientY }, shown, size));
    setCount(going.current?.length ?? 0);
  };
  const end = () => {
    const points = going.current;
    going.current = undefined;
    setCount(0);
    if (points !== undefined && points.length > 0) onMark({ kind: 'stroke', does: tool, widthPx, points });
  };
  return (
    <div className="relative overflow-hidden rounded-md border border-line bg-sunken">
      <img
        src={pictureUrl}
        alt={words.picture}
        width={size.width}
        height={size.height}
        className="block h-auto w-full"
      />
      <canvas
        ref={canvas}
        width={size.width}
        height={size.height}
        role="img"
        aria-label={words.canvas}
        className="absolute inset-0 size-full cursor-crosshair touch-none opacity-55"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          going.current = [];
          add(event);
        }}
        onPointerMove={(event) => going.current !== undefined && add(event)}
        onPointerUp={end}
        onPointerCancel={end}
      />
    </div>
  );
}
