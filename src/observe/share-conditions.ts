/** Conditions of this process as every replica can read them: entries in the database that end by themselves with their process. */

import type { FleetEntry, FleetState } from '../routing/fleet/fleet-state.ts';
import { type Condition, type ConditionKind, type Conditions, conditionKinds } from './conditions.ts';

/** Written this often while anything is wrong, and gone so long after the last time. */
const everyMs = 10_000;
const keptMs = 45_000;
const textMax = 500;
const prefix = 'condition ';

/** A condition, and the process that has it. */
export interface ReplicaCondition extends Condition {
  readonly instanceId: string;
}

interface ShareParts {
  readonly conditions: Conditions;
  readonly state: FleetState;
  readonly instanceId: string;
}

interface SharedConditions {
  /** One exchange, where anything is to be written or withdrawn. */
  share(): Promise<void>;
  stop(): Promise<void>;
}

/** A database that is away is said elsewhere; the next round writes what this one could not. */
export function shareConditions({ conditions, state, instanceId }: ShareParts): SharedConditions {
  let shared: readonly string[] = [];
  const keyOf = (kind: ConditionKind): string => `${prefix}${instanceId} ${kind}`;

  async function write(all: readonly Condition[]): Promise<void> {
    const put = all.map(({ kind, text }) => ({ key: keyOf(kind), value: text.slice(0, textMax), leftMs: keptMs }));
    const keys = put.map(({ key }) => key);
    const remove = shared.filter((key) => !keys.includes(key)).map((key) => ({ key }));
    if (put.length + remove.length === 0) return;
    await state.exchange({ remove, put, claim: [] });
    shared = keys;
  }

  const share = (): Promise<void> => write(conditions.all).catch(() => undefined);
  const timer = setInterval(() => void share(), everyMs);
  void share();
  return {
    share,
    async stop() {
      clearInterval(timer);
      await write([]).catch(() => undefined);
    },
  };
}

/** Of every process that serves from the same database. */
export async function readConditions(state: FleetState): Promise<readonly ReplicaCondition[]> {
  const { entries = [] } = await state.exchange({ remove: [], put: [], claim: [] });
  return entries.flatMap(conditionIn);
}

function conditionIn({ key, value }: FleetEntry): readonly ReplicaCondition[] {
  if (!key.startsWith(prefix)) return [];
  const [instanceId = '', word] = key.slice(prefix.length).split(' ');
  const kind = conditionKinds.find((each) => each === word);
  return kind === undefined ? [] : [{ instanceId, kind, text: value }];
}
