/** One request beside the list it came from: what it was, what was tried for it, what it cost, and what was said where that is kept. */

import { lazy, Suspense, useEffect } from 'react';
import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { isConversation, ToPlayground } from './to-playground.tsx';

const loadViews = () => import('./views.tsx');
const Views = lazy(async () => ({ default: (await loadViews()).Views }));

const runningEveryMs = 2_000;

interface RequestPanelProps {
  readonly requestId: string | undefined;
  onClose(): void;
}

export function RequestPanel({ requestId, onClose }: RequestPanelProps) {
  const words = useWords().requests;
  const { data, error, refetch } = useStory(requestId);
  const shown = data?.requestId === requestId ? data : undefined;
  useEffect(() => {
    // Loaded beside the data. A failure is shown where the view is drawn.
    if (requestId !== undefined) loadViews().catch(() => undefined);
  }, [requestId]);
  return (
    <SidePanel
      open={requestId !== undefined}
      title={shown?.row?.model ?? shown?.attempts.at(-1)?.model ?? words.oneRequest}
      onClose={onClose}
      {...(shown?.hasContent === true && isConversation(shown) && { actions: <ToPlayground story={shown} /> })}
    >
      {shown !== undefined ? (
        <Suspense fallback={<SkeletonText lines={8} />}>
          <Views story={shown} />
        </Suspense>
      ) : error === null ? (
        <SkeletonText lines={8} />
      ) : (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      )}
    </SidePanel>
  );
}

/** One that still runs is asked for again until it has ended. */
function useStory(requestId: string | undefined) {
  const path = `/console/api/usage/requests/${encodeURIComponent(requestId ?? '')}`;
  const when = requestId !== undefined;
  const first = useAsk<RequestDetailView>(path, { when });
  const isRunning = first.data?.requestId === requestId && first.data?.row === undefined;
  return useAsk<RequestDetailView>(path, { when, ...(isRunning && { everyMs: runningEveryMs }) });
}
