/** What stands in place of requests: how to make the first, or how to see those that the filter hides. */

import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Filter } from '../../filter/use-filter.ts';
import { useRange } from '../../range/use-range.ts';
import { useNavigation } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';

export function NoRequests({ filter }: { readonly filter: Filter }) {
  const words = useWords().requests;
  const navigation = useNavigation();
  const session = useSession();
  const [range, choose] = useRange();
  const isNarrow = filter.conditions.length > 0;
  const isShort = range.kind !== 'last' || range.name !== '1y';
  return (
    <EmptyState
      icon={isNarrow ? 'search' : 'requests'}
      title={isNarrow ? words.noneMatches : words.noneYet}
      action={
        <>
          {isNarrow && (
            <Button kind="primary" onClick={() => filter.set([])}>
              {words.clearAll}
            </Button>
          )}
          {isShort && <Button onClick={() => choose({ kind: 'last', name: '1y' })}>{words.lookFurther}</Button>}
          {!isNarrow && session.may('POST /console/api/playground-token') && (
            <Button kind="primary" icon="playground" onClick={() => navigation.go('/console/playground')}>
              {words.openPlayground}
            </Button>
          )}
        </>
      }
    >
      {isNarrow ? words.noneMatchesHint : words.noneYetHint}
    </EmptyState>
  );
}
