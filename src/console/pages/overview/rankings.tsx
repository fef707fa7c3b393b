/** Who used what: models, providers and tokens by what they cost, codes by how often they came; every row leads to its requests. */

import type { GroupView, OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { type ChosenRange, rangeWords } from '../../range/range.ts';
import { Link } from '../../router/router.tsx';
import { moneyText } from '../../texts/money.ts';
import { countText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { type ListKind, requestsPath } from '../requests/filter.ts';
import { Card } from './card.tsx';

const shownMax = 6;

interface RankingsProps {
  readonly overview: OverviewView | undefined;
  readonly range: ChosenRange;
}

export function Rankings({ overview, range }: RankingsProps) {
  const words = useWords().overview;
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-3">
      <Ranking title={words.byModel} kind="model" groups={overview?.models} range={range} />
      <Ranking title={words.byProvider} kind="provider" groups={overview?.providers} range={range} />
      <Ranking title={words.byToken} kind="token" groups={overview?.tokens} range={range} />
    </div>
  );
}

interface RankingProps {
  readonly title: string;
  readonly kind: ListKind;
  readonly groups: readonly GroupView[] | undefined;
  readonly range: ChosenRange;
  /** In place of rows where there are none. */
  readonly empty?: string;
}

export function Ranking({ title, kind, groups, range, empty }: RankingProps) {
  const words = useWords().overview;
  // Where nothing costs anything, how often it was asked is what tells them apart.
  const byCost = kind !== 'code' && groups?.some(({ costNano }) => costNano !== null && costNano !== '0') === true;
  const sizeOf = ({ costNano, requests }: GroupView) => (byCost ? Number(costNano) : requests);
  const shown = groups?.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, shownMax);
  const largest = Math.max(1e-9, ...(shown ?? []).map(sizeOf));
  return (
    <Card title={title}>
      {shown === undefined ? (
        <Skeleton className="m-4 h-24" />
      ) : shown.length === 0 ? (
        <p className="px-4 pb-4 text-sm text-quiet">{empty ?? words.nothingHere}</p>
      ) : (
        <ol className="grid grid-cols-[minmax(0,1fr)] px-2 pb-2">
          {shown.map((group) => (
            <li key={group.key}>
              <GroupRow group={group} kind={kind} share={sizeOf(group) / largest} range={range} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

interface GroupRowProps {
  readonly group: GroupView;
  readonly kind: ListKind;
  readonly share: number;
  readonly range: ChosenRange;
}

function GroupRow({ group, kind, share, range }: GroupRowProps) {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const shape = 'relative flex h-9 items-center gap-3 overflow-hidden rounded-sm px-2 text-sm';
  const requests = own.groupRequests(countText(group.requests, tag), group.requests);
  const content = (
    <>
      <span
        aria-hidden="true"
        className={`absolute inset-y-1 left-0 rounded-sm ${kind === 'code' ? 'bg-bad-wash' : 'bg-wash'}`}
        style={{ width: `${share * 100}%` }}
      />
      <span className={`relative min-w-0 grow truncate ${kind === 'code' ? 'font-mono text-[0.93em]' : ''}`}>
        {group.key === '' ? own.unasked : group.label}
      </span>
      {kind !== 'code' && group.failures > 0 && (
        <span className="relative shrink-0 text-xs text-bad">{own.groupFailed(countText(group.failures, tag))}</span>
      )}
      {kind !== 'code' && group.costNano !== null && group.unpriced > 0 && (
        <span className="relative shrink-0 text-xs text-warn">{own.groupUnpriced(countText(group.unpriced, tag))}</span>
      )}
      <span className="relative shrink-0 text-xs text-quiet">{requests}</span>
      {kind !== 'code' && (
        <span className="relative w-16 shrink-0 text-right font-mono text-xs tabular-nums">
          {group.costNano === null ? <span title={words.parts.noPrice}>?</span> : moneyText(group.costNano, tag)}
        </span>
      )}
    </>
  );
  // Those that nobody was asked for have no name to look for.
  if (group.key === '') return <div className={shape}>{content}</div>;
  return (
    <Link
      to={requestsPath({ kind, value: group.key }, rangeWords(range))}
      className={`${shape} hover:bg-sunken focus-visible:outline-offset-[-2px]`}
    >
      {content}
    </Link>
  );
}
