/** One request beside the list it came from: what it was, what was tried for it, what it cost, and what was said where that is kept. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Content } from './content.tsx';
import { Story } from './story.tsx';
import { isConversation, ToPlayground } from './to-playground.tsx';

const runningEveryMs = 2_000;

interface RequestPanelProps {
  readonly requestId: string | undefined;
  onClose(): void;
}

export function RequestPanel({ requestId, onClose }: RequestPanelProps) {
  const words = useWords().requests;
  const { data, error, refetch } = useStory(requestId);
  const shown = data?.requestId === requestId ? data : undefined;
  return (
    <SidePanel
      open={requestId !== undefined}
      title={shown?.row?.model ?? shown?.attempts.at(-1)?.model ?? words.oneRequest}
      onClose={onClose}
      {...(shown?.hasContent === true && isConversation(shown) && { actions: <ToPlayground story={shown} /> })}
    >
      {shown !== undefined ? (
        <Views story={shown} />
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

function Views({ story }: { readonly story: RequestDetailView }) {
  const words = useWords().requests;
  const [view, setView] = useQueryWord('view', { replace: true });
  if (!story.hasContent) return <Story story={story} />;
  return (
    <Tabs
      label={words.views}
      value={view === 'content' ? 'content' : 'story'}
      onChange={(id) => setView(id === 'content' ? id : undefined)}
      tabs={[
        { id: 'story', label: words.story, content: <Story story={story} /> },
        { id: 'content', label: words.content, content: <Content requestId={story.requestId} /> },
      ]}
    />
  );
}
