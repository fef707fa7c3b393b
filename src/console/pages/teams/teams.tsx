/** Teams and their projects: a tree with what each has spent of its budgets, and everything about one beside it. */

import { useMemo } from 'react';
import type { OrganizationView } from '../../../admin/contracts/organization-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Count } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { PageTools } from '../../frame/top-line.tsx';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { withWords } from '../../router/unsaved.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/use-words.tsx';
import { BudgetBar } from './budget-rows.tsx';
import { LevelForm } from './level-form.tsx';
import { organizationPath, projectsPath, teamsPath } from './teams-path.ts';
import { UnitPanel } from './unit-panel.tsx';
import { organizationUnit, type Unit, unitsOf } from './units.ts';

/** The address says what is open: a unit, and whether it is edited or gets a project; or a new team. */
const withSheet = withWords('unit', 'do');

export function Page() {
  const words = useWords().teams;
  const navigation = useNavigation();
  const { data, error, refetch } = useAsk<OrganizationView>(organizationPath, { everyMs: 30_000 });
  const [openId] = useQueryWord('unit');
  const [deed] = useQueryWord('do');
  const units = useMemo(() => (data === undefined ? undefined : unitsOf(data)), [data]);
  const unit = units?.find(({ id }) => id === openId);
  const go = (id: string | undefined, next?: string) =>
    navigation.go(withQuery(navigation.address(), { unit: id, do: next }));
  const mayCreate = data?.mayManage === true;
  const create = () => go(undefined, 'new');
  useShortcut('n', mayCreate ? create : undefined);
  return (
    <div className="grid gap-4">
      <PageTools>{mayCreate && <CreateTeam className="ml-auto" onCreate={create} />}</PageTools>
      {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {(data !== undefined || error === null) && (
        <Tree units={units} openId={openId} onOpen={go} onCreate={mayCreate ? create : undefined} />
      )}
      {deed === 'new' && mayCreate && (
        <LevelForm
          title={words.newTeam}
          name=""
          terms={{}}
          submit={words.createTeam}
          stays={withSheet}
          stale={[organizationPath]}
          send={(body) => ask(teamsPath, { body })}
          savedText={words.created}
          onDone={() => go(undefined)}
        />
      )}
      {unit !== undefined && <Opened unit={unit} deed={deed} managesAll={mayCreate} onGo={go} />}
    </div>
  );
}

function CreateTeam({ className = '', onCreate }: { readonly className?: string; onCreate(): void }) {
  const words = useWords().teams;
  return (
    <Button kind="primary" icon="plus" className={className} aria-keyshortcuts="n" onClick={onCreate}>
      {words.createTeam}
    </Button>
  );
}

interface TreeProps {
  readonly units: readonly Unit[] | undefined;
  readonly openId: string | undefined;
  onOpen(id: string): void;
  readonly onCreate: (() => void) | undefined;
}

function Tree({ units, openId, onOpen, onCreate }: TreeProps) {
  const words = useWords();
  const { teams } = words;
  const columns = useMemo(() => columnsOf(words), [words]);
  const isEmpty = units?.every(({ kind }) => kind === 'organization');
  const hint = (
    <EmptyState icon="teams" title={teams.empty} action={onCreate !== undefined && <CreateTeam onCreate={onCreate} />}>
      {onCreate === undefined ? teams.emptyMember : teams.emptyHint}
    </EmptyState>
  );
  return (
    <>
      <Table
        label={teams.list}
        columns={columns}
        rows={units}
        keyOf={({ id }) => id}
        openKey={openId}
        onOpen={({ id }) => onOpen(id)}
        narrow={narrowUnit}
        empty={hint}
      />
      {isEmpty === true && units?.length !== 0 && <div className="rounded-md border border-line bg-raised">{hint}</div>}
    </>
  );
}

function columnsOf({ teams }: Words): readonly Column<Unit>[] {
  const heads = teams.columns;
  const count = (value: number | undefined) => value !== undefined && <Count value={value} />;
  return [
    { id: 'name', head: heads.name, minPx: 200, cell: (unit) => <Name unit={unit} /> },
    { id: 'budget', head: heads.budget, minPx: 280, cell: ({ terms }) => <BudgetBar budgets={terms.budgets} /> },
    {
      id: 'members',
      head: heads.members,
      widthPx: 96,
      align: 'end',
      drop: 2,
      cell: ({ members }) => count(members),
    },
    { id: 'tokens', head: heads.tokens, widthPx: 96, align: 'end', drop: 1, cell: ({ tokens }) => count(tokens) },
    {
      id: 'role',
      head: heads.role,
      widthPx: 120,
      drop: 3,
      cell: ({ team }) => team?.role !== undefined && <span className="text-quiet">{teams.roles[team.role]}</span>,
    },
  ];
}

const indents = { organization: '', team: 'pl-4', project: 'pl-9' } as const;

function Name({ unit: { kind, name, terms } }: { readonly unit: Unit }) {
  const words = useWords().teams;
  return (
    <span className={`flex items-center gap-2 ${indents[kind]}`}>
      <span className={`truncate ${kind === 'project' ? '' : 'font-medium'}`} title={name}>
        {name}
      </span>
      {name !== words.kinds[kind] && <span className="text-xs text-quiet">{words.kinds[kind]}</span>}
      {terms.disabled === true && <Badge tone="warn">{words.disabled}</Badge>}
    </span>
  );
}

function narrowUnit(unit: Unit): NarrowRow {
  return {
    title: <Name unit={unit} />,
    titleEnd: unit.members !== undefined && <Count value={unit.members} />,
    detail: <BudgetBar budgets={unit.terms.budgets} />,
    detailEnd: unit.tokens !== undefined && <Count value={unit.tokens} />,
  };
}

interface OpenedProps {
  readonly unit: Unit;
  readonly deed: string | undefined;
  readonly managesAll: boolean;
  onGo(id: string | undefined, deed?: string): void;
}

function Opened({ unit, deed, managesAll, onGo }: OpenedProps) {
  const words = useWords().teams;
  const sheet = { stays: withSheet, stale: [organizationPath], onDone: () => onGo(unit.id) };
  if (deed === 'project' && unit.kind === 'team' && unit.mayManage) {
    return (
      <LevelForm
        {...sheet}
        title={words.newProject(unit.name)}
        name=""
        terms={{}}
        submit={words.addProject}
        send={(body) => ask(`${teamsPath}/${unit.id}/projects`, { body })}
        savedText={words.created}
      />
    );
  }
  if (deed === 'edit' && unit.mayManage) {
    // The limits of a team are not its own admin's to change.
    const mayLimit = managesAll || unit.kind === 'project';
    return (
      <LevelForm
        key={unit.id}
        {...sheet}
        title={words.editTitle(unit.name)}
        name={unit.name}
        {...(mayLimit && { terms: unit.terms })}
        submit={words.save}
        send={(body) => ask(pathOf(unit), { method: 'PATCH', body })}
        savedText={words.saved}
      />
    );
  }
  return (
    <UnitPanel
      key={unit.id}
      unit={unit}
      managesAll={managesAll}
      onEdit={() => onGo(unit.id, 'edit')}
      onAddProject={() => onGo(unit.id, 'project')}
      onOpen={onGo}
      onClose={() => onGo(undefined)}
    />
  );
}

function pathOf({ id, kind }: Unit): string {
  if (id === organizationUnit) return organizationPath;
  return `${kind === 'team' ? teamsPath : projectsPath}/${id}`;
}
