/** What a request cost and why: every class of what was used times its price, which add up to the whole. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { Count, Money } from '../../../components/amounts.tsx';
import { Code } from '../../../components/code-block.tsx';
import { Link } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { countText, shortCountText } from '../../../texts/number.ts';
import { guessHint } from '../../../texts/price-version.ts';
import { nanoOfUsd } from '../../../texts/usd.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { setPricePath } from '../../models/price-path.ts';

export function CostLines({ story: { row, costLines, priceVersion } }: { readonly story: RequestDetailView }) {
  const { words, tag } = useSpeech();
  const own = words.requests;
  if (row?.costNano === null) return <UnknownCost row={row} />;
  if (costLines === undefined) return <p className="text-sm text-quiet">{own.priceGone}</p>;
  if (costLines.length === 0) return <p className="text-sm text-quiet">{own.nothingCharged}</p>;
  const classes = own.classes as Readonly<Record<string, string | undefined>>;
  const per = (units: number) =>
    units === 1 ? '' : ` / ${units >= 1_000 ? shortCountText(units, tag) : countText(units, tag)}`;
  const cell = 'h-8 px-3';
  const head = `${cell} text-xs font-medium text-quiet`;
  return (
    <div className="grid gap-2">
      <div className="overflow-x-auto rounded-md border border-line">
        <table aria-label={own.cost} className="w-full text-sm">
          <thead className="bg-sunken">
            <tr>
              <th scope="col" className={`${head} text-left`}>
                {own.lineClass}
              </th>
              <th scope="col" className={`${head} text-right`}>
                {own.lineQuantity}
              </th>
              <th scope="col" className={`${head} text-right`}>
                {own.linePrice}
              </th>
              <th scope="col" className={`${head} text-right`}>
                {own.columns.cost}
              </th>
            </tr>
          </thead>
          <tbody>
            {costLines.map((line) => (
              <tr key={`${line.class} ${line.usd}`} className="border-t border-line">
                <td className={cell}>{classes[line.class] ?? line.class}</td>
                <td className={`${cell} text-right`}>
                  <Count value={line.quantity} />
                </td>
                <td className={`${cell} text-right font-mono text-[0.93em] whitespace-nowrap tabular-nums`}>
                  ${line.usd}
                  <span className="text-quiet">{per(line.perUnits)}</span>
                </td>
                <td className={`${cell} text-right`}>
                  <Money nano={nanoOfUsd(line.costUsd)} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="border-t border-line font-medium">
              <th scope="row" colSpan={3} className={`${cell} text-left font-medium`}>
                {own.lineTotal}
              </th>
              <td className={`${cell} text-right`}>
                <Money nano={row?.costNano} />
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      {row?.guess === true && <p className="text-xs text-warn">{guessHint(priceVersion, own)}</p>}
      {row?.guess !== true && priceVersion !== undefined && priceVersion !== '' && (
        <p className="text-xs text-quiet">
          {own.priceVersion} <Code>{priceVersion}</Code>
        </p>
      )}
    </div>
  );
}

/** Used, and nobody knows what it cost. A price that is set now counts from the next request on. */
function UnknownCost({ row }: { readonly row: NonNullable<RequestDetailView['row']> }) {
  const own = useWords().requests;
  const maySet = useSession().may('POST /console/api/prices');
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-quiet">
      {own.unpricedHint}
      {maySet && row.provider !== '' && (
        <Link
          to={setPricePath(row.provider, row.upstreamModel)}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          {own.setPrice}
        </Link>
      )}
    </p>
  );
}
