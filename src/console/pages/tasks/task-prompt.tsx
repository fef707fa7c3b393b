/** What a video task was asked for, where the content of its request is stored; and that it is not, where it is not. */

import type { RequestDetailView } from '../../../admin/contracts/analytics-contract.ts';
import type { RequestContentView } from '../../../admin/contracts/settings-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useWords } from '../../words/use-words.tsx';
import { promptIn } from './prompt-in.ts';

export function TaskPrompt({ requestId }: { readonly requestId: string }) {
  const words = useWords().tasks;
  const path = `/console/api/usage/requests/${encodeURIComponent(requestId)}`;
  const detail = useAsk<RequestDetailView>(path);
  // The answer about another task may still be there.
  const isHere = detail.data?.requestId === requestId;
  const hasContent = isHere && detail.data?.hasContent === true;
  const content = useAsk<RequestContentView>(`${path}/content`, { when: hasContent });
  const isPending = detail.isPending || (hasContent && content.isPending);
  const prompt = hasContent && content.data?.requestId === requestId ? promptIn(content.data.request) : undefined;
  return (
    <Part title={words.prompt}>
      {isPending ? (
        <SkeletonText lines={2} />
      ) : prompt === undefined ? (
        <p className="text-sm text-quiet">{words.promptNotStored}</p>
      ) : (
        <p className="break-words whitespace-pre-wrap">{prompt}</p>
      )}
    </Part>
  );
}
