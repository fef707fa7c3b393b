/** What the panel of a request shows: its course, and its content where that is stored. Loaded when a request is opened. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { Tabs } from '../../../components/tabs.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Content } from './content.tsx';
import { Story } from './story.tsx';

export function Views({ story }: { readonly story: RequestDetailView }) {
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
