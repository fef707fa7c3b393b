/** The filter that the URL holds, and what there is to choose from in the range that is shown. */

import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { ChosenRange } from '../range/range.ts';
import { queryOf } from '../router/navigation.ts';
import { useAddress, useNavigation } from '../router/router.tsx';
import { breakdownQuery } from '../usage/use-breakdown.ts';
import { useOverview } from '../usage/use-overview.ts';
import { useWords } from '../words/use-words.tsx';
import { addressWith, type Condition, readConditions } from './filter.ts';
import { fixedValues, type KnownValues } from './suggestions.ts';

export interface Filter {
  readonly conditions: readonly Condition[];
  set(conditions: readonly Condition[]): void;
  readonly known: KnownValues;
  begin(): void;
}

/** Their values are in no overview. */
const brokenDown = ['label', 'owner', 'team', 'project', 'user', 'tag', 'key'] as const;
const valuesMax = 50;
const noConditions: readonly Condition[] = [];

interface Named {
  readonly key: string;
  readonly label: string;
}

const valuesOf = (groups: readonly Named[] | undefined) =>
  (groups ?? []).filter(({ key }) => key !== '').map(({ key, label }) => ({ value: key, label }));

export function useFilter(range: ChosenRange): Filter {
  const navigation = useNavigation();
  const text = queryOf(useAddress()).toString();
  const conditions = useMemo(() => readConditions(new URLSearchParams(text)), [text]);
  const set = useCallback(
    (next: readonly Condition[]) => navigation.go(addressWith(navigation.address(), next)),
    [navigation],
  );
  const [hasBegun, setBegun] = useState(false);
  const known = useKnownValues(range, conditions, hasBegun);
  return { conditions, set, known, begin: () => setBegun(true) };
}

/** Asked for when someone starts to filter. Tokens, owners and keys are ids in the URL: only an answer says what people call them. */
function useKnownValues(range: ChosenRange, conditions: readonly Condition[], hasBegun: boolean): KnownValues {
  const isNeeded = (kind: string) => hasBegun || conditions.some((one) => one.kind === kind);
  const { data } = useOverview({ range, conditions: noConditions }, { when: isNeeded('token') });
  const { statusClasses, streamed, notStreamed, fellBack } = useWords().requests;
  const [labels, owners, teams, projects, users, tags, keys] = useQueries({
    queries: brokenDown.map((by) => ({
      ...breakdownQuery({ range, conditions: noConditions, by, order: 'requests', limit: valuesMax }),
      enabled: isNeeded(by),
    })),
    combine: (results) => results.map((result) => result.data?.items),
  });
  return useMemo(
    (): KnownValues => ({
      status: fixedValues.status.map((value) => ({ value, label: statusClasses[value] })),
      stream: fixedValues.stream.map((value) => ({ value, label: value === 'true' ? streamed : notStreamed })),
      fallback: fixedValues.fallback.map((value) => ({ value, label: fellBack })),
      endpoint: fixedValues.endpoint.map((value) => ({ value, label: value })),
      model: valuesOf(data?.models),
      provider: valuesOf(data?.providers),
      token: valuesOf(data?.tokens),
      code: valuesOf(data?.codes),
      label: valuesOf(labels),
      owner: valuesOf(owners),
      team: valuesOf(teams),
      project: valuesOf(projects),
      user: valuesOf(users),
      tag: valuesOf(tags),
      key: valuesOf(keys),
    }),
    [data, labels, owners, teams, projects, users, tags, keys, statusClasses, streamed, notStreamed, fellBack],
  );
}
