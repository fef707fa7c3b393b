/** One line on every page while Weir cannot be reached: that it is retried, and how old the page's figures are. */

import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { clockText } from '../texts/time.ts';
import { useSpeech } from '../words/use-words.tsx';
import { useConnection, useIsLost } from './use-connection.tsx';

export function ConnectionBanner() {
  const { words: all, tag } = useSpeech();
  const words = all.connection;
  const connection = useConnection();
  const isLost = useIsLost();
  const queries = useQueryClient();
  if (!isLost) return null;
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  const answeredAtMs = Math.max(0, ...shown.map(({ state }) => state.dataUpdatedAt));
  return (
    <div
      role="alert"
      className="sticky top-14 z-20 flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-warn-wash px-4 py-1 text-sm md:px-8"
    >
      <Icon name="warn" className="text-warn" />
      <span className="font-medium">{words.lost}</span>
      <span className="grow">
        {words.retrying}
        {answeredAtMs > 0 && ` ${words.figuresFrom(clockText(answeredAtMs, Date.now(), tag))}`}
      </span>
      <Button size="small" onClick={() => void connection.check()}>
        {words.retryNow}
      </Button>
    </div>
  );
}
