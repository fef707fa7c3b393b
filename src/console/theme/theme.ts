/** Light, dark or whatever the system says: remembered per browser, and set on the root where every colour looks. */

import { remember, remembered } from '../remembered.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function chosenTheme(): Theme {
  const kept = remembered('theme');
  return themes.find((theme) => theme === kept) ?? 'system';
}

/** The system's choice is the absence of ours. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? undefined : theme);
  applyTheme(theme);
  dispatchEvent(new Event(themeChanged));
}

const themeChanged = 'weir-theme';

/** For components that show which theme was chosen, wherever it was chosen. */
export function watchTheme(listener: () => void): () => void {
  addEventListener(themeChanged, listener);
  return () => removeEventListener(themeChanged, listener);
}
