/** Video tasks as an account sees them: those of all tokens, or of its own and of teams whose admin or viewer it is. */

import { usdText } from '../../ledger/money.ts';
import { chargingPrice } from '../../ledger/unpriced.ts';
import { readPrice } from '../../prices/price-text.ts';
import type { PagedTask, TaskFilter, TaskPageStore } from '../../store/tasks/task-pages.ts';
import { type Actor, narrowedTo } from '../accounts/sessions.ts';
import type { TaskRowView, TasksView } from '../contracts/settings-contract.ts';
import { cursorOf, cursorText } from '../page.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';

interface TaskAdminOptions {
  readonly table: TaskPageStore;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
  readonly nowMs: () => number;
}

interface TaskQuery {
  readonly filter: Pick<TaskFilter, 'state' | 'model' | 'tokenId' | 'unitId'>;
  readonly limit: number;
  readonly after?: string | undefined;
}

export interface TaskAdmin {
  /** Newest first. */
  list(actor: Actor, query: TaskQuery): Promise<TasksView>;
}

export const taskStates = ['queued', 'in_progress', 'completed', 'failed'] as const;

export function createTaskAdmin({ table, tokenName, nowMs }: TaskAdminOptions): TaskAdmin {
  return {
    async list(actor, { filter, limit, after }) {
      const page = await table.list({ ...filter, seenBy: narrowedTo(actor) }, { limit, after: cursorOf(after) });
      const ids = [...new Set(page.items.map(({ task }) => task.tokenId))];
      const names = new Map(await Promise.all(ids.map(async (id) => [id, await tokenName(id)] as const)));
      const items = page.items.map((paged) => rowView(paged, names.get(paged.task.tokenId), nowMs()));
      return page.next === undefined ? { items } : { items, next: cursorText(page.next) };
    },
  };
}

function rowView({ task, costNano }: PagedTask, name: string | undefined, nowMs: number): TaskRowView {
  const { facts, requested, endedAtMs, expiresAtMs } = task;
  const isDeleted = task.deletedAtMs !== undefined;
  // Results are removed now and then; they count as gone from their expiry on.
  const lasts = !isDeleted && (expiresAtMs === undefined || expiresAtMs > nowMs);
  return withoutAbsent<TaskRowView>({
    id: task.id,
    requestId: task.requestId,
    tokenId: task.tokenId,
    tokenName: name,
    model: task.model,
    provider: task.provider,
    state: task.state,
    percent: task.percent,
    seconds: facts.seconds ?? requested.seconds,
    size: sizeOf(facts) ?? requested.size ?? sizeOf(requested),
    createdAt: new Date(task.createdAtMs).toISOString(),
    endedAt: timeOf(endedAtMs),
    expiresAt: timeOf(expiresAtMs),
    costUsd: costNano === undefined ? undefined : costText(task, costNano),
    error: task.error,
    isDeleted,
    videos: lasts
      ? task.results.map(({ mediaType }, index) => ({
          path: `/console/api/tasks/${encodeURIComponent(task.id)}/videos/${index}`,
          mediaType,
        }))
      : [],
  });
}

/** A video that was made without a price has an unknown cost; one that failed for nothing cost nothing. */
function costText({ terms, state, guessed }: PagedTask['task'], costNano: bigint): string | null {
  if (costNano > 0n || !(state === 'completed' || guessed)) return usdText(costNano);
  const price = terms.price === undefined ? undefined : readPrice(terms.price);
  return chargingPrice(price, costNano, terms.most) === undefined ? null : usdText(costNano);
}

const timeOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

function sizeOf({ width, height }: PagedTask['task']['facts']): string | undefined {
  return width === undefined || height === undefined ? undefined : `${width}x${height}`;
}
