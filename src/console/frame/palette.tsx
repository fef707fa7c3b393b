/** One place to get anywhere and do anything by writing a few letters of it. */

import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { copyText } from '../components/copy-text.ts';
import { Finder } from '../components/fields/finder.tsx';
import { Icon } from '../components/icon.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { useTell } from '../components/overlays/toast.tsx';
import { useShortcut } from '../keyboard/use-shortcut.tsx';
import { useNavigation } from '../router/router.tsx';
import { useSessionState } from '../session/session.tsx';
import { chooseTheme, themes } from '../theme/theme.ts';
import { languageNames, languages } from '../words/languages.ts';
import { useSpeech, useWords } from '../words/use-words.tsx';
import { useFacts } from './facts.tsx';
import { PaletteContext, type PaletteItem } from './palette-context.ts';
import { find } from './palette-search.ts';
import { useThings } from './palette-things.ts';
import { useShownPages } from './shown-pages.ts';

export function PaletteProvider({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [added, setAdded] = useState<readonly (readonly PaletteItem[])[]>([]);
  const add = useCallback((items: readonly PaletteItem[]) => {
    setAdded((before) => [...before, items]);
    return () => setAdded((before) => before.filter((other) => other !== items));
  }, []);
  const open = useCallback(() => setOpen(true), []);
  useShortcut('mod+k', () => setOpen((before) => !before));
  const palette = useMemo(() => ({ open, add }), [open, add]);
  const items = [...added.flat(), ...useOwnItems()];
  const words = useWords().palette;
  return (
    <PaletteContext value={palette}>
      {children}
      <Dialog open={isOpen} title={words.title} bare onClose={() => setOpen(false)}>
        <Search items={items} onDone={() => setOpen(false)} />
      </Dialog>
    </PaletteContext>
  );
}

/** Pages, and what can be done anywhere. */
function useOwnItems(): readonly PaletteItem[] {
  const { words, choose } = useSpeech();
  const navigation = useNavigation();
  const { apiAddress } = useFacts();
  const { session } = useSessionState();
  const tell = useTell();
  const copyAddress = async () => {
    const copied = await copyText(apiAddress, document.body);
    tell(copied ? { text: words.parts.copiedNote, tone: 'ok' } : { text: apiAddress });
  };
  const { groups } = words.palette;
  const shownPages = useShownPages();
  return [
    ...shownPages.map(
      (page): PaletteItem => ({
        id: page.id,
        group: groups.pages,
        title: words.pages[page.id],
        keywords: page.id,
        icon: page.icon,
        run: () => navigation.go(page.path),
      }),
    ),
    ...(session?.may('POST /console/api/tokens') === true
      ? [
          {
            id: 'create-token',
            group: groups.actions,
            title: words.palette.createToken,
            keywords: 'create token new key',
            icon: 'plus' as const,
            run: () => navigation.go('/console/tokens?new=agent'),
          },
        ]
      : []),
    {
      id: 'address',
      group: groups.actions,
      title: words.frame.baseAddress,
      keywords: `url endpoint base address ${apiAddress}`,
      icon: 'copy',
      run: () => void copyAddress(),
    },
    ...themes.map(
      (theme): PaletteItem => ({
        id: `theme-${theme}`,
        group: groups.actions,
        title: `${words.frame.theme}: ${words.frame.themes[theme]}`,
        keywords: `theme ${theme}`,
        icon: theme === 'dark' ? 'moon' : theme === 'light' ? 'sun' : 'screen',
        run: () => chooseTheme(theme),
      }),
    ),
    ...languageNames.map(
      (name): PaletteItem => ({
        id: `language-${name}`,
        group: groups.actions,
        title: `${words.frame.language}: ${languages[name].name}`,
        keywords: `language ${name}`,
        icon: 'language',
        run: () => void choose(name),
      }),
    ),
  ];
}

/** More than these say only that the text is too short. */
const foundMax = 60;

function Search({ items, onDone }: { readonly items: readonly PaletteItem[]; readonly onDone: () => void }) {
  const words = useWords().palette;
  const [text, setText] = useState('');
  const things = useThings(text);
  return (
    <Finder
      text={text}
      items={grouped(find([...items, ...things], text)).slice(0, foundMax)}
      words={{ ...words, field: words.title, list: words.title }}
      optionShape="h-9 items-center aria-selected:bg-wash aria-selected:text-accent"
      groupOf={({ group }) => group}
      view={({ icon, title }, isCurrent) => (
        <>
          <Icon name={icon} className={isCurrent ? '' : 'text-quiet'} />
          <span className="truncate">{title}</span>
        </>
      )}
      onText={setText}
      onPick={(item) => {
        onDone();
        item.run();
      }}
    />
  );
}

/** In the order in which they are shown, which is the order the arrow keys follow. */
function grouped(items: readonly PaletteItem[]): readonly PaletteItem[] {
  return [...Map.groupBy(items, ({ group }) => group).values()].flat();
}
