/** What stands above the list: how many there are, whether it goes on by itself, its columns, and the way to take it along. */

import type { CountView } from '../../../admin/contracts/analytics-contract.ts';
import { Button } from '../../components/button.tsx';
import { LiveSwitch } from '../../components/live-switch.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../components/overlays/menu.tsx';
import { MenuCheck } from '../../components/overlays/menu-check.tsx';
import { countText } from '../../texts/number.ts';
import { ExportMenu } from '../../usage/export-menu.tsx';
import type { UsageQuestion } from '../../usage/question.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { type ColumnChoice, columnIds } from './columns.tsx';

interface ToolbarProps {
  readonly count: CountView | undefined;
  readonly isLive: boolean;
  /** Only the newest page can go on by itself. */
  readonly mayBeLive: boolean;
  readonly columns: ColumnChoice;
  onLive(isLive: boolean): void;
  readonly question: UsageQuestion;
}

export function Toolbar({ count, isLive, mayBeLive, columns, onLive, question }: ToolbarProps) {
  const { words, tag } = useSpeech();
  const own = words.requests;
  const shown = count === undefined ? '' : countText(count.requests, tag);
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-2">
      <p role="status" className="grow text-sm text-quiet">
        {count !== undefined && (count.exact ? own.count(shown, count.requests) : own.countMost(shown))}
      </p>
      {mayBeLive && <LiveSwitch isOn={isLive} onChange={onLive} />}
      <Menu
        trigger={
          <Button size="small" icon="columns">
            {own.chooseColumns}
          </Button>
        }
      >
        <MenuHeading>{own.chooseColumns}</MenuHeading>
        {columnIds.map((id) => (
          <MenuCheck
            key={id}
            checked={columns.ids.includes(id)}
            disabled={columns.ids.length === 1 && columns.ids[0] === id}
            onChange={(isShown) => columns.toggle(id, isShown)}
          >
            {own.columns[id]}
          </MenuCheck>
        ))}
        <MenuLine />
        <MenuItem onSelect={columns.reset}>{own.resetColumns}</MenuItem>
      </Menu>
      <ExportMenu question={question} size="small" />
    </div>
  );
}
