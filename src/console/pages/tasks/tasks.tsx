/** Videos in the making and those that are made: how far each is, what it shows, and what it cost. */

import { useMemo } from 'react';
import type { TaskRowView, TasksView } from '../../../admin/contracts/settings-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Table } from '../../components/table.tsx';
import { useSortedRows } from '../../components/tables/use-sort.ts';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { isSandboxOnly } from '../requests/sandbox-only.ts';
import { narrowTask, useTaskColumns } from './task-columns.tsx';
import { TaskFilter } from './task-filter.tsx';
import { TaskPanel } from './task-panel.tsx';

const tasksPath = '/console/api/tasks';
/** A task under way is worth a look every few seconds; where none is, a new one may come at any time. */
const everyMs = { busy: 2_000, calm: 15_000 } as const;

export function Page() {
  const words = useWords().tasks;
  const [state] = useQueryWord('state');
  const [model] = useQueryWord('model');
  const [after, setAfter] = useQueryWord('after');
  const [openId, setOpenId] = useQueryWord('task');
  const given = Object.entries({ state, model, after }).flatMap(([word, value]) =>
    value === undefined ? [] : [[word, value]],
  );
  const path = given.length === 0 ? tasksPath : `${tasksPath}?${new URLSearchParams(given)}`;
  const { data, error, refetch } = useTasks(path);
  const columns = useTaskColumns(after === undefined && data !== undefined && data.next === undefined);
  const { rows, sort } = useSortedRows(columns, data?.items);
  const open = data?.items.find(({ id }) => id === openId);
  return (
    <>
      <PageTools>{isSandboxOnly((data?.items ?? []).map(({ provider }) => provider)) && <SandboxBadge />}</PageTools>
      <div className="grid min-w-0 gap-3">
        <TaskFilter tasks={data?.items ?? []} />
        {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
        {(error === null || data !== undefined) && (
          <Table
            label={words.list}
            columns={columns}
            rows={rows}
            keyOf={keyOfTask}
            openKey={openId}
            onOpen={({ id }) => setOpenId(id)}
            sort={sort}
            narrow={narrowTask}
            empty={<NoTasks isNarrow={state !== undefined || model !== undefined} />}
          />
        )}
        {(after !== undefined || data?.next !== undefined) && (
          <nav aria-label={words.paging} className="flex justify-end gap-2">
            <Button size="small" disabled={after === undefined} onClick={() => setAfter(undefined)}>
              {words.newest}
            </Button>
            <Button size="small" disabled={data?.next === undefined} onClick={() => setAfter(data?.next)}>
              {words.older}
            </Button>
          </nav>
        )}
      </div>
      <TaskPanel task={open} onClose={() => setOpenId(undefined)} />
    </>
  );
}

const keyOfTask = ({ id }: TaskRowView): string => id;

function useTasks(path: string) {
  const first = useAsk<TasksView>(path);
  const isBusy = first.data?.items.some(({ state }) => state === 'queued' || state === 'in_progress') === true;
  return useAsk<TasksView>(path, { everyMs: isBusy ? everyMs.busy : everyMs.calm });
}

function NoTasks({ isNarrow }: { readonly isNarrow: boolean }) {
  const words = useWords().tasks;
  const navigation = useNavigation();
  const session = useSession();
  const showAll = useMemo(
    () => () =>
      navigation.go(withQuery(navigation.address(), { state: undefined, model: undefined, after: undefined })),
    [navigation],
  );
  return (
    <EmptyState
      icon={isNarrow ? 'search' : 'tasks'}
      title={isNarrow ? words.noneMatches : words.none}
      action={
        isNarrow ? (
          <Button onClick={showAll}>{words.clear}</Button>
        ) : (
          session.may('POST /console/api/playground-token') && (
            <Button kind="primary" icon="playground" onClick={() => navigation.go('/console/playground?tab=video')}>
              {words.openPlayground}
            </Button>
          )
        )
      }
    >
      {isNarrow ? words.noneMatchesHint : words.noneHint}
    </EmptyState>
  );
}
