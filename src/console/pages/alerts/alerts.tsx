/** Alerts: what was raised and where it went, the rules that choose, and the channels that receive. */

import { Tabs } from '../../components/tabs.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { Channels } from './channels.tsx';
import { History } from './history.tsx';
import { Rules } from './rules.tsx';

const first = 'history';

export function Page() {
  const words = useWords().alerts;
  const [tab, setTab] = useQueryWord('tab');
  return (
    <Tabs
      label={words.tabsLabel}
      value={tab ?? first}
      onChange={(id) => setTab(id === first ? undefined : id)}
      opensBy="press"
      tabs={[
        { id: 'history', label: words.tabs.history, content: <History /> },
        { id: 'rules', label: words.tabs.rules, content: <Rules /> },
        { id: 'channels', label: words.tabs.channels, content: <Channels /> },
      ]}
    />
  );
}
