/** A chart that can also be heard: lines or stacked areas over time, a legend with the values under the crosshair, and a table. */

import { useEffect, useId, useRef, useState } from 'react';
import { Skeleton } from '../components/skeleton.tsx';
import { exactTimeText } from '../texts/time.ts';
import { themeChanged } from '../theme/theme.ts';
import { useSpeech, useWords } from '../words/use-words.tsx';
import { colourOf, type Series } from './chart-data.ts';
import { type Painting, painted } from './painted.ts';

interface ChartProps {
  readonly title: string;
  readonly kind?: Painting['kind'];
  /** Seconds since 1970, ascending. */
  readonly timesS: readonly number[];
  readonly series: readonly Series[];
  readonly heightPx?: number;
  readonly together?: string;
  format(value: number): string;
}

export function Chart(props: ChartProps) {
  const { title, series, timesS, format, heightPx = 200 } = props;
  const [moment, setMoment] = useState<number>();
  const heading = useId();
  return (
    <figure aria-labelledby={heading} className="relative min-w-0 rounded-md border border-line bg-raised p-4">
      <figcaption className="grid gap-1 pb-3">
        <span id={heading} className="font-semibold">
          {title}
        </span>
        <Legend series={series} moment={moment} format={format} />
      </figcaption>
      <Canvas {...props} heightPx={heightPx} onPoint={setMoment} />
      <DataTable title={title} series={series} timesS={timesS} format={format} />
    </figure>
  );
}

function Legend({
  series,
  moment,
  format,
}: {
  readonly series: readonly Series[];
  readonly moment: number | undefined;
  readonly format: (value: number) => string;
}) {
  const words = useWords().parts;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-quiet">
      {series.map((one) => {
        const value = moment === undefined ? undefined : one.values[moment];
        return (
          <li key={one.name} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="h-0.5 w-3 rounded-sm"
              style={{ background: `var(--series-${colourOf(one)})` }}
            />
            {one.name}
            {moment !== undefined && (
              <span className="font-mono text-text tabular-nums">
                {value === undefined ? words.gap : format(value)}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type CanvasProps = ChartProps & { readonly heightPx: number; readonly onPoint: (moment: number | undefined) => void };

/** The drawing library arrives with the first chart; until then its place is held. */
function Canvas({ kind = 'lines', timesS, series, heightPx, together, format, onPoint }: CanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const { tag } = useSpeech();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    let left = false;
    let end: (() => void) | undefined;
    void import('uplot').then(({ default: Plot }) => {
      if (left) return;
      const draw = () => {
        const widthPx = element.clientWidth;
        const painting = { kind, timesS, series, widthPx, heightPx, together, tag, format, onPoint };
        const { options, data } = painted(painting, element);
        return new Plot(options, data, element);
      };
      let plot = draw();
      setReady(true);
      const repaint = () => {
        plot.destroy();
        plot = draw();
      };
      const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
      watcher.observe(element);
      const system = matchMedia('(prefers-color-scheme: dark)');
      system.addEventListener('change', repaint);
      addEventListener(themeChanged, repaint);
      end = () => {
        watcher.disconnect();
        system.removeEventListener('change', repaint);
        removeEventListener(themeChanged, repaint);
        plot.destroy();
      };
    });
    return () => {
      left = true;
      end?.();
    };
  }, [kind, timesS, series, heightPx, together, tag, format, onPoint]);
  return (
    <div className="relative" style={{ height: heightPx }} aria-hidden="true">
      {!ready && <Skeleton className="absolute inset-0 size-full" />}
      <div ref={host} className="absolute inset-0" />
    </div>
  );
}

function DataTable({ title, series, timesS, format }: Pick<ChartProps, 'title' | 'series' | 'timesS' | 'format'>) {
  const { tag, words } = useSpeech();
  return (
    // A table cannot be made small by itself; its wrapper can.
    <div className="sr-only">
      <table>
        <caption>{words.parts.chartTable(title)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.parts.chartTime}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {timesS.map((at, moment) => (
            <tr key={at}>
              <th scope="row">{exactTimeText(at * 1_000, tag)}</th>
              {series.map(({ name, values }) => {
                const value = values[moment];
                return <td key={name}>{value === undefined ? words.parts.gap : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
