/** What of a budget is held and left, and when it resets, in one line. */

import type { BudgetAlarmView } from '../../../admin/contracts/analytics-contract.ts';
import { Until } from '../../components/amounts.tsx';
import { moneyText } from '../../texts/money.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useSpeech } from '../../words/use-words.tsx';

export function AlarmFigures({ alarm }: { readonly alarm: BudgetAlarmView }) {
  const { words: all, tag } = useSpeech();
  const words = all.tokenList.budget;
  const money = (usd: string) => moneyText(nanoOfUsd(usd), tag);
  const { least, resetsAt } = alarm;
  return (
    <p className="pt-1 text-xs text-quiet">
      {least === undefined ? (
        words.leftShort(money(alarm.leftUsd))
      ) : (
        <span className="text-warn" title={words.tooLittle(money(alarm.leftUsd), money(least.usd), least.model)}>
          {words.tooLittleShort(money(alarm.leftUsd))}
        </span>
      )}
      {Number(alarm.heldUsd) > 0 && ` · ${words.heldShort(money(alarm.heldUsd))}`}
      {resetsAt !== undefined && (
        <>
          {' · '}
          {words.resets} <Until at={resetsAt} />
        </>
      )}
    </p>
  );
}
