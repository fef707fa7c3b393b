/** Hands the words of the chosen language to every component, and changes the language without a reload. */

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { remember } from '../remembered.ts';
import type { Words } from './en.ts';
import { type LanguageName, languages } from './languages.ts';

interface Speech {
  readonly words: Words;
  readonly language: LanguageName;
  /** For numbers and dates. */
  readonly tag: string;
  choose(language: LanguageName): Promise<void>;
}

const SpeechContext = createContext<Speech | undefined>(undefined);

export function useSpeech(): Speech {
  const speech = use(SpeechContext);
  if (speech === undefined) throw new Error('No language was provided.');
  return speech;
}

export function useWords(): Words {
  return useSpeech().words;
}

interface Spoken {
  readonly language: LanguageName;
  readonly words: Words;
}

/** The first words are handed in, because nothing is worth painting without them. */
export function SpeechProvider({ first, children }: { readonly first: Spoken; readonly children: ReactNode }) {
  const [{ language, words }, setSpoken] = useState(first);
  const choose = useCallback(async (next: LanguageName) => {
    const loaded = await languages[next].load();
    remember('language', next);
    setSpoken({ language: next, words: loaded });
  }, []);
  const { tag } = languages[language];
  useEffect(() => {
    document.documentElement.lang = tag;
  }, [tag]);
  const speech = useMemo(() => ({ words, language, tag, choose }), [words, language, tag, choose]);
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}
