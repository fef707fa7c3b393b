/** The line above every page: its title, the page's own tools, and search, theme and account always in the same place. */

import { createContext, type ReactNode, use } from 'react';
import { createPortal } from 'react-dom';
import { Badge, Key } from '../components/badge.tsx';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../components/overlays/menu.tsx';
import { Tooltip } from '../components/overlays/tooltip.tsx';
import { modKeyText } from '../keyboard/use-shortcut.tsx';
import { useNavigation } from '../router/router.tsx';
import { useSessionState } from '../session/session.tsx';
import { useWords } from '../words/use-words.tsx';
import { usePalette } from './palette-context.ts';
import { LanguageChoice, ThemeMenu } from './preferences.tsx';

const SlotContext = createContext<HTMLElement | null>(null);
export const ToolsSlot = SlotContext.Provider;

/** What a page puts into the top line: its range picker, its live switch, its main button. */
export function PageTools({ children }: { readonly children: ReactNode }) {
  const slot = use(SlotContext);
  return slot === null ? null : createPortal(children, slot);
}

/** Stands in the top line of a page whose numbers come from the sandbox. */
export function SandboxBadge() {
  const words = useWords().frame;
  return (
    <Tooltip text={words.sandboxHint}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation must be reachable by keyboard. */}
      <span tabIndex={0} className="inline-flex shrink-0 rounded-sm">
        <Badge tone="test" dot>
          {words.sandbox}
        </Badge>
      </span>
    </Tooltip>
  );
}

interface TopLineProps {
  readonly title: string;
  onSlot(slot: HTMLElement | null): void;
  onShortcuts(): void;
}

export function TopLine({ title, onSlot, onShortcuts }: TopLineProps) {
  const words = useWords().frame;
  const palette = usePalette();
  return (
    <header className="sticky top-0 z-20 flex h-14 shrink-0 items-center gap-2 border-b border-line bg-surface px-4 md:px-8">
      <h1 className="min-w-0 truncate text-lg font-semibold">{title}</h1>
      <div ref={onSlot} className="flex min-w-0 grow items-center gap-2 pl-2" />
      <button
        type="button"
        onClick={palette.open}
        aria-keyshortcuts="Control+K Meta+K"
        className="hidden h-8 w-52 cursor-pointer items-center gap-2 rounded-md border border-line bg-raised pr-1.5 pl-2.5 text-sm text-quiet hover:bg-sunken lg:flex"
      >
        <Icon name="search" />
        <span className="grow text-left">{words.search}</span>
        <span aria-hidden="true" className="flex gap-1">
          <Key>{modKeyText()}</Key>
          <Key>K</Key>
        </span>
      </button>
      <span className="lg:hidden">
        <IconButton icon="search" label={words.searchEverything} onClick={palette.open} />
      </span>
      <ThemeMenu />
      <AccountMenu onShortcuts={onShortcuts} />
    </header>
  );
}

function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const words = useWords();
  const { session } = useSessionState();
  const navigation = useNavigation();
  const leave = async () => {
    if ((await session?.signOut()) !== 'leaving') navigation.go('/console/sign-in');
  };
  return (
    <Menu trigger={<IconButton icon="account" label={words.frame.account} hideTip />}>
      {session === undefined ? (
        <MenuItem icon="account" onSelect={() => navigation.go('/console/sign-in')}>
          {words.pages.signIn}
        </MenuItem>
      ) : (
        <>
          <MenuHeading>
            {words.session.signedInAs(session.account.name, words.session.roles[session.account.role])}
          </MenuHeading>
          <MenuItem icon="settings" onSelect={() => navigation.go('/console/settings')}>
            {words.pages.settings}
          </MenuItem>
          <MenuItem icon="leave" onSelect={() => void leave()}>
            {words.session.signOut}
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuHeading>{words.frame.language}</MenuHeading>
      <LanguageChoice />
      <MenuLine />
      <MenuItem icon="keyboard" hint={<Key>?</Key>} onSelect={onShortcuts}>
        {words.frame.shortcuts}
      </MenuItem>
      <MenuItem icon="home" onSelect={() => location.assign('/')}>
        {words.frame.home}
      </MenuItem>
    </Menu>
  );
}
