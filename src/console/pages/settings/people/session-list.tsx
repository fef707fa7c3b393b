/** Where an account is signed in: its own list with a way to end each, and another person's for those who look after them. */

import type { SessionView } from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { browserName } from './browser-name.ts';

interface Sessions {
  readonly items: readonly SessionView[];
}

const path = '/console/api/sessions';

export function OwnSessions() {
  const words = useWords().settings;
  const tell = useTell();
  const { data, error, refetch } = useAsk<Sessions>(path);
  const stale = [path, '/console/api/audit'];
  const end = useChange((id: string) => ask(`${path}/${encodeURIComponent(id)}`, { method: 'DELETE' }), stale);
  const endOthers = useChange(() => ask(path, { method: 'DELETE' }), stale);
  const ended = { onSuccess: () => tell({ tone: 'ok', text: words.sessionEnded }) };
  if (error !== null) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText />;
  const others = data.items.filter(({ current }) => !current).length;
  const failure = end.error ?? endOthers.error;
  return (
    <div className="grid gap-3">
      <SessionRows
        sessions={data.items}
        action={(session) =>
          !session.current && (
            <Button
              size="small"
              aria-label={words.endSessionOf(browserName(session.agent), session.address)}
              busy={end.isPending && end.variables === session.id}
              onClick={() => end.mutate(session.id, ended)}
            >
              {words.endSession}
            </Button>
          )
        }
      />
      {failure !== null && <ErrorNotice error={failure} />}
      {others > 1 && (
        <div>
          <Button busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined, ended)}>
            {words.endOthers}
          </Button>
        </div>
      )}
    </div>
  );
}

export function SessionRows({
  sessions,
  action,
}: {
  readonly sessions: readonly SessionView[];
  readonly action?: (session: SessionView) => React.ReactNode;
}) {
  const words = useWords().settings;
  return (
    <ul className="rounded-md border border-line bg-raised">
      {sessions.map((session) => (
        <li key={session.id} className="flex items-center gap-4 border-b border-line px-3 py-2 last:border-b-0">
          <div className="grid min-w-0 grow gap-0.5">
            <span className="flex flex-wrap items-center gap-2 font-medium" title={session.agent}>
              {browserName(session.agent) || words.unknownBrowser}
              {session.current && <Badge tone="accent">{words.thisSession}</Badge>}
            </span>
            <span className="flex flex-wrap gap-x-3 text-xs text-quiet">
              <span className="font-mono">{session.address}</span>
              <span>
                {words.lastSeen} <Time at={session.lastSeenAt} />
              </span>
              <span>
                {words.signedIn} <Time at={session.createdAt} />
              </span>
            </span>
          </div>
          {action?.(session)}
        </li>
      ))}
    </ul>
  );
}
