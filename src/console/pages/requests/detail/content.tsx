/** What was said in a request, where its storage was on; shown as text and as nothing else. */

import type { RequestContentView } from '../../../../admin/contracts/settings-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Time } from '../../../components/amounts.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { readable } from './readable.ts';

export function Content({ requestId }: { readonly requestId: string }) {
  const words = useWords().requests;
  const path = `/console/api/usage/requests/${encodeURIComponent(requestId)}/content`;
  const { data, error, refetch } = useAsk<RequestContentView>(path);
  if (data?.requestId !== requestId) {
    return error === null ? <SkeletonText lines={8} /> : <ErrorNotice error={error} onAgain={() => void refetch()} />;
  }
  return (
    <div className="grid gap-4">
      <p className="text-xs text-quiet">
        {words.keptUntil} <Time at={data.expiresAt} />
      </p>
      <CodeBlock title={words.sent} code={readable(data.request)} wrap />
      {data.requestIsCut && <p className="text-xs text-warn">{words.cut}</p>}
      <CodeBlock title={words.received} code={readable(data.reply)} wrap />
      {data.replyIsCut && <p className="text-xs text-warn">{words.cut}</p>}
    </div>
  );
}
