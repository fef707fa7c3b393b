/** Keeps what somebody typed and did not save: every way off asks first, be it Escape, Back, a link or a closed tab. */

import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Question } from '../components/question.tsx';
import { useWords } from '../words/use-words.tsx';
import { type Departure, pathOf, queryOf } from './navigation.ts';
import { useNavigation } from './router.tsx';

/** Does what was typed stay on the page when its query becomes another? */
export type StaysWith = (to: URLSearchParams, from: URLSearchParams) => boolean;

/** Stays as long as these words of the address say the same. */
export const withWords =
  (...names: readonly string[]): StaysWith =>
  (to, from) =>
    names.every((name) => to.get(name) === from.get(name));

interface Drafts {
  keep(id: string, stays: StaysWith): () => void;
  leave(go: () => void): void;
}

const DraftsContext = createContext<Drafts>({ keep: () => () => undefined, leave: (go) => go() });

/** While something is changed nobody leaves it unasked. What is returned leaves without asking: after saving, or where the person said so. */
export function useUnsaved(isChanged: boolean, stays: StaysWith): Drafts['leave'] {
  const { keep, leave } = use(DraftsContext);
  const id = useId();
  const ask = useEffectEvent(stays);
  useEffect(() => (isChanged ? keep(id, (to, from) => ask(to, from)) : undefined), [isChanged, keep, id]);
  return leave;
}

/** For what ends the thing itself, so that there is nothing left to save. */
export function useLeave(): Drafts['leave'] {
  return use(DraftsContext).leave;
}

export function UnsavedProvider({ children }: { readonly children: ReactNode }) {
  const words = useWords().parts.unsaved;
  const navigation = useNavigation();
  const kept = useRef(new Map<string, StaysWith>());
  const isLetGo = useRef(false);
  const [asking, setAsking] = useState<Departure>();
  const keep = useCallback((id: string, stays: StaysWith) => {
    kept.current.set(id, stays);
    return () => void kept.current.delete(id);
  }, []);
  const leave = useCallback((go: () => void) => {
    isLetGo.current = true;
    go();
    isLetGo.current = false;
  }, []);
  useEffect(
    () =>
      navigation.guard((departure) => {
        if (isLetGo.current || !isLost(kept.current.values(), departure)) return false;
        setAsking(departure);
        return true;
      }),
    [navigation],
  );
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => kept.current.size > 0 && event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
  const drafts = useMemo(() => ({ keep, leave }), [keep, leave]);
  return (
    <DraftsContext value={drafts}>
      {children}
      <Question
        open={asking !== undefined}
        title={words.title}
        keep={words.keep}
        confirm={words.leave}
        busy={false}
        error={null}
        onConfirm={() => {
          setAsking(undefined);
          asking?.leave();
        }}
        onClose={() => setAsking(undefined)}
      >
        <p>{words.meaning}</p>
      </Question>
    </DraftsContext>
  );
}

function isLost(drafts: Iterable<StaysWith>, { from, to }: Departure): boolean {
  const isElsewhere = pathOf(from) !== pathOf(to);
  return [...drafts].some((stays) => isElsewhere || !stays(queryOf(to), queryOf(from)));
}
