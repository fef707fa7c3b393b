/** The columns of the list of tasks. */

import { useMemo } from 'react';
import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';
import { Money, Time } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useWords } from '../../words/use-words.tsx';
import { FirstFrame } from './first-frame.tsx';

const tones: Readonly<Record<TaskRowView['state'], Tone>> = {
  queued: 'plain',
  in_progress: 'accent',
  completed: 'ok',
  failed: 'bad',
};

export function StateBadge({ task }: { readonly task: TaskRowView }) {
  const words = useWords().tasks;
  if (task.isDeleted) return <Badge>{words.deleted}</Badge>;
  return (
    <Badge tone={tones[task.state]} dot>
      {words.states[task.state]}
    </Badge>
  );
}

export function TaskProgress({ task }: { readonly task: TaskRowView }) {
  const words = useWords().tasks;
  const percent = task.state === 'completed' ? 100 : Math.max(0, Math.min(100, Math.round(task.percent)));
  return (
    <span className="flex items-center gap-2">
      <span
        role="progressbar"
        aria-label={words.columns.progress}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words.percent(`${percent}`, words.states[task.state])}
        className="block h-1.5 w-24 overflow-hidden rounded-sm bg-pressed"
      >
        <span
          className={`block h-full transition-[width] duration-[160ms] ${task.state === 'failed' ? 'bg-bad' : 'bg-accent'}`}
          style={{ width: `${percent}%` }}
        />
      </span>
      <span className="w-10 text-right font-mono text-xs tabular-nums">{percent} %</span>
    </span>
  );
}

/** A task on a phone. */
export function narrowTask(task: TaskRowView): NarrowRow {
  const { model, createdAt, tokenName, tokenId, costUsd } = task;
  return {
    title: model,
    titleEnd: <StateBadge task={task} />,
    detail: (
      <>
        <Time at={createdAt} /> · {tokenName ?? tokenId}
      </>
    ),
    detailEnd: <Money nano={costUsd && nanoOfUsd(costUsd)} />,
  };
}

/** `sortable`: the tasks are all there are. */
export function useTaskColumns(sortable: boolean): readonly Column<TaskRowView>[] {
  const words = useWords().tasks.columns;
  const columns = useMemo(
    (): readonly Column<TaskRowView>[] => [
      { id: 'preview', head: words.preview, widthPx: 88, cell: (task) => <FirstFrame task={task} /> },
      {
        id: 'state',
        head: words.state,
        widthPx: 120,
        sortBy: ({ state }) => state,
        cell: (task) => <StateBadge task={task} />,
      },
      { id: 'progress', head: words.progress, widthPx: 180, drop: 4, cell: (task) => <TaskProgress task={task} /> },
      { id: 'model', head: words.model, minPx: 190, sortBy: ({ model }) => model, cell: ({ model }) => model },
      {
        id: 'provider',
        head: words.provider,
        drop: 3,
        sortBy: ({ provider }) => provider,
        cell: ({ provider }) => <span className="text-quiet">{provider}</span>,
      },
      {
        id: 'token',
        head: words.token,
        drop: 2,
        sortBy: ({ tokenName, tokenId }) => tokenName ?? tokenId,
        cell: ({ tokenName, tokenId }) => <span className="text-quiet">{tokenName ?? tokenId}</span>,
      },
      {
        id: 'created',
        head: words.created,
        widthPx: 110,
        drop: 1,
        sortBy: ({ createdAt }) => createdAt,
        cell: ({ createdAt }) => <Time at={createdAt} />,
      },
      {
        id: 'cost',
        head: words.cost,
        align: 'end',
        widthPx: 96,
        sortBy: ({ costUsd }) => (costUsd === undefined || costUsd === null ? undefined : Number(costUsd)),
        cell: ({ costUsd }) => <Money nano={costUsd && nanoOfUsd(costUsd)} />,
      },
    ],
    [words],
  );
  return useMemo(() => (sortable ? columns : columns.map(({ sortBy: _, ...column }) => column)), [columns, sortable]);
}
