/** Who used what: models, providers and tokens by what they cost, codes by how often they came; every row leads to its requests. */

import type { GroupView, OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { requestsPath, withCondition } from '../../filter/filter.ts';
import { rangeWords } from '../../range/range.ts';
import { Link } from '../../router/router.tsx';
import { moneyText } from '../../texts/money.ts';
import { countText } from '../../texts/number.ts';
import type { UsageQuestion } from '../../usage/question.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { Card } from './card.tsx';

const shownMax = 6;

interface RankingsProps {
  readonly overview: OverviewView | undefined;
  readonly question: UsageQuestion;
}

export function Rankings({ overview, question }: RankingsProps) {
  const words = useWords().overview;
  return (
    <div className="grid min-w-0 grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] items-start gap-4">
      <Ranking title={words.byModel} kind="model" groups={overview?.models} question={question} />
      <Ranking title={words.byProvider} kind="provider" groups={overview?.providers} question={question} />
      <Ranking title={words.byToken} kind="token" groups={overview?.tokens} question={question} />
    </div>
  );
}

type RankedKind = 'model' | 'provider' | 'token' | 'code';

interface RankingProps {
  readonly title: string;
  readonly kind: RankedKind;
  readonly groups: readonly GroupView[] | undefined;
  readonly question: UsageQuestion;
  /** In place of rows where there are none. */
  readonly empty?: string;
}

export function Ranking({ title, kind, groups, question, empty }: RankingProps) {
  const words = useWords().overview;
  // Where nothing costs anything, how often it was asked is what tells them apart.
  const byCost = kind !== 'code' && groups?.some(({ costNano }) => costNano !== null && costNano !== '0') === true;
  const sizeOf = ({ costNano, requests }: GroupView) => (byCost ? Number(costNano) : requests);
  const shown = groups?.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, shownMax);
  const largest = Math.max(1e-9, ...(shown ?? []).map(sizeOf));
  return (
    <Card title={title} tools={shown !== undefined && shown.length > 0 && <Heads kind={kind} />}>
      {shown === undefined ? (
        <Skeleton className="m-4 h-24" />
      ) : shown.length === 0 ? (
        <p className="px-4 pb-4 text-sm text-quiet">{empty ?? words.nothingHere}</p>
      ) : (
        <ol className="grid grid-cols-[minmax(0,1fr)] px-2 pb-2">
          {shown.map((group) => (
            <li key={group.key}>
              <GroupRow group={group} kind={kind} share={sizeOf(group) / largest} question={question} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** Each row says in words what its numbers are; for the eye it is said once. */
function Heads({ kind }: { readonly kind: RankedKind }) {
  const { columns } = useWords().usage;
  return (
    <span aria-hidden="true" className="flex gap-3 text-right text-xs text-quiet">
      <span className="w-16">{columns.requests}</span>
      {kind !== 'code' && <span className="w-16">{columns.spend}</span>}
    </span>
  );
}

interface GroupRowProps {
  readonly group: GroupView;
  readonly kind: RankedKind;
  readonly share: number;
  readonly question: UsageQuestion;
}

function GroupRow({ group, kind, share, question }: GroupRowProps) {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const shape = 'relative flex h-9 items-center gap-3 overflow-hidden rounded-sm px-2 text-sm';
  const requests = countText(group.requests, tag);
  const content = (
    <>
      <span
        aria-hidden="true"
        className={`absolute inset-y-1 left-0 rounded-sm ${kind === 'code' ? 'bg-bad-wash' : 'bg-wash'}`}
        style={{ width: `${share * 100}%` }}
      />
      <span
        className={`relative min-w-0 grow truncate ${kind === 'code' ? 'font-mono text-[0.93em]' : ''}`}
        title={group.label}
      >
        {group.key === '' ? own.unasked : group.label}
      </span>
      {kind !== 'code' && group.failures > 0 && (
        <span className="relative shrink-0 text-xs text-bad">{own.groupFailed(countText(group.failures, tag))}</span>
      )}
      {kind !== 'code' && group.costNano !== null && group.unpriced > 0 && (
        <span className="relative shrink-0 text-xs text-warn">{own.groupUnpriced(countText(group.unpriced, tag))}</span>
      )}
      <span className="relative min-w-16 shrink-0 text-right font-mono text-xs tabular-nums">
        <span aria-hidden="true">{requests}</span>
        <span className="sr-only">{own.groupRequests(requests, group.requests)}</span>
      </span>
      {kind !== 'code' && (
        <span className="relative min-w-16 shrink-0 text-right font-mono text-xs tabular-nums">
          {group.costNano === null ? <span title={words.parts.noPrice}>?</span> : moneyText(group.costNano, tag)}
        </span>
      )}
    </>
  );
  // Those that nobody was asked for have no name to look for.
  if (group.key === '') return <div className={shape}>{content}</div>;
  return (
    <Link
      to={requestsPath(withCondition(question.conditions, { kind, value: group.key }), rangeWords(question.range))}
      className={`${shape} hover:bg-sunken focus-visible:outline-offset-[-2px]`}
    >
      {content}
    </Link>
  );
}
