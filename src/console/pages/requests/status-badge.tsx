/** How a request ended, in a badge: its status, and its code where it failed. */

import { Badge, type Tone } from '../../components/badge.tsx';
import { useWords } from '../../words/use-words.tsx';

const clientLeft = 499;

function toneOf(status: number): Tone {
  if (status === 0 || status === clientLeft) return 'plain';
  if (status < 400) return 'ok';
  return status < 500 ? 'warn' : 'bad';
}

export function StatusBadge({ status, code }: { readonly status: number; readonly code: string }) {
  const words = useWords().requests;
  const shown = status === 0 ? words.noReply : `${status}`;
  return (
    <Badge tone={toneOf(status)} dot>
      <span className="truncate" title={code === '' ? undefined : `${shown} ${code}`}>
        {code === '' ? shown : `${shown} ${code}`}
      </span>
    </Badge>
  );
}
