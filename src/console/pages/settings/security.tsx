/** What guards this Weir: bounds that hold everywhere, and the settings about proxies, ways out and secrets. */

import { FactRows } from '../../components/fact-rows.tsx';
import { lastingText } from '../../texts/lasting.ts';
import { countText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { safetyFacts } from './safety-facts.ts';
import { Section, Subsection } from './section.tsx';
import { SettingGroups } from './setting-sections.tsx';

export function Security() {
  const { words: all, tag } = useSpeech();
  const words = all.settings;
  const lasting = (ms: number) => lastingText(ms, tag, all.units);
  const count = (value: number) => countText(value, tag);
  const { sessionIdleMs, sessionTotalMs, tries, triesPerAddress, triesPerName, triesWindowMs } = safetyFacts;
  return (
    <Section id="security">
      <Subsection title={words.always}>
        <div className="rounded-md border border-line bg-raised px-4 py-1">
          <FactRows
            facts={[
              { name: words.sessions, value: words.sessionBounds(lasting(sessionIdleMs), lasting(sessionTotalMs)) },
              {
                name: words.signIns,
                value: words.signInBounds(
                  count(tries),
                  count(triesPerAddress),
                  count(triesPerName),
                  lasting(triesWindowMs),
                ),
              },
              { name: words.passwordsTitle, value: words.passwordBounds(count(safetyFacts.passwordLengthMin)) },
              { name: words.playgroundTokens, value: words.playgroundBounds(lasting(safetyFacts.playgroundTokenMs)) },
            ]}
          />
        </div>
      </Subsection>
      <SettingGroups section="security" />
    </Section>
  );
}
