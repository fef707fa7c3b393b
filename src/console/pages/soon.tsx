/** A page that a later version brings: says so, and names the command that does the same today. */

import { CodeBlock } from '../components/code-block.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { pages } from '../pages.ts';
import { useWords } from '../words/use-words.tsx';

export function Soon({ id, command }: { readonly id: (typeof pages)[number]['id']; readonly command: string }) {
  const words = useWords();
  const icon = pages.find((page) => page.id === id)?.icon ?? 'empty';
  return (
    <EmptyState icon={icon} title={words.frame.soon(words.pages[id])}>
      <p className="pb-3">{words.frame.soonHint}</p>
      <div className="text-left">
        <CodeBlock title="weir" code={command} />
      </div>
    </EmptyState>
  );
}
