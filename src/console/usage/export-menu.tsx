/** What is shown, as a file: the single requests, or their totals by chosen dimensions. */

import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../components/overlays/menu.tsx';
import { useWords } from '../words/use-words.tsx';
import { download } from './download.ts';
import { ExportTotals } from './export-totals.tsx';
import { questionWords, type UsageQuestion } from './question.ts';

interface ExportMenuProps {
  readonly question: UsageQuestion;
  readonly size: 'small' | 'medium';
}

export function ExportMenu({ question, size }: ExportMenuProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const save = (form: 'csv' | 'json') =>
    download(`/console/api/usage/export?${new URLSearchParams([...questionWords(question), ['form', form]])}`);
  return (
    <>
      <Menu
        trigger={
          <Button size={size} icon="download">
            {words.requests.export}
          </Button>
        }
      >
        <MenuItem onSelect={() => save('csv')}>{words.requests.exportCsv}</MenuItem>
        <MenuItem onSelect={() => save('json')}>{words.requests.exportJson}</MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => setOpen(true)}>{words.usage.export.open}</MenuItem>
      </Menu>
      <Dialog open={isOpen} title={words.usage.export.title} onClose={() => setOpen(false)}>
        <ExportTotals question={question} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
