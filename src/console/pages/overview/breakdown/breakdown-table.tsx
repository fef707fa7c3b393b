/** Every group with its figures: sorted by any of them, and one press away from being the filter. */

import type { BreakdownItem, BreakdownView, FiguresView } from '../../../../admin/contracts/analytics-contract.ts';
import { othersColour } from '../../../charts/key-colours.ts';
import { Count, Money } from '../../../components/amounts.tsx';
import { Button } from '../../../components/button.tsx';
import { addressWith, type Condition, requestsPath, withCondition } from '../../../filter/filter.ts';
import { rangeWords } from '../../../range/range.ts';
import { Link, useAddress } from '../../../router/router.tsx';
import { countText, shareText } from '../../../texts/number.ts';
import { errorShare } from '../../../usage/change.ts';
import type { UsageQuestion } from '../../../usage/question.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { groupName } from './breakdown-series.ts';
import { orderFor, type Sort, type SortColumn, sortColumns, sorted, tokensOf } from './sort.ts';
import { SortHead } from './sort-head.tsx';

interface BreakdownTableProps {
  readonly view: BreakdownView;
  readonly question: UsageQuestion;
  readonly colours: ReadonlyMap<string, number>;
  readonly sort: Sort;
  onSort(sort: Sort): void;
  readonly isAll: boolean;
  onAll(isAll: boolean): void;
}

const cellShape = 'h-9 border-b border-line px-3 text-right';
/** A phone has no room for them. */
const hiddenOnPhones: readonly SortColumn[] = ['errors', 'tokens'];
const phoneShape = (column: SortColumn) => (hiddenOnPhones.includes(column) ? 'max-sm:hidden' : '');

export function BreakdownTable(props: BreakdownTableProps) {
  const { view, sort, onSort, isAll, onAll } = props;
  const { words, tag } = useSpeech();
  const own = words.usage;
  const { name, by, none } = own.dimensions[view.by];
  const rows = sorted(view.items, sort, (item) => groupName(item, none));
  const share = shareBy(view, sort);
  const hasMore = view.rest !== undefined;
  return (
    <section className="grid min-w-0 gap-2">
      {view.overlapping && <p className="text-sm text-quiet">{own.overlapping[view.by === 'tag' ? 'tag' : 'label']}</p>}
      <div className="overflow-x-auto rounded-md border border-line bg-raised">
        <table aria-label={own.table(by)} className="w-full border-separate border-spacing-0 text-sm">
          <thead>
            <tr>
              {sortColumns.map((column) => (
                <SortHead
                  key={column}
                  column={column}
                  label={column === 'name' ? name : own.columns[column]}
                  sort={sort}
                  onSort={onSort}
                  className={phoneShape(column)}
                />
              ))}
              <th
                scope="col"
                className="h-9 border-b border-line bg-sunken px-3 text-right text-xs font-medium text-quiet max-sm:hidden"
              >
                {own.share[share.of]}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((item) => (
              <GroupRow key={item.key} {...props} item={item} share={share.shareOf(item)} />
            ))}
            {view.rest !== undefined && (
              <OtherRow name={own.others} figures={view.rest} share={share.shareOf(view.rest)} colour={othersColour} />
            )}
          </tbody>
          <tfoot className="font-medium *:*:border-b-0">
            <OtherRow isTotal name={own.total} figures={view.total} share={undefined} />
          </tfoot>
        </table>
      </div>
      {(hasMore || isAll) && (
        <div className="flex items-center gap-3">
          <Button size="small" onClick={() => onAll(!isAll)}>
            {isAll ? own.showFewer : own.showAll}
          </Button>
          {isAll && hasMore && <p className="text-sm text-quiet">{own.shownMost(countText(view.items.length, tag))}</p>}
        </div>
      )}
    </section>
  );
}

/** Of what the groups are ordered by; where nothing costs anything, of the requests. */
function shareBy({ total }: BreakdownView, sort: Sort) {
  const order = orderFor(sort);
  const of = order === 'cost' && Number(total.costNano) === 0 ? 'requests' : order;
  const sizes = {
    cost: ({ costNano }: Sized) => Number(costNano),
    requests: ({ requests }: Sized) => requests,
    tokens: tokensOf,
  } as const;
  const whole = sizes[of](total);
  return { of, shareOf: (item: Sized) => (whole === 0 ? 0 : sizes[of](item) / whole) };
}

type Sized = Pick<FiguresView, 'costNano' | 'requests' | 'inputTokens' | 'outputTokens'>;

interface GroupRowProps extends BreakdownTableProps {
  readonly item: BreakdownItem;
  readonly share: number;
}

function GroupRow({ view, question, colours, item, share }: GroupRowProps) {
  const own = useWords().usage;
  const address = useAddress();
  const name = groupName(item, own.dimensions[view.by].none);
  const condition: Condition = { kind: view.by, value: item.key };
  const conditions = withCondition(question.conditions, condition);
  // What has no value has none to filter by.
  const isNamed = item.key !== '';
  return (
    <tr className="hover:bg-sunken">
      <th scope="row" className="h-9 border-b border-line px-3 text-left font-normal">
        <span className="flex min-w-0 items-center gap-2">
          <Swatch colour={colours.get(item.key)} />
          {isNamed ? (
            <Link
              to={addressWith(address, conditions)}
              title={own.filterBy(name)}
              className="min-w-0 break-all underline-offset-2 hover:underline"
            >
              {name}
            </Link>
          ) : (
            <span className="text-quiet">{name}</span>
          )}
        </span>
      </th>
      <td className={cellShape}>
        {isNamed ? (
          <Link
            to={requestsPath(conditions, rangeWords(question.range))}
            className="text-accent underline-offset-2 hover:underline"
          >
            <Count value={item.requests} />
          </Link>
        ) : (
          <Count value={item.requests} />
        )}
      </td>
      <Figures figures={item} />
      <ShareCell share={share} />
    </tr>
  );
}

interface OtherRowProps {
  readonly name: string;
  readonly figures: FiguresView | BreakdownItem;
  readonly share: number | undefined;
  readonly colour?: number;
  readonly isTotal?: boolean;
}

function OtherRow({ name, figures, share, colour, isTotal = false }: OtherRowProps) {
  return (
    <tr>
      <th scope="row" className={`h-9 border-b border-line px-3 text-left ${isTotal ? 'font-medium' : 'font-normal'}`}>
        <span className="flex items-center gap-2">
          <Swatch colour={colour} />
          {name}
        </span>
      </th>
      <td className={cellShape}>
        <Count value={figures.requests} />
      </td>
      <Figures figures={figures} />
      <ShareCell share={share} />
    </tr>
  );
}

function Figures({ figures }: { readonly figures: FiguresView | BreakdownItem }) {
  const { words, tag } = useSpeech();
  const { failures, unpriced, costNano } = figures;
  return (
    <>
      <td className={`${cellShape} ${phoneShape('errors')} ${failures > 0 ? 'text-bad' : 'text-quiet'}`}>
        <span className="font-mono text-[0.93em] tabular-nums">{shareText(errorShare(figures), tag)}</span>
      </td>
      <td className={`${cellShape} ${phoneShape('tokens')}`}>
        <Count value={tokensOf(figures)} />
      </td>
      <td className={cellShape}>
        <Money nano={costNano} />
        {costNano !== null && unpriced > 0 && (
          <span className="block text-xs text-warn">{words.overview.groupUnpriced(countText(unpriced, tag))}</span>
        )}
      </td>
    </>
  );
}

function Swatch({ colour }: { readonly colour: number | undefined }) {
  const style = colour === undefined ? undefined : { background: `var(--series-${colour})` };
  return <span aria-hidden="true" className="size-2.5 shrink-0 rounded-sm" style={style} />;
}

function ShareCell({ share }: { readonly share: number | undefined }) {
  const { tag } = useSpeech();
  return (
    <td className={`${cellShape} w-40 max-sm:hidden`}>
      {share !== undefined && (
        <span className="flex items-center justify-end gap-2">
          <span aria-hidden="true" className="h-1.5 grow overflow-hidden rounded-sm bg-sunken">
            <span className="block h-full rounded-sm bg-accent" style={{ width: `${Math.min(1, share) * 100}%` }} />
          </span>
          <span className="w-14 font-mono text-[0.93em] tabular-nums">{shareText(share, tag)}</span>
        </span>
      )}
    </td>
  );
}
