/** Why something was refused, in the person's words and with the next step; what the gateway itself said stands below. */

import type { ReactNode } from 'react';
import { Id } from '../../../components/code-block.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Link } from '../../../router/router.tsx';
import { useSessionState } from '../../../session/session.tsx';
import type { Words } from '../../../words/en.ts';
import { useWords } from '../../../words/use-words.tsx';

interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
}

type KnownCode = keyof Words['playground']['refusals'];

export function RefusalNotice({ refusal, children }: { readonly refusal: Refusal; readonly children?: ReactNode }) {
  const words = useWords();
  const { session } = useSessionState();
  const { refusals } = words.playground;
  const known = refusal.code in refusals ? refusals[refusal.code as KnownCode] : undefined;
  const first = refusal.code === 'unreachable' ? words.parts.unreachable : (known ?? refusal.message);
  const second = first === refusal.message ? '' : refusal.message;
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-md border border-line border-l-bad bg-raised p-3 [border-left-width:3px]"
    >
      <Icon name="bad" className="mt-0.5 text-bad" />
      <div className="grid min-w-0 grow gap-1.5">
        <p className="break-words">{first}</p>
        {second !== '' && <p className="text-sm break-words text-quiet">{second}</p>}
        <dl className="flex flex-wrap items-center gap-x-6 text-xs text-quiet">
          <div className="flex h-7 items-center gap-2">
            <dt>{words.parts.code}</dt>
            <dd className="font-mono text-text">{refusal.code}</dd>
          </div>
          {refusal.requestId !== '' && (
            <div className="flex h-7 min-w-0 items-center gap-2">
              <dt className="shrink-0">{words.parts.requestId}</dt>
              <dd className="flex min-w-0 items-center gap-3 text-text">
                <Id value={refusal.requestId} what={words.parts.requestId} />
                {session?.may('GET /console/api/usage/requests/{id}') === true && (
                  <Link
                    to={`/console/requests?${new URLSearchParams({ request: refusal.requestId })}`}
                    className="shrink-0 text-accent underline-offset-2 hover:underline"
                  >
                    {words.tasks.toRequest}
                  </Link>
                )}
              </dd>
            </div>
          )}
        </dl>
        {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
      </div>
    </div>
  );
}

export function refusalFrom(error: unknown): Refusal {
  const { message = '', code = 'error', requestId = '' } = (error ?? {}) as Partial<Refusal>;
  return { message: message || String(error), code: String(code), requestId };
}
