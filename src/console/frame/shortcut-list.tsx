/** All keys in one list, so that nobody has to guess them. */

import { Key } from '../components/badge.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { modKeyText } from '../keyboard/use-shortcut.tsx';
import { railPages } from '../pages.ts';
import { useWords } from '../words/use-words.tsx';

interface Line {
  readonly keys: readonly string[];
  readonly word: string;
}

export function ShortcutList({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  const { keys, pages, frame } = useWords();
  const sections: readonly { readonly title: string; readonly lines: readonly Line[]; readonly sequence?: boolean }[] =
    [
      {
        title: keys.anywhere,
        lines: [
          { keys: [modKeyText(), 'K'], word: keys.palette },
          { keys: ['/'], word: keys.filter },
          { keys: ['?'], word: keys.help },
          { keys: ['Esc'], word: keys.close },
        ],
      },
      {
        title: keys.inTables,
        lines: [
          { keys: ['j'], word: keys.next },
          { keys: ['k'], word: keys.previous },
          { keys: ['↵'], word: keys.open },
          { keys: ['Space'], word: keys.select },
          { keys: ['n'], word: keys.newToken },
        ],
      },
      {
        title: keys.goTo,
        sequence: true,
        lines: railPages.map(({ id, letter }) => ({ keys: ['g', letter ?? ''], word: pages[id] })),
      },
    ];
  return (
    <Dialog open={open} title={frame.shortcuts} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-5 overflow-y-auto p-5 sm:grid-cols-2">
        {sections.map(({ title, lines, sequence }) => (
          <section key={title} className={sequence === true ? 'sm:col-start-2 sm:row-span-2 sm:row-start-1' : ''}>
            <h3 className="pb-2 text-xs font-medium text-quiet">{title}</h3>
            <dl className="grid gap-1.5 text-sm">
              {lines.map((line) => (
                <div key={line.word} className="flex items-center justify-between gap-4">
                  <dt>{line.word}</dt>
                  <dd className="flex items-center gap-1">
                    {line.keys.map((key, index) => (
                      <span key={key} className="flex items-center gap-1">
                        {index > 0 && sequence === true && <span className="text-xs text-quiet">{keys.andThen}</span>}
                        <Key>{key}</Key>
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
