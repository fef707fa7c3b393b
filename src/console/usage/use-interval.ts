/** Whether a range of some days is shown by the day or by the hour; the URL holds the choice where it is not the usual one. */

import { type ChosenRange, isShownByDay } from '../range/range.ts';
import { useQueryWord } from '../router/router.tsx';

export interface Interval {
  readonly isByDay: boolean;
  /** Absent where the range leaves no choice. */
  readonly choose: ((isByDay: boolean) => void) | undefined;
}

export function useInterval(range: ChosenRange): Interval {
  const [word, setWord] = useQueryWord('interval', { replace: true });
  if (!isShownByDay(range, Date.now())) return { isByDay: false, choose: undefined };
  return { isByDay: word !== 'hour', choose: (isByDay) => setWord(isByDay ? undefined : 'hour') };
}
