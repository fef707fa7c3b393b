/** A button for each issuer that people sign in through, below the form for a password. */

import type { SignInOptionsView } from '../../admin/contracts/sign-in-contract.ts';
import { useAsk } from '../api/use-ask.ts';
import { Icon } from '../components/icon.tsx';
import { useWords } from '../words/use-words.tsx';

const path = '/console/api/sign-in/issuers';

export function useSignInOptions(): SignInOptionsView {
  return useAsk<SignInOptionsView>(path).data ?? { items: [], passwords: 'all' };
}

interface IssuerButtonsProps {
  /** Where the browser goes afterwards. */
  readonly to: string;
  /** Leaves this page as it is. */
  readonly newTab?: boolean;
}

export function IssuerButtons({ to, newTab = false }: IssuerButtonsProps) {
  const words = useWords().signIn;
  const { items } = useSignInOptions();
  if (items.length === 0) return null;
  return (
    <div className="grid gap-3">
      <p className="flex items-center gap-3 text-xs text-quiet before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {words.or}
      </p>
      {items.map(({ name, label }) => (
        <a
          key={name}
          href={`/console/sign-in/${name}?${new URLSearchParams({ to })}`}
          {...(newTab && { target: '_blank', rel: 'noopener' })}
          className="inline-flex h-10 items-center justify-center gap-2 rounded-md border border-line bg-raised px-4 font-medium hover:bg-sunken active:bg-pressed"
        >
          <span className="min-w-0 truncate">{words.with(label)}</span>
          {newTab && <Icon name="external" />}
        </a>
      ))}
      {newTab && <p className="text-sm text-quiet">{words.inNewTab}</p>}
    </div>
  );
}
