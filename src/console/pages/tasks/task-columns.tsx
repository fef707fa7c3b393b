/** The columns of the list of tasks. */

import { useMemo } from 'react';
import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';
import { Money, Time } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
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

export function useTaskColumns(): readonly Column<TaskRowView>[] {
  const words = useWords().tasks.columns;
  return useMemo(
    () => [
      { id: 'preview', head: words.preview, widthPx: 88, cell: (task) => <FirstFrame task={task} /> },
      { id: 'state', head: words.state, widthPx: 120, cell: (task) => <StateBadge task={task} /> },
      { id: 'progress', head: words.progress, widthPx: 180, cell: (task) => <TaskProgress task={task} /> },
      { id: 'model', head: words.model, cell: ({ model }) => model },
      { id: 'provider', head: words.provider, cell: ({ provider }) => <span className="text-quiet">{provider}</span> },
      {
        id: 'token',
        head: words.token,
        cell: ({ tokenName, tokenId }) => <span className="text-quiet">{tokenName ?? tokenId}</span>,
      },
      { id: 'created', head: words.created, widthPx: 110, cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        id: 'cost',
        head: words.cost,
        align: 'end',
        widthPx: 96,
        cell: ({ costUsd }) => <Money nano={costUsd && nanoOfUsd(costUsd)} />,
      },
    ],
    [words],
  );
}
