/** Between the pages of a list that is read newest first: back to the first, and on to the next. */

import { useWords } from '../../words/use-words.tsx';
import { Button } from '../button.tsx';

interface ListPagingProps {
  readonly next: string | undefined;
  readonly after: string | undefined;
  onGo(after: string | undefined): void;
}

export function ListPaging({ next, after, onGo }: ListPagingProps) {
  const words = useWords().tokens;
  if (next === undefined && after === undefined) return null;
  return (
    <div className="flex justify-end gap-2">
      <Button icon="left" disabled={after === undefined} onClick={() => onGo(undefined)}>
        {words.newest}
      </Button>
      <Button disabled={next === undefined} onClick={() => onGo(next)}>
        {words.older}
      </Button>
    </div>
  );
}
