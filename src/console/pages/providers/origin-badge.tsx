/** Where an entry is set; what is not the console's own is marked as locked. */

import type { EntryOrigin } from '../../../admin/contracts/configuration-contract.ts';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/use-words.tsx';

interface Origin {
  readonly origin: EntryOrigin;
  readonly originText: string;
  readonly locked: boolean;
}

export function useOriginText(): (of: Origin) => string {
  const { origins } = useWords().providers;
  // A file's line or a variable's name says more than the kind of place; what has neither is said in the person's language.
  return ({ origin, originText }) =>
    originText !== '' && (origin === 'file' || origin === 'environment') ? originText : origins[origin];
}

export function OriginBadge(props: Origin) {
  const text = useOriginText()(props);
  return (
    <Badge>
      {props.locked && <Icon name="lock" className="size-3" />}
      <span className="max-w-56 truncate">{text}</span>
    </Badge>
  );
}

/** At the head of a panel whose thing can only be changed elsewhere. */
export function LockedNote({ text }: { readonly text: string }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-sunken p-3 text-sm text-quiet">
      <Icon name="lock" className="mt-0.5" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  );
}

export function ProblemNote({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-warn-wash p-3 text-sm">
      <Icon name="warn" className="mt-0.5 text-warn" />
      <span className="min-w-0 break-words">
        <span className="font-medium">{title}.</span> {useWords().server.text(text)}
      </span>
    </p>
  );
}
