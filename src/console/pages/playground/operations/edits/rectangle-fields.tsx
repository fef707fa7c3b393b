/** Paints by numbers what others paint by hand: a rectangle with its place and size in pixels of the picture. */

import { useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import { boxWithin, type Mark, type Size } from './mask.ts';

export function RectangleFields({ size, onMark }: { readonly size: Size; readonly onMark: (mark: Mark) => void }) {
  const words = useWords().operations.edits;
  const [left, setLeft] = useState(String(Math.round(size.width / 4)));
  const [top, setTop] = useState(String(Math.round(size.height / 4)));
  const [width, setWidth] = useState(String(Math.round(size.width / 2)));
  const [height, setHeight] = useState(String(Math.round(size.height / 2)));
  const [isOutside, setIsOutside] = useState(false);
  const mark = (does: Mark['does']) => {
    const box = boxWithin({ x: Number(left), y: Number(top), width: Number(width), height: Number(height) }, size);
    setIsOutside(box === undefined);
    if (box !== undefined) onMark({ kind: 'box', does, box });
  };
  const numbers = [
    { label: words.left, value: left, set: setLeft, most: size.width },
    { label: words.top, value: top, set: setTop, most: size.height },
    { label: words.boxWidth, value: width, set: setWidth, most: size.width },
    { label: words.boxHeight, value: height, set: setHeight, most: size.height },
  ];
  return (
    <details className="rounded-md border border-line">
      <summary className="cursor-pointer px-3 py-1.5 text-sm font-medium">{words.rectangle}</summary>
      <div className="grid gap-3 p-3 pt-1">
        <div className="grid grid-cols-4 gap-2">
          {numbers.map(({ label, value, set, most }) => (
            <Field
              key={label}
              label={label}
              type="number"
              min={0}
              max={most}
              mono
              value={value}
              onChange={(event) => set(event.target.value)}
            />
          ))}
        </div>
        {isOutside && (
          <p role="alert" className="text-xs text-bad">
            {words.outside}
          </p>
        )}
        <div className="flex gap-2">
          <Button size="small" onClick={() => mark('paint')}>
            {words.paintBox}
          </Button>
          <Button size="small" onClick={() => mark('erase')}>
            {words.eraseBox}
          </Button>
        </div>
      </div>
    </details>
  );
}
