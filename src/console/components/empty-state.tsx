/** What stands where nothing is yet: what would fill the place, and the button for it. */

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon = 'empty', title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-3 px-4 py-12 text-center">
      <span className="grid size-10 place-items-center rounded-md border border-line bg-sunken text-quiet">
        <Icon name={icon} className="size-5" />
      </span>
      <div className="grid max-w-[52ch] gap-1">
        <p className="text-lg font-semibold text-balance">{title}</p>
        {children !== undefined && <div className="text-quiet text-pretty">{children}</div>}
      </div>
      {action !== undefined && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
