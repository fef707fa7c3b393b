/** The figures behind a state: how many attempts failed, how quick those were that served, and the last error. */

import type { ReactNode } from 'react';
import type { LastErrorView, ShownTargetHealth } from '../../admin/contracts/health-contract.ts';
import { Time } from '../components/amounts.tsx';
import { Link } from '../router/router.tsx';
import { useSession } from '../session/session.tsx';
import { countText, shareText } from '../texts/number.ts';
import { durationText } from '../texts/time.ts';
import { useSpeech, useWords } from '../words/use-words.tsx';

type Figures = Omit<ShownTargetHealth, 'state'>;

const numbers = 'font-mono text-[0.93em] tabular-nums whitespace-nowrap';

export function ErrorRate({ figures }: { readonly figures: Pick<Figures, 'errorRate'> }) {
  const { words, tag } = useSpeech();
  const { errorRate } = figures;
  return <span className={numbers}>{errorRate === undefined ? words.parts.none : shareText(errorRate, tag)}</span>;
}

export function Speed({ figures }: { readonly figures: Pick<Figures, 'tokensPerSecond'> }) {
  const { words, tag } = useSpeech();
  const { tokensPerSecond } = figures;
  if (tokensPerSecond === undefined) return <span className={numbers}>{words.parts.none}</span>;
  return <span className={numbers}>{words.health.tokensPerSecond(countText(tokensPerSecond, tag))}</span>;
}

function Percentiles({ of }: { readonly of: { readonly p50: number; readonly p95?: number } | undefined }) {
  const { words, tag } = useSpeech();
  if (of === undefined) return <span className={numbers}>{words.parts.none}</span>;
  const text = (ms: number) => durationText(ms, tag, words.units);
  return (
    <span className={numbers}>
      {of.p95 === undefined ? text(of.p50) : words.health.percentiles(text(of.p50), text(of.p95))}
    </span>
  );
}

/** What is absent for this account takes no place. */
export function FigureList({ figures }: { readonly figures: Figures }) {
  const { words, tag } = useSpeech();
  const { attempts, failed } = figures;
  const own = words.health;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-sm">
      {attempts !== undefined && (
        <Figure name={own.errorRate}>
          <ErrorRate figures={figures} />{' '}
          <span className="text-xs text-quiet">
            {own.failedOf(countText(failed ?? 0, tag), countText(attempts, tag))}
          </span>
        </Figure>
      )}
      <Figure name={own.firstTokens}>
        <Percentiles of={figures.firstTokenMs} />
      </Figure>
      {attempts !== undefined && (
        <>
          <Figure name={own.total}>
            <Percentiles of={figures.totalMs} />
          </Figure>
          <Figure name={own.speed}>
            <Speed figures={figures} />
          </Figure>
        </>
      )}
    </dl>
  );
}

export function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-xs text-quiet">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

interface LastErrorProps {
  readonly error: LastErrorView;
  /** Which key and model it was about, where the place does not say so already. */
  readonly about?: 'key' | 'model' | 'both';
  readonly short?: boolean;
}

/** “HTTP 401 · Invalid API key. · 2m ago”: what the provider said, as text. */
export function LastError({ error, about, short = false }: LastErrorProps) {
  const words = useWords().health;
  const maySee = useSession().may('GET /console/api/usage/requests/{id}');
  const { status, code, message, keyId, model, requestId } = error;
  const parts = [
    ...(about === 'model' || about === 'both' ? [model] : []),
    ...((about === 'key' || about === 'both') && keyId !== '' ? [words.keyOf(keyId)] : []),
  ].filter((part) => part !== '');
  return (
    <div className="grid min-w-0 gap-0.5 text-sm" data-last-error>
      <p className={short ? 'truncate' : 'line-clamp-3 break-words'} title={message}>
        <span className="font-medium text-bad">{status === undefined ? code : words.httpStatus(`${status}`)}</span>
        {message !== '' && <span> {message}</span>}
      </p>
      <p className="flex min-w-0 flex-wrap gap-x-2 text-xs text-quiet">
        <Time at={error.at} />
        {parts.map((part) => (
          <code key={part} className="truncate">
            {part}
          </code>
        ))}
        {requestId !== undefined && maySee && !short && (
          <Link
            to={`/console/requests?${new URLSearchParams({ request: requestId })}`}
            className="text-accent underline-offset-2 hover:underline"
          >
            {words.openRequest}
          </Link>
        )}
      </p>
    </div>
  );
}
