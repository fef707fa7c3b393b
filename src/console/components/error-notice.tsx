/** A failure as the person needs it: what happened, its code and request id for whoever helps, and what to do next. */

import { AskError } from '../api/ask.ts';
import { useWords } from '../words/use-words.tsx';
import { Button } from './button.tsx';
import { Id } from './code-block.tsx';
import { Icon } from './icon.tsx';

export function ErrorNotice({ error, onAgain }: { readonly error: unknown; readonly onAgain?: () => void }) {
  const { parts: words, server } = useWords();
  const asked = error instanceof AskError ? error : undefined;
  const unreachable = asked?.code === 'unreachable';
  const said = error instanceof Error ? error.message : String(error);
  const message = unreachable ? words.unreachable : server.error(asked?.code ?? '', said);
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-md border border-line border-l-bad bg-raised p-3 [border-left-width:3px]"
    >
      <Icon name="bad" className="mt-0.5 text-bad" />
      <div className="grid min-w-0 grow gap-2">
        <p className="break-words">{message}</p>
        {asked !== undefined && !unreachable && (
          <dl className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xs text-quiet">
            <div className="flex h-7 items-center gap-2">
              <dt>{words.code}</dt>
              <dd className="font-mono text-text">{asked.code}</dd>
            </div>
            {asked.requestId !== '' && (
              <div className="flex h-7 min-w-0 items-center gap-2">
                <dt className="shrink-0">{words.requestId}</dt>
                <dd className="min-w-0 text-text">
                  <Id value={asked.requestId} what={words.requestId} />
                </dd>
              </div>
            )}
          </dl>
        )}
        {onAgain !== undefined && (
          <div>
            <Button size="small" onClick={onAgain}>
              {words.again}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
