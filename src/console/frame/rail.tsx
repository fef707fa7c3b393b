/** The way between pages: a rail at the left, on phones a bar at the bottom with the rest under “More”. */

import { IconButton } from '../components/button.tsx';
import { Icon, Mark } from '../components/icon.tsx';
import { Menu, MenuItem } from '../components/overlays/menu.tsx';
import { Tooltip } from '../components/overlays/tooltip.tsx';
import type { ConsolePage } from '../console-page.ts';
import { Link, useNavigation } from '../router/router.tsx';
import { useWords } from '../words/use-words.tsx';
import { useFacts } from './facts.tsx';
import { useShownPages } from './shown-pages.ts';

interface RailProps {
  readonly current: ConsolePage | undefined;
  readonly narrow: boolean;
  onToggle(): void;
}

export function Rail({ current, narrow, onToggle }: RailProps) {
  const words = useWords();
  const { version } = useFacts();
  const railPages = useShownPages();
  return (
    <nav
      aria-label={words.frame.rail}
      className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken px-2 pb-2 md:flex"
    >
      <a
        href="/"
        aria-label={`Weir: ${words.frame.home}`}
        className="flex h-14 shrink-0 items-center gap-2.5 rounded-md px-2 text-lg font-semibold focus-visible:outline-offset-[-2px]"
      >
        <Mark className="size-6" />
        {!narrow && 'Weir'}
      </a>
      <ul className="grid gap-0.5 pt-2">
        {railPages.map((page) => (
          <li key={page.id}>
            <RailLink page={page} narrow={narrow} isCurrent={page === current} />
          </li>
        ))}
      </ul>
      <div
        className={`mt-auto flex items-center text-xs text-quiet ${narrow ? 'justify-center' : 'justify-between pl-3'}`}
      >
        {!narrow && <span>{version}</span>}
        <IconButton
          icon={narrow ? 'expand' : 'collapse'}
          label={narrow ? words.frame.expand : words.frame.collapse}
          onClick={onToggle}
        />
      </div>
    </nav>
  );
}

function RailLink({
  page,
  narrow,
  isCurrent,
}: {
  readonly page: ConsolePage;
  readonly narrow: boolean;
  readonly isCurrent: boolean;
}) {
  const words = useWords();
  const word = words.pages[page.id];
  const link = (
    <Link
      to={page.path}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={narrow ? word : undefined}
      className={
        'flex h-9 items-center gap-3 rounded-md px-3 text-base text-quiet transition-colors duration-[120ms] ' +
        'hover:bg-pressed hover:text-text aria-[current]:bg-wash aria-[current]:font-medium aria-[current]:text-accent'
      }
    >
      <Icon name={page.icon} />
      {!narrow && word}
    </Link>
  );
  return narrow ? (
    <Tooltip text={word} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

/** As many as a thumb can tell apart. */
const barPages = 4;

export function BottomBar({ current }: { readonly current: ConsolePage | undefined }) {
  const words = useWords();
  const navigation = useNavigation();
  const railPages = useShownPages();
  const others = railPages.slice(barPages);
  const place =
    'flex h-14 w-full flex-col items-center justify-center gap-1 text-xs text-quiet aria-[current]:text-accent ' +
    'aria-[current]:font-medium focus-visible:outline-offset-[-2px]';
  return (
    <nav
      aria-label={words.frame.rail}
      className="fixed inset-x-0 bottom-0 z-20 border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="grid grid-cols-5">
        {railPages.slice(0, barPages).map((page) => (
          <li key={page.id}>
            <Link to={page.path} aria-current={page === current ? 'page' : undefined} className={place}>
              <Icon name={page.icon} className="size-5" />
              {words.pages[page.id]}
            </Link>
          </li>
        ))}
        <li>
          <Menu
            trigger={
              <button
                type="button"
                className={place}
                aria-current={current !== undefined && others.includes(current) ? 'page' : undefined}
              >
                <Icon name="more" className="size-5" />
                {words.frame.more}
              </button>
            }
          >
            {others.map((page) => (
              <MenuItem key={page.id} icon={page.icon} onSelect={() => navigation.go(page.path)}>
                {words.pages[page.id]}
              </MenuItem>
            ))}
          </Menu>
        </li>
      </ul>
    </nav>
  );
}
