/** One level beside the tree: its budgets, limits, tokens, and for a team its projects and members. */

import type { OwnedTokenView, PageView } from '../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Money } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code-block.tsx';
import { DeleteButton } from '../../components/overlays/delete-button.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { Link } from '../../router/router.tsx';
import { EndUserFacts } from '../../terms/end-user-facts.tsx';
import { useWords } from '../../words/use-words.tsx';
import { StateBadge } from '../tokens/token-columns.tsx';
import { BudgetBar, BudgetRows } from './budget-rows.tsx';
import { Members } from './members.tsx';
import { organizationPath, projectsPath, teamsPath } from './teams-path.ts';
import { TermsFacts } from './terms-facts.tsx';
import type { Unit } from './units.ts';

interface UnitPanelProps {
  readonly unit: Unit;
  /** May change the limits of teams too. */
  readonly managesAll: boolean;
  onEdit(): void;
  onAddProject(): void;
  onOpen(id: string): void;
  onClose(): void;
}

export function UnitPanel({ unit, managesAll, onEdit, onAddProject, onOpen, onClose }: UnitPanelProps) {
  const words = useWords().teams;
  const mayRemove = unit.kind === 'team' ? managesAll : unit.kind === 'project' && unit.mayManage;
  return (
    <SidePanel
      open
      title={unit.name}
      onClose={onClose}
      actions={
        unit.mayManage && (
          <>
            {mayRemove && (
              <DeleteButton
                apart
                name={unit.name}
                words={words}
                path={`${unit.kind === 'team' ? teamsPath : projectsPath}/${unit.id}`}
                stale={[organizationPath, '/console/api/audit']}
                onGone={onClose}
              >
                <p>{words.deleteMeaning}</p>
              </DeleteButton>
            )}
            <Button icon="edit" kind="primary" onClick={onEdit}>
              {words.edit}
            </Button>
          </>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <p className="flex flex-wrap items-center gap-2 text-sm text-quiet">
          <span>{words.kinds[unit.kind]}</span>
          {unit.kind !== 'organization' && <Id value={unit.id} what="ID" />}
          {unit.terms.disabled === true && <Badge tone="warn">{words.disabled}</Badge>}
        </p>
        <Part title={words.budgets}>
          <BudgetRows budgets={unit.terms.budgets} />
        </Part>
        {unit.team !== undefined && <Projects unit={unit} onAdd={onAddProject} onOpen={onOpen} />}
        {unit.team !== undefined && <Members team={unit.team} />}
        {unit.kind !== 'organization' && <Tokens unit={unit} />}
        {unit.terms.endUsers !== undefined && (
          <EndUserFacts terms={unit.terms.endUsers} filter={unit.kind === 'organization' ? {} : { team: unit.id }} />
        )}
        <Part title={words.limits}>
          <TermsFacts terms={unit.terms} />
        </Part>
      </div>
    </SidePanel>
  );
}

function Projects({ unit, onAdd, onOpen }: { readonly unit: Unit; onAdd(): void; onOpen(id: string): void }) {
  const words = useWords().teams;
  const projects = unit.team?.projects ?? [];
  const add = unit.mayManage && (
    <Button size="small" icon="plus" onClick={onAdd}>
      {words.addProject}
    </Button>
  );
  return (
    <Part title={words.projects} tools={add}>
      {projects.length === 0 ? (
        <p className="text-sm text-quiet">{words.noProjects}</p>
      ) : (
        <ul className="text-sm">
          {projects.map(({ id, name, terms }) => (
            <li key={id} className="flex min-h-9 items-center gap-4 border-b border-line py-1 last:border-b-0">
              <button
                type="button"
                onClick={() => onOpen(id)}
                className="min-w-0 grow cursor-pointer truncate rounded-sm text-left font-medium text-accent hover:underline"
              >
                {name}
              </button>
              <BudgetBar budgets={terms.budgets} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

const tokensShown = 8;

function Tokens({ unit }: { readonly unit: Unit }) {
  const words = useWords().teams;
  const word = unit.kind === 'team' ? 'team' : 'project';
  const query = new URLSearchParams({ [word]: unit.id, limit: String(tokensShown), state: 'active' });
  const { data, isPlaceholderData } = useAsk<PageView<OwnedTokenView>>(`/console/api/tokens?${query}`);
  const link = 'rounded-sm text-accent hover:underline';
  const tools = (
    <span className="flex gap-4 text-sm">
      <Link to={`/console?${new URLSearchParams({ range: '30d', [word]: unit.id })}`} className={link}>
        {words.usage}
      </Link>
      <Link to={`/console/tokens?${new URLSearchParams({ team: unit.id })}`} className={link}>
        {words.allTokens}
      </Link>
    </span>
  );
  return (
    <Part title={words.tokensPart} tools={tools}>
      {data === undefined || isPlaceholderData ? (
        <SkeletonText lines={2} />
      ) : data.items.length === 0 ? (
        <p className="text-sm text-quiet">{words.noTokens}</p>
      ) : (
        <ul className="text-sm">
          {data.items.map(({ id, name, ownerName, state, spend }) => (
            <li key={id} className="flex min-h-9 items-center gap-3 border-b border-line py-1 last:border-b-0">
              <Link to={`/console/tokens?${new URLSearchParams({ token: id })}`} className={`min-w-0 truncate ${link}`}>
                {name}
              </Link>
              <span className="min-w-0 grow truncate text-quiet">{ownerName}</span>
              <StateBadge state={state} />
              <Money nano={spend.monthNano} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
