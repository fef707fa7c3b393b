/** The panel beside the work: settings and wire. At the right where there is room, over the lower part of the page where there is not. */

import type { ReactNode } from 'react';
import { IconButton } from '../../components/button.tsx';
import { useWords } from '../../words/use-words.tsx';

interface DrawerProps {
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

export function Drawer({ title, children, onClose }: DrawerProps) {
  const words = useWords();
  return (
    <aside
      aria-label={title}
      className={
        'flex flex-col border-line bg-surface lg:w-[400px] lg:shrink-0 lg:border-l xl:w-[440px] ' +
        'max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-30 max-lg:h-[70dvh] max-lg:rounded-t-md max-lg:border-t max-lg:shadow-float max-md:bottom-16 max-md:h-[calc(78dvh-64px)]'
      }
    >
      <div className="flex h-12 shrink-0 items-center justify-between gap-4 border-b border-line pr-2 pl-4">
        <h2 className="text-base font-semibold">{title}</h2>
        <IconButton icon="close" label={words.parts.close} hideTip onClick={onClose} />
      </div>
      <div className="min-h-0 grow overflow-y-auto p-4">{children}</div>
    </aside>
  );
}
