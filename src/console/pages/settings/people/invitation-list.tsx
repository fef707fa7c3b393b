/** The invitations that were given out: which are open, who accepted which, and the way to revoke one. */

import type { InvitationView } from '../../../../admin/contracts/factor-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Subsection } from '../section.tsx';

export const invitationsPath = '/console/api/invitations';

export function InvitationList() {
  const words = useWords().factors.people;
  const tell = useTell();
  const { data, error, refetch } = useAsk<{ readonly items: readonly InvitationView[] }>(invitationsPath);
  const revoke = useChange(
    (id: string) => ask(`${invitationsPath}/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    [invitationsPath, '/console/api/audit'],
  );
  if (error !== null) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  // Most people never invite anyone: no heading over nothing.
  if (data === undefined || data.items.length === 0) return null;
  const end = (id: string) => revoke.mutate(id, { onSuccess: () => tell({ tone: 'ok', text: words.revoked }) });
  return (
    <Subsection title={words.list}>
      <ul className="rounded-md border border-line bg-raised">
        {data.items.map((invitation) => (
          <Row
            key={invitation.id}
            invitation={invitation}
            busy={revoke.isPending && revoke.variables === invitation.id}
            onRevoke={() => end(invitation.id)}
          />
        ))}
      </ul>
      {revoke.error !== null && <ErrorNotice error={revoke.error} />}
    </Subsection>
  );
}

interface RowProps {
  readonly invitation: InvitationView;
  readonly busy: boolean;
  readonly onRevoke: () => void;
}

const tones = { open: 'accent', accepted: 'ok', expired: 'plain', revoked: 'plain' } as const;

function Row({ invitation, busy, onRevoke }: RowProps) {
  const all = useWords();
  const words = all.factors.people;
  const { role, note, state, teamName, invitedBy, expiresAt, acceptedBy } = invitation;
  const title = note ?? all.session.roles[role];
  return (
    <li className="flex items-center gap-4 border-b border-line px-3 py-2 last:border-b-0">
      <div className="grid min-w-0 grow gap-0.5">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 truncate">{title}</span>
          <Badge tone={tones[state]} dot>
            {words.states[state]}
          </Badge>
        </span>
        <span className="flex flex-wrap gap-x-3 text-xs text-quiet">
          {note !== undefined && <span>{all.session.roles[role]}</span>}
          {teamName !== undefined && <span>{teamName}</span>}
          <span>{words.by(invitedBy)}</span>
          {acceptedBy !== undefined && <span>{words.acceptedBy(acceptedBy)}</span>}
          {(state === 'open' || state === 'expired') && (
            <span>
              {state === 'open' ? words.expires : words.expired} <Time at={expiresAt} />
            </span>
          )}
        </span>
      </div>
      {state === 'open' && (
        <Button size="small" aria-label={words.revokeThis(title)} busy={busy} onClick={onRevoke}>
          {words.revoke}
        </Button>
      )}
    </li>
  );
}
