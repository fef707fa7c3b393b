/** The filter that the address holds, and what there is to choose from in the range that is shown. */

import { useCallback, useMemo, useState } from 'react';
import type { ChosenRange } from '../../range/range.ts';
import { queryOf } from '../../router/navigation.ts';
import { useAddress, useNavigation } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { useOverview } from '../overview/use-overview.ts';
import { addressWith, type Condition, readConditions } from './filter.ts';
import { fixedValues, type KnownValues } from './suggestions.ts';

export interface Filter {
  readonly conditions: readonly Condition[];
  set(conditions: readonly Condition[]): void;
  readonly known: KnownValues;
  begin(): void;
}

export function useFilter(range: ChosenRange): Filter {
  const navigation = useNavigation();
  const text = queryOf(useAddress()).toString();
  const conditions = useMemo(() => readConditions(new URLSearchParams(text)), [text]);
  const set = useCallback(
    (next: readonly Condition[]) => navigation.go(addressWith(navigation.address(), next)),
    [navigation],
  );
  const [hasBegun, setBegun] = useState(false);
  // A token is known by its id in the address; only the sums say what people call it.
  const needsNames = conditions.some(({ kind }) => kind === 'token');
  const { data } = useOverview(range, { when: hasBegun || needsNames });
  const { statusClasses, streamed, notStreamed } = useWords().requests;
  const known = useMemo((): KnownValues => {
    const values = (groups: readonly { readonly key: string; readonly label: string }[] | undefined) =>
      (groups ?? []).filter(({ key }) => key !== '').map(({ key, label }) => ({ value: key, label }));
    return {
      status: fixedValues.status.map((value) => ({ value, label: statusClasses[value] })),
      stream: fixedValues.stream.map((value) => ({ value, label: value === 'true' ? streamed : notStreamed })),
      endpoint: fixedValues.endpoint.map((value) => ({ value, label: value })),
      model: values(data?.models),
      provider: values(data?.providers),
      token: values(data?.tokens),
      code: values(data?.codes),
    };
  }, [data, statusClasses, streamed, notStreamed]);
  return { conditions, set, known, begin: () => setBegun(true) };
}
