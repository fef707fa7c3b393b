/** Axes, bars and lines as vector shapes; their colors are the theme's own, so that a change of theme needs no repainting. */

import { useId } from 'react';
import { useSpeech } from '../words/use-words.tsx';
import type { Bucket } from './buckets.ts';
import { colourOf, type Series } from './chart-data.ts';
import { barPaths, linePaths, type Plane } from './shapes.ts';
import { tickText, timeTicks, valueTicks } from './ticks.ts';

/** Where a chart draws, in pixels, and what its axes cover. */
export interface Place extends Plane {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly fromS: number;
  readonly toS: number;
  readonly highest: number;
  timeAt(share: number): number;
}

const labelPx = 84;
const textShape = 'fill-quiet text-[11px]';

interface AxesProps {
  readonly place: Place;
  readonly bare: boolean;
  format(value: number): string;
}

export function Axes({ place, bare, format }: AxesProps) {
  const { tag } = useSpeech();
  const { left, top, width, height, fromS, toS, highest, x, y } = place;
  const ground = top + height;
  return (
    <>
      {!bare &&
        valueTicks(highest).map((value) => (
          <g key={value}>
            <line x1={left} x2={left + width} y1={y(value)} y2={y(value)} className="stroke-line" />
            <text x={left - 8} y={y(value) + 4} textAnchor="end" className={textShape}>
              {format(value)}
            </text>
          </g>
        ))}
      {bare && <line x1={left} x2={left + width} y1={ground} y2={ground} className="stroke-line" />}
      {timeTicks(fromS, toS, width / labelPx).map((atS) => (
        <text key={atS} x={x(atS)} y={ground + (bare ? 14 : 20)} textAnchor={anchorOf(x(atS))} className={textShape}>
          {tickText(atS, tag)}
        </text>
      ))}
    </>
  );

  /** A label at the edge of a chart without margins must not be cut. */
  function anchorOf(px: number): 'start' | 'middle' | 'end' {
    if (!bare) return 'middle';
    if (px < left + labelPx / 4) return 'start';
    return px > left + width - labelPx / 4 ? 'end' : 'middle';
  }
}

interface ShapesProps {
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  readonly rows: readonly (readonly (number | null)[])[];
  readonly place: Place;
}

const colorOf = (one: Series): string => `var(--series-${colourOf(one)})`;

export function Bars({ buckets, series, rows, place }: ShapesProps) {
  const prefix = useId().replace(/\W/g, '');
  return series.map((one, at) => {
    const { whole, partial } = barPaths(buckets, rows[at] ?? [], rows[at - 1], place);
    const hatch = `${prefix}-${at}`;
    return (
      <g key={one.name}>
        {whole !== '' && <path d={whole} style={{ fill: colorOf(one) }} />}
        {partial !== '' && (
          <>
            <defs>
              <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="6" height="6" style={{ fill: colorOf(one), opacity: 0.25 }} />
                <rect width="2.5" height="6" style={{ fill: colorOf(one) }} />
              </pattern>
            </defs>
            <path data-partial="" d={partial} fill={`url(#${hatch})`} />
          </>
        )}
      </g>
    );
  });
}

export function Lines({ buckets, series, rows, place }: ShapesProps) {
  return series.map((one, at) => {
    const { solid, dashed, points } = linePaths(buckets, rows[at] ?? [], place);
    const shape = { className: 'fill-none', strokeWidth: 1.5, style: { stroke: colorOf(one) } };
    return (
      <g key={one.name}>
        {solid !== '' && <path d={solid} {...shape} />}
        {dashed !== '' && <path data-partial="" d={dashed} strokeDasharray="4 3" {...shape} />}
        {points.map(([left, top]) => (
          <circle key={left} cx={left} cy={top} r={2.5} style={{ fill: colorOf(one) }} />
        ))}
      </g>
    );
  });
}
