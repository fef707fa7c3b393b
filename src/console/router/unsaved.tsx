/** Keeps what someone typed and did not save: every way off asks first, be it Escape, Back, a link or a closed tab. */

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
import { Question } from '../components/overlays/question.tsx';
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

/** What someone is asked who is about to lose something. */
interface LossWords {
  readonly title: string;
  readonly meaning: string;
  readonly keep: string;
  readonly leave: string;
}

interface Draft {
  readonly stays: StaysWith;
  /** Where it is not an edit that would be lost. */
  readonly words: LossWords | undefined;
}

interface Drafts {
  keep(id: string, draft: Draft): () => void;
  leave(go: () => void): void;
}

const DraftsContext = createContext<Drafts>({ keep: () => () => undefined, leave: (go) => go() });

/** While something is changed nobody leaves it unasked. What is returned leaves without asking: after saving, or where the person said so. */
export function useUnsaved(isChanged: boolean, stays: StaysWith, words?: LossWords): Drafts['leave'] {
  const { keep, leave } = use(DraftsContext);
  const id = useId();
  const ask = useEffectEvent(stays);
  useEffect(
    () => (isChanged ? keep(id, { stays: (to, from) => ask(to, from), words }) : undefined),
    [isChanged, keep, id, words],
  );
  return leave;
}

/** For what ends the thing itself, so that there is nothing left to save. */
export function useLeave(): Drafts['leave'] {
  return use(DraftsContext).leave;
}

export function UnsavedProvider({ children }: { readonly children: ReactNode }) {
  const usual = useWords().parts.unsaved;
  const navigation = useNavigation();
  const kept = useRef(new Map<string, Draft>());
  const isLetGo = useRef(false);
  const [asking, setAsking] = useState<{ readonly departure: Departure; readonly words: LossWords | undefined }>();
  // Not the same: while it closes, it still says what it asked.
  const [isOpen, setOpen] = useState(false);
  const keep = useCallback((id: string, draft: Draft) => {
    kept.current.set(id, draft);
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
        const lost = isLetGo.current ? undefined : lostBy(departure, kept.current.values());
        if (lost === undefined) return false;
        setAsking({ departure, words: lost.words });
        setOpen(true);
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
  const words = asking?.words ?? usual;
  return (
    <DraftsContext value={drafts}>
      {children}
      <Question
        open={isOpen}
        title={words.title}
        keep={words.keep}
        confirm={words.leave}
        busy={false}
        error={null}
        onConfirm={() => {
          setOpen(false);
          asking?.departure.leave();
        }}
        onClose={() => setOpen(false)}
      >
        <p>{words.meaning}</p>
      </Question>
    </DraftsContext>
  );
}

/** The first that would go with this step. */
function lostBy({ from, to }: Departure, drafts: Iterable<Draft>): Draft | undefined {
  const isElsewhere = pathOf(from) !== pathOf(to);
  return [...drafts].find(({ stays }) => isElsewhere || !stays(queryOf(to), queryOf(from)));
}
