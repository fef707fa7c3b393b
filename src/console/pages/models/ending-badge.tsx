/** When a model's provider stops serving it, or that it advises against it; nothing for all others. */

import { Badge } from '../../components/badge.tsx';
import { dayText } from '../../texts/time.ts';
import { useSpeech } from '../../words/use-words.tsx';

interface Ending {
  /** Days in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
}

export function EndingBadge({ deprecatedAt, shutdownAt }: Ending) {
  const { words, tag } = useSpeech();
  const { ending } = words.models;
  if (shutdownAt === undefined)
    return deprecatedAt === undefined ? null : <Badge tone="warn">{ending.deprecated}</Badge>;
  const isOver = Date.parse(shutdownAt) <= Date.now();
  const day = dayText(shutdownAt, tag);
  return <Badge tone={isOver ? 'bad' : 'warn'}>{isOver ? ending.ended(day) : ending.ends(day)}</Badge>;
}
