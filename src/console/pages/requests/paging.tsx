/** From one page of the list to the next, by where one is and not by a number: rows that arrive do not move what is read. */

import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/use-words.tsx';

interface PagingProps {
  /** Absent where there is nothing in that direction. */
  readonly onNewest: (() => void) | undefined;
  readonly onNewer: (() => void) | undefined;
  readonly onOlder: (() => void) | undefined;
  /** The search went as far as one answer may and goes on with the next page. */
  readonly isCut: boolean;
}

export function Paging({ onNewest, onNewer, onOlder, isCut }: PagingProps) {
  const words = useWords().requests;
  if (onNewest === undefined && onNewer === undefined && onOlder === undefined) return null;
  return (
    <nav aria-label={words.paging} className="flex flex-wrap items-center justify-end gap-2">
      {isCut && <p className="grow text-sm text-quiet">{words.searchGoesOn}</p>}
      {onNewest !== undefined && (
        <Button size="small" kind="quiet" onClick={onNewest}>
          {words.newest}
        </Button>
      )}
      <Button size="small" icon="left" disabled={onNewer === undefined} onClick={onNewer}>
        {words.newer}
      </Button>
      <Button size="small" disabled={onOlder === undefined} onClick={onOlder}>
        {words.older}
        <span aria-hidden="true">›</span>
      </Button>
    </nav>
  );
}
