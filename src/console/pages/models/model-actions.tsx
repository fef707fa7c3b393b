/** What one does with a model: take its name along, or try it. */

import type { ModelDetailView } from '../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code-block.tsx';
import { useNavigation } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';

/** The playground's tabs for what is no conversation. */
const tabs: Readonly<Record<string, string>> = {
  converse: '',
  complete: 'completions',
  embed: 'embeddings',
  'make-image': 'images',
  'edit-image': 'edits',
  speak: 'speech',
  transcribe: 'transcription',
  rerank: 'rerank',
  moderate: 'moderation',
  'make-video': 'video',
  'converse-live': 'realtime',
};

export function ModelActions({ story }: { readonly story: Pick<ModelDetailView, 'id' | 'operations'> }) {
  const words = useWords().models.panel;
  const navigation = useNavigation();
  const mayTry = useSession().may('POST /console/api/playground-token');
  const tab = Object.entries(tabs).find(([operation]) => story.operations.includes(operation))?.[1];
  const query = new URLSearchParams({ ...(tab !== undefined && tab !== '' && { tab }), model: story.id });
  return (
    <div className="mb-4 flex min-w-0 items-center justify-between gap-3">
      <Id value={story.id} what={words.name} />
      {mayTry && tab !== undefined && (
        <Button kind="primary" icon="playground" onClick={() => navigation.go(`/console/playground?${query}`)}>
          {words.tryIt}
        </Button>
      )}
    </div>
  );
}
