/** The first thing a failed request shows: what happened, what was said, and what to do next. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { Icon } from '../../../components/icon.tsx';
import { Link } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { failureOf } from './failure.ts';

export function FailureNotice({ story }: { readonly story: RequestDetailView }) {
  const words = useWords().failures;
  const failure = failureOf(story);
  const maySee = useSession().may('GET /console/api/providers');
  if (failure === undefined) return null;
  const reasons = words.reasons as Readonly<Record<string, typeof words.reasons.other | undefined>>;
  const { what, next } = reasons[failure.reason] ?? words.reasons.other;
  const { error, provider } = failure;
  const source =
    provider === undefined
      ? words.sent
      : error?.status === undefined
        ? words.attemptAt(provider)
        : words.replied(provider, error.status);
  return (
    <section
      aria-label={words.title}
      className="flex items-start gap-3 rounded-md border border-line border-l-bad bg-raised p-3 [border-left-width:3px]"
    >
      <Icon name="bad" className="mt-0.5 text-bad" />
      <div className="grid min-w-0 grow gap-2 text-sm">
        <h3 className="font-semibold">{what}</h3>
        {error === undefined ? (
          <p className="text-quiet">{words.notRecorded}</p>
        ) : (
          <div className="grid gap-1">
            <p className="text-xs text-quiet">{source}</p>
            <p className="rounded-sm bg-sunken px-2.5 py-2 font-mono text-xs break-words whitespace-pre-wrap">
              {error.message}
            </p>
          </div>
        )}
        <p>
          <span className="text-quiet">{words.whatNow}: </span>
          {next}{' '}
          {provider !== undefined && maySee && (
            <Link
              to={`/console/providers?${new URLSearchParams({ provider })}`}
              className="font-medium text-accent underline-offset-2 hover:underline"
            >
              {words.openProvider(provider)}
            </Link>
          )}
        </p>
      </div>
    </section>
  );
}
