/** What Weir keeps and for how long, first in plain words, then as the settings that say so. */

import { Icon } from '../../components/icon.tsx';
import { lastingText } from '../../texts/lasting.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { safetyFacts } from './safety-facts.ts';
import { Section } from './section.tsx';
import { SettingGroups, useSettings, valueAt } from './setting-sections.tsx';

export function Retention() {
  return (
    <Section id="retention">
      <KeptThings />
      <SettingGroups section="retention" />
    </Section>
  );
}

function KeptThings() {
  const { words: all, tag } = useSpeech();
  const words = all.settings.kept;
  const { data } = useSettings();
  if (data === undefined) return null;
  const days = (key: string): number | undefined => {
    const value = valueAt(data, key);
    return typeof value === 'number' ? value : undefined;
  };
  const isOn = (key: string): boolean => valueAt(data, key) === true;
  const rowDays = days('usage.retention_days');
  const lasting = (ms: number) => lastingText(ms, tag, all.units);
  const videoMs = days('tasks.result_lifetime_ms');
  const things = [
    { isKept: true, text: rowDays === undefined ? words.rowsForEver : words.rowsFor(rowDays) },
    isOn('content_storage.requests')
      ? { isKept: true, text: words.contentFor(days('content_storage.request_days') ?? 0) }
      : { isKept: false, text: words.noContent },
    isOn('content_storage.responses')
      ? { isKept: true, text: words.repliesFor(days('content_storage.response_days') ?? 0) }
      : { isKept: false, text: words.noReplies },
    ...(videoMs === undefined ? [] : [{ isKept: true, text: words.videosFor(lasting(videoMs)) }]),
    { isKept: true, text: words.auditFor(lasting(safetyFacts.auditMs)) },
    { isKept: false, text: words.noSecrets },
  ];
  return (
    <ul className="grid gap-2 rounded-md border border-line bg-raised p-4 text-sm">
      {things.map(({ isKept, text }) => (
        <li key={text} className="flex items-start gap-2.5">
          <Icon name={isKept ? 'check' : 'close'} className={`mt-0.5 ${isKept ? 'text-accent' : 'text-quiet'}`} />
          <span className="text-pretty">{text}</span>
        </li>
      ))}
    </ul>
  );
}
