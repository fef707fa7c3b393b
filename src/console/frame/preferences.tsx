/** Theme and language, which belong to the browser and not to an account: they work before anybody signs in. */

import { useSyncExternalStore } from 'react';
import { IconButton } from '../components/button.tsx';
import type { IconName } from '../components/icon.tsx';
import { Menu, MenuChoice } from '../components/overlays/menu.tsx';
import { chooseTheme, chosenTheme, type Theme, themes, watchTheme } from '../theme/theme.ts';
import { languageNames, languages } from '../words/languages.ts';
import { useSpeech, useWords } from '../words/use-words.tsx';

const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

export function ThemeMenu() {
  const words = useWords().frame;
  const theme = useSyncExternalStore(watchTheme, chosenTheme);
  const options = themes.map((value) => ({ value, label: words.themes[value], icon: themeIcons[value] }));
  return (
    <Menu trigger={<IconButton icon={themeIcons[theme]} label={words.theme} hideTip />}>
      <MenuChoice value={theme} options={options} onChoose={chooseTheme} />
    </Menu>
  );
}

/** The choice as it stands in a menu. */
export function LanguageChoice() {
  const { language, choose } = useSpeech();
  const options = languageNames.map((value) => ({ value, label: languages[value].name }));
  return <MenuChoice value={language} options={options} onChoose={(chosen) => void choose(chosen)} />;
}

export function LanguageMenu() {
  return (
    <Menu trigger={<IconButton icon="language" label={useWords().frame.language} hideTip />}>
      <LanguageChoice />
    </Menu>
  );
}
