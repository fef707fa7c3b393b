/** Settings by section and group; their rows come from the one table that the server has. */

import type { SettingDetailView } from '../../../admin/contracts/settings-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { Section, Subsection } from './section.tsx';
import { groupsOf, matches, type SettingSection } from './setting-groups.ts';
import { SettingRow, settingsPath } from './setting-row.tsx';

interface Settings {
  readonly items: readonly SettingDetailView[];
}

export function useSettings() {
  return useAsk<Settings>(settingsPath);
}

/** For sentences that depend on a setting. */
export function valueAt(settings: Settings | undefined, key: string): unknown {
  return settings?.items.find((setting) => setting.key === key)?.value;
}

export function SettingGroups({ section, text = '' }: { readonly section: SettingSection; readonly text?: string }) {
  const { settings: words, server } = useWords();
  const { data, error, refetch } = useSettings();
  if (error !== null && data === undefined) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText lines={6} />;
  const isFound = (setting: SettingDetailView) =>
    text === '' || matches(setting, text, server.meaning(setting.key, setting.meaning));
  const found = data.items.filter(isFound);
  const groups = groupsOf(found, section);
  if (groups.length === 0) return <EmptyState icon="search" title={words.noSetting} />;
  return groups.map(({ group, settings }) => (
    <Subsection key={group} title={headingOf(group, words.groups)}>
      <ul className="rounded-md border border-line bg-raised">
        {settings.map((setting) => (
          <SettingRow key={setting.key} setting={setting} />
        ))}
      </ul>
    </Subsection>
  ));
}

/** A group that nobody gave a heading is shown by its own name. */
function headingOf(group: string, headings: Readonly<Record<string, string>>): string {
  return headings[group === '' ? 'whole' : group] ?? group;
}

export function Limits() {
  return (
    <Section id="limits">
      <SettingGroups section="limits" />
    </Section>
  );
}

export function OtherSettings() {
  const words = useWords().settings;
  const [text, setText] = useQueryWord('setting', { replace: true });
  return (
    <Section id="other">
      <FilterField label={words.filterSettings} value={text ?? ''} onChange={setText} />
      <SettingGroups section="other" text={text ?? ''} />
    </Section>
  );
}
