/** Programs that use one's account since a device code was approved, with a way to end each. */

import type { SignedInProgramView } from '../../../../admin/contracts/device-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useWords } from '../../../words/use-words.tsx';

const path = '/console/api/programs';

export function SignedInPrograms() {
  const words = useWords().device;
  const tell = useTell();
  const { data, error, refetch } = useAsk<{ readonly items: readonly SignedInProgramView[] }>(path);
  const end = useChange(
    (id: string) => ask(`${path}/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    [path, '/console/api/tokens', '/console/api/audit'],
  );
  const ended = { onSuccess: () => tell({ tone: 'ok', text: words.ended }) };
  if (error !== null) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText />;
  return (
    <div className="grid gap-3">
      <p className="text-sm text-quiet">{words.programsHint}</p>
      {data.items.length === 0 ? (
        <p className="text-sm">{words.none}</p>
      ) : (
        <ul className="rounded-md border border-line bg-raised">
          {data.items.map(({ id, clientName, agent, address, refreshedAt, createdAt }) => (
            <li key={id} className="flex items-center gap-4 border-b border-line px-3 py-2 last:border-b-0">
              <div className="grid min-w-0 grow gap-0.5">
                <span className="font-medium" title={agent}>
                  {clientName}
                </span>
                <span className="flex flex-wrap gap-x-3 text-xs text-quiet">
                  <span className="font-mono">{address}</span>
                  <span>
                    {words.renewed} <Time at={refreshedAt} />
                  </span>
                  <span>
                    {words.signedIn} <Time at={createdAt} />
                  </span>
                </span>
              </div>
              <Button
                size="small"
                aria-label={words.endOf(clientName, address)}
                busy={end.isPending && end.variables === id}
                onClick={() => end.mutate(id, ended)}
              >
                {words.end}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {end.error !== null && <ErrorNotice error={end.error} />}
    </div>
  );
}
