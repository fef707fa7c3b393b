/** What to do where nothing has happened yet. */

import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useNavigation } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';

interface FirstStepsProps {
  /** Something happened before the range that is shown. */
  readonly hasEarlier: boolean;
  onEarlier(): void;
}

export function FirstSteps({ hasEarlier, onEarlier }: FirstStepsProps) {
  const words = useWords();
  const own = words.overview;
  const navigation = useNavigation();
  const session = useSession();
  return (
    <div className="rounded-md border border-line bg-raised">
      <EmptyState
        icon="overview"
        title={hasEarlier ? own.emptyRange : own.empty}
        action={
          <>
            {session.may('POST /console/api/tokens') && (
              <Button kind="primary" icon="plus" onClick={() => navigation.go('/console/tokens?new=1')}>
                {own.createToken}
              </Button>
            )}
            {session.may('POST /console/api/playground-token') && (
              <Button icon="playground" onClick={() => navigation.go('/console/playground')}>
                {own.openPlayground}
              </Button>
            )}
            {hasEarlier && <Button onClick={onEarlier}>{words.requests.lookFurther}</Button>}
          </>
        }
      >
        {hasEarlier ? own.emptyRangeHint : own.emptyHint}
      </EmptyState>
    </div>
  );
}
