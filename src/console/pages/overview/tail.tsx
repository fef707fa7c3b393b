/** The newest requests as they come; what is being read stays where it is. */

import type { AnalyzedRowView } from '../../../admin/contracts/analytics-contract.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LiveSwitch } from '../../components/live-switch.tsx';
import { Table } from '../../components/table.tsx';
import type { Condition } from '../../filter/filter.ts';
import type { ChosenRange } from '../../range/range.ts';
import { Link, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { type ColumnId, narrowRequest, useColumns } from '../requests/columns.tsx';
import { RequestPanel } from '../requests/detail/request-panel.tsx';
import { HeldRows } from '../requests/held-rows.tsx';
import { useRequests } from '../requests/use-requests.ts';

const tailRows = 20;
const noRows: readonly AnalyzedRowView[] = [];
const shownColumns: readonly ColumnId[] = ['at', 'status', 'model', 'provider', 'token', 'firstEvent', 'total', 'cost'];
/** Whatever range the charts show: the newest is the newest. */
const newest: ChosenRange = { kind: 'last', name: '1y' };

interface TailProps {
  readonly isQuiet: boolean;
  readonly conditions: readonly Condition[];
}

/** `isQuiet`: nothing came in lately, so that no rows are to be expected while they are asked for. */
export function Tail({ isQuiet, conditions }: TailProps) {
  const words = useWords();
  const own = words.overview;
  const [live, setLive] = useQueryWord('live', { replace: true });
  const isLive = live !== 'off';
  const [openId, setOpenId] = useQueryWord('request');
  const { data, error, refetch } = useRequests({ range: newest, conditions, limit: tailRows, live: isLive });
  const columns = useColumns(shownColumns);
  return (
    <section className="grid min-w-0 gap-2.5">
      <div className="flex min-h-8 items-center gap-3">
        <h2 className="grow font-semibold">{own.tail}</h2>
        <Link to="/console/requests" className="text-sm text-accent underline-offset-2 hover:underline">
          {own.allRequests}
        </Link>
        <LiveSwitch isOn={isLive} onChange={(isOn) => setLive(isOn ? undefined : 'off')} />
      </div>
      {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {(error === null || data !== undefined) && (
        <HeldRows rows={data?.items ?? (isQuiet ? noRows : undefined)} isLive={isLive}>
          {(rows) => (
            <Table
              label={own.tail}
              columns={columns}
              rows={rows}
              keyOf={keyOfRow}
              openKey={openId}
              onOpen={({ requestId }) => setOpenId(requestId)}
              narrow={narrowRequest}
              empty={<p className="px-4 py-8 text-center text-sm text-quiet">{own.waiting}</p>}
            />
          )}
        </HeldRows>
      )}
      <RequestPanel requestId={openId} onClose={() => setOpenId(undefined)} />
    </section>
  );
}

const keyOfRow = ({ requestId }: AnalyzedRowView): string => requestId;
