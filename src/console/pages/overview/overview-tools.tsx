/** What the overview is narrowed to, grouped by and taken away as: above its figures, always in the same place. */

import type { Dimension } from '../../../admin/contracts/analytics-contract.ts';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../filter/filter-bar.tsx';
import type { Filter } from '../../filter/use-filter.ts';
import type { Zoom } from '../../range/use-range.ts';
import { ExportMenu } from '../../usage/export-menu.tsx';
import type { UsageQuestion } from '../../usage/question.ts';
import type { Interval } from '../../usage/use-interval.ts';
import { useWords } from '../../words/use-words.tsx';
import { GroupBy } from './breakdown/group-by.tsx';

interface OverviewToolsProps {
  readonly question: UsageQuestion;
  readonly filter: Filter;
  readonly by: Dimension | undefined;
  readonly interval: Interval;
  readonly zoom: Zoom;
  onGroup(by: Dimension | undefined): void;
}

export function OverviewTools({ question, filter, by, interval, zoom, onGroup }: OverviewToolsProps) {
  const words = useWords().usage;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <div className="min-w-0 grow basis-96">
        <FilterBar {...filter} onChange={filter.set} onBegin={filter.begin} />
      </div>
      {zoom.reset !== undefined && <Button onClick={zoom.reset}>{words.resetZoom}</Button>}
      {interval.choose !== undefined && <IntervalChoice interval={interval} />}
      <GroupBy by={by} onChoose={onGroup} />
      <ExportMenu question={question} size="medium" />
    </div>
  );
}

function IntervalChoice({ interval }: { readonly interval: Interval }) {
  const { bucket } = useWords().usage;
  const shape = (isOn: boolean) =>
    `h-full cursor-pointer px-3 text-sm font-medium focus-visible:outline-offset-[-2px] ${isOn ? 'bg-wash text-accent' : 'text-quiet hover:bg-sunken'}`;
  return (
    <fieldset
      aria-label={bucket.label}
      className="inline-flex h-8 shrink-0 overflow-hidden rounded-md border border-line bg-raised"
    >
      {([true, false] as const).map((isByDay) => (
        <button
          key={`${isByDay}`}
          type="button"
          aria-pressed={interval.isByDay === isByDay}
          onClick={() => interval.choose?.(isByDay)}
          className={shape(interval.isByDay === isByDay)}
        >
          {isByDay ? bucket.day : bucket.hour}
        </button>
      ))}
    </fieldset>
  );
}
