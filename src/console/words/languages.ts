/** The languages of the console. Adding one is a file beside this and a line below. */

import { remembered } from '../remembered.ts';
import { en, type Words } from './en.ts';

interface Language {
  /** In its own words, for those who cannot read the others. */
  readonly name: string;
  readonly tag: string;
  load(): Promise<Words>;
}

export const languages = {
  en: { name: 'English', tag: 'en', load: async () => en },
  zh: { name: '简体中文', tag: 'zh-CN', load: async () => (await import('./zh.ts')).zh },
} as const satisfies Record<string, Language>;

export type LanguageName = keyof typeof languages;

export const languageNames = Object.keys(languages) as readonly LanguageName[];

/** The first language of the list that the console has; English where it has none of them. */
export function bestLanguage(wanted: readonly string[]): LanguageName {
  for (const tag of wanted) {
    const plain = tag.toLowerCase().split('-', 1)[0] ?? '';
    const found = languageNames.find((name) => name === plain);
    if (found !== undefined) return found;
  }
  return 'en';
}

export function chosenLanguage(): LanguageName {
  const kept = remembered('language');
  return bestLanguage(kept === undefined ? navigator.languages : [kept]);
}
