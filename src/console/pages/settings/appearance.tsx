/** What belongs to this browser and to nobody’s account: theme, language, density. */

import { useState, useSyncExternalStore } from 'react';
import { Select } from '../../components/fields/field.tsx';
import { chooseDensity, chosenDensity, type Density, densities } from '../../theme/density.ts';
import { chooseTheme, chosenTheme, themes, watchTheme } from '../../theme/theme.ts';
import { languageNames, languages } from '../../words/languages.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { Section } from './section.tsx';

export function Appearance() {
  const { words, language, choose } = useSpeech();
  const theme = useSyncExternalStore(watchTheme, chosenTheme);
  const [density, setDensity] = useState<Density>(chosenDensity);
  return (
    <Section id="appearance">
      <div className="grid max-w-2xl gap-4 sm:grid-cols-3">
        <Select
          label={words.frame.theme}
          value={theme}
          options={themes.map((value) => ({ value, label: words.frame.themes[value] }))}
          onChange={(event) => chooseTheme(themes.find((one) => one === event.target.value) ?? 'system')}
        />
        <Select
          label={words.frame.language}
          value={language}
          options={languageNames.map((value) => ({ value, label: languages[value].name }))}
          onChange={(event) => {
            const chosen = languageNames.find((one) => one === event.target.value);
            if (chosen !== undefined) void choose(chosen);
          }}
        />
        <Select
          label={words.settings.density}
          value={density}
          options={densities.map((value) => ({ value, label: words.settings.densities[value] }))}
          onChange={(event) => {
            const chosen = densities.find((one) => one === event.target.value) ?? 'regular';
            chooseDensity(chosen);
            setDensity(chosen);
          }}
        />
      </div>
    </Section>
  );
}
