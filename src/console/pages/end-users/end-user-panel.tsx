/** One end user beside the list: what they used, what limits them, and what can be done about them. */

import type { EndUserView } from '../../../admin/contracts/end-user-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Money, Time } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type FactRow, FactRows } from '../../components/fact-rows.tsx';
import { DeleteButton } from '../../components/overlays/delete-button.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { Link, useQueryWord } from '../../router/router.tsx';
import { withWords } from '../../router/unsaved.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { BudgetRows } from '../teams/budget-rows.tsx';
import { LevelForm } from '../teams/level-form.tsx';
import { TermsFacts } from '../teams/terms-facts.tsx';
import { UsagePart } from '../tokens/token-usage.tsx';
import { endUsersPath, Scope, StateBadge } from './end-user-columns.tsx';
import { NotePart } from './note-part.tsx';

interface EndUserPanelProps {
  readonly id: string;
  /** What the list already knows, shown until the whole is here. */
  readonly listed: EndUserView | undefined;
  onClose(): void;
}

const withPanel = withWords('id', 'edit');
const stale = [endUsersPath, '/console/api/audit'];

export function EndUserPanel({ id, listed, onClose }: EndUserPanelProps) {
  const words = useWords().endUsers;
  const path = `${endUsersPath}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useAsk<EndUserView>(path);
  const user = data?.id === id ? data : listed;
  const may = useSession().may('PATCH /console/api/end-users/{id}');
  const [isEditing, setEditing] = useQueryWord('edit');
  if (user === undefined) {
    return (
      <SidePanel open title={words.columns.name} onClose={onClose}>
        {error === null ? <SkeletonText lines={6} /> : <ErrorNotice error={error} onAgain={() => void refetch()} />}
      </SidePanel>
    );
  }
  const access = may ? user.access : 'read';
  if (isEditing !== undefined && access === 'full') {
    return (
      <LevelForm
        title={words.editTitle(user.name)}
        of="endUser"
        note={words.editHint}
        terms={user.terms}
        submit={words.save}
        stays={withPanel}
        stale={[endUsersPath]}
        send={(body) => ask(path, { method: 'PATCH', body })}
        savedText={() => words.saved(user.name)}
        onDone={() => setEditing(undefined)}
      />
    );
  }
  const actions = access !== 'read' && (
    <Actions user={user} access={access} path={path} onEdit={() => setEditing('1')} onGone={onClose} />
  );
  return (
    <SidePanel open title={user.name} onClose={onClose} actions={actions}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Identity user={user} />
        <Limits user={user} mayReset={access === 'full'} path={path} />
        <UsagePart filter={filterOf(user)} />
        <NotePart key={user.note} user={user} path={path} stale={stale} mayChange={access !== 'read'} />
      </div>
    </SidePanel>
  );
}

/** The requests of the level's tokens that name them. */
function filterOf({ name, scope: { kind, id } }: EndUserView): Readonly<Record<string, string>> {
  return kind === 'organization' ? { user: name } : { user: name, [kind]: id };
}

const link = 'rounded-sm text-accent hover:underline';

function Identity({ user }: { readonly user: EndUserView }) {
  const words = useWords().endUsers;
  const { scope, token, spend } = user;
  const to =
    scope.kind === 'token'
      ? `/console/tokens?${new URLSearchParams({ token: scope.id })}`
      : `/console/teams?${new URLSearchParams({ unit: scope.id })}`;
  const facts: FactRow[] = [
    { name: words.columns.state, value: <StateBadge user={user} /> },
    {
      name: words.columns.scope,
      value:
        scope.name === undefined ? (
          <Scope user={user} />
        ) : (
          <Link to={to} className={link}>
            <Scope user={user} />
          </Link>
        ),
    },
    ...(token === undefined || token.id === scope.id
      ? []
      : [
          {
            name: words.firstToken,
            value: (
              <Link to={`/console/tokens?${new URLSearchParams({ token: token.id })}`} className={link}>
                {token.name}
              </Link>
            ),
          },
        ]),
    { name: words.firstSeen, value: <Time at={user.firstSeenAt} /> },
    { name: words.columns.lastSeen, value: <Time at={user.lastSeenAt} /> },
    { name: words.columns.month, value: <Money nano={spend.monthNano} /> },
    { name: words.columns.total, value: <Money nano={spend.totalNano} /> },
  ];
  return <FactRows facts={facts} />;
}

interface LimitsProps {
  readonly user: EndUserView;
  readonly mayReset: boolean;
  readonly path: string;
}

function Limits({ user, mayReset, path }: LimitsProps) {
  const { endUsers: words, teams } = useWords();
  const tell = useTell();
  const reset = useChange(() => ask<EndUserView>(path, { method: 'PATCH', body: { terms: null } }), stale);
  const isOwn = user.own.length > 0;
  const useDefaults = () =>
    reset.mutate(undefined, {
      onSuccess: () => tell({ tone: 'ok', text: words.defaultsNote(user.name) }),
      onError: ({ message }) => tell({ tone: 'bad', text: message }),
    });
  const tools = mayReset && isOwn && (
    <Button size="small" busy={reset.isPending} onClick={useDefaults}>
      {words.useDefaults}
    </Button>
  );
  const { budgets, ...others } = user.terms;
  const hint = !user.limited ? words.notLimited : isOwn ? words.ownHint : words.defaultsHint;
  return (
    <Part title={isOwn ? words.own : teams.budgets} tools={tools}>
      <p className="text-xs text-quiet">{hint}</p>
      <BudgetRows budgets={budgets} />
      <TermsFacts of="endUser" terms={others} />
    </Part>
  );
}

interface ActionsProps {
  readonly user: EndUserView;
  readonly access: 'full' | 'block';
  readonly path: string;
  onEdit(): void;
  onGone(): void;
}

function Actions({ user, access, path, onEdit, onGone }: ActionsProps) {
  const words = useWords().endUsers;
  const tell = useTell();
  const block = useChange((blocked: boolean) => ask<EndUserView>(path, { method: 'PATCH', body: { blocked } }), stale);
  const toggle = () =>
    block.mutate(!user.blocked, {
      onSuccess: ({ name, blocked }) =>
        tell({ tone: 'ok', text: blocked ? words.blockedNote(name) : words.unblockedNote(name) }),
      onError: ({ message }) => tell({ tone: 'bad', text: message }),
    });
  return (
    <>
      <DeleteButton apart name={user.name} words={words} path={path} stale={stale} onGone={onGone}>
        <p>{words.deleteMeaning}</p>
        {user.blocked && <p className="mt-2">{words.deleteBlocked}</p>}
      </DeleteButton>
      <Button busy={block.isPending} onClick={toggle}>
        {user.blocked ? words.unblock : words.block}
      </Button>
      {access === 'full' && (
        <Button icon="edit" kind="primary" onClick={onEdit}>
          {words.edit}
        </Button>
      )}
    </>
  );
}
