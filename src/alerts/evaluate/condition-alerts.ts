/** What processes of Weir say is wrong with themselves while they serve. */

import type { ConditionKind } from '../../observe/conditions.ts';
import type { ReplicaCondition } from '../../observe/share-conditions.ts';
import type { NewAlert } from '../../store/alerts/alert-records.ts';
import { lasting } from './finding.ts';

const titles: Readonly<Record<ConditionKind, string>> = {
  clock: 'The clock of a machine is wrong',
  redis: 'Redis cannot be used',
  records: 'Records could not be written',
};

export const conditionSubject = ({ instanceId, kind }: Pick<ReplicaCondition, 'instanceId' | 'kind'>): string =>
  `replica:${instanceId}/${kind}`;

export function conditionAlerts(conditions: readonly ReplicaCondition[]): readonly NewAlert[] {
  return conditions.map((condition) => ({
    kind: 'replica-fault',
    subject: conditionSubject(condition),
    subjectName: `replica ${condition.instanceId}`,
    occurrence: lasting,
    threshold: 'present',
    severity: 'critical',
    title: titles[condition.kind],
    detail: condition.text,
    facts: { instance: condition.instanceId, condition: condition.kind },
    state: 'open',
  }));
}
