/** The first hour as four steps, each with what it needs: base URL, provider, token, first request. */

import { fillSnippet, snippets } from '../../../../snippets/snippets.ts';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { Icon } from '../../../components/icon.tsx';
import { useFacts } from '../../../frame/facts.tsx';
import { withQuery } from '../../../router/navigation.ts';
import { Link, useAddress, useNavigation } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { ClientUrls } from './client-urls.tsx';
import { isComplete } from './progress.ts';
import { Step } from './step.tsx';
import { useProgress } from './use-progress.ts';

const titleId = 'first-hour';

export function Checklist({ onDismiss }: { readonly onDismiss: () => void }) {
  const words = useWords().firstHour;
  const progress = useProgress();
  const { requestId } = progress;
  if (requestId !== undefined && isComplete(progress)) return <Complete requestId={requestId} onDismiss={onDismiss} />;
  return (
    <section aria-labelledby={titleId} className="min-w-0 rounded-md border border-line bg-raised">
      <div className="flex items-start justify-between gap-4 p-4">
        <div className="grid gap-1">
          <h2 id={titleId} className="text-lg font-semibold">
            {words.title}
          </h2>
          <p className="text-quiet">{words.lead}</p>
        </div>
        <Button size="small" kind="quiet" aria-label={words.dismissThis} onClick={onDismiss}>
          {words.dismiss}
        </Button>
      </div>
      <ol>
        <Step number={1} title={words.baseUrl.title} isDone={progress.isCopied}>
          <p className="text-sm text-quiet">{words.baseUrl.lead}</p>
          <ClientUrls onCopied={progress.copiedUrl} />
        </Step>
        <ProviderStep providers={progress.providers} />
        <TokenStep hasToken={progress.hasToken} model={progress.model} />
        <RequestStep requestId={requestId} />
      </ol>
    </section>
  );
}

const namesShownMax = 5;

function ProviderStep({ providers }: { readonly providers: readonly string[] }) {
  const words = useWords().firstHour.provider;
  const session = useSession();
  const navigation = useNavigation();
  const mayAdd = session.may('POST /console/api/providers');
  const isDone = providers.length > 0;
  const shown = providers.slice(0, namesShownMax).join(', ') + (providers.length > namesShownMax ? ' …' : '');
  return (
    <Step number={2} title={words.title} isDone={isDone}>
      <p className="text-sm text-quiet">{isDone ? words.ready(shown) : mayAdd ? words.lead : words.forAdmins}</p>
      {mayAdd && !isDone && (
        <div>
          <Button icon="plus" onClick={() => navigation.go('/console/providers?add=-')}>
            {words.add}
          </Button>
        </div>
      )}
    </Step>
  );
}

function TokenStep({ hasToken, model }: { readonly hasToken: boolean; readonly model: string }) {
  const words = useWords().firstHour.token;
  const session = useSession();
  const navigation = useNavigation();
  const mayCreate = session.may('POST /console/api/tokens');
  return (
    <Step number={3} title={words.title} isDone={hasToken}>
      <p className="text-sm text-quiet">{hasToken ? words.ready : mayCreate ? words.lead : words.forViewers}</p>
      {mayCreate && !hasToken && (
        <div>
          <Button icon="plus" onClick={() => navigation.go('/console/tokens?new=1')}>
            {words.create}
          </Button>
        </div>
      )}
      {hasToken && <FirstCall model={model} />}
    </Step>
  );
}

function FirstCall({ model }: { readonly model: string }) {
  const words = useWords().firstHour.token;
  const { apiAddress } = useFacts();
  const template = snippets.find(({ id }) => id === 'curl')?.parts[0]?.template ?? '';
  const code = fillSnippet(template, { origin: apiAddress.replace(/\/v1$/, ''), model });
  return <CodeBlock title={words.snippet(model)} code={code} />;
}

function RequestStep({ requestId }: { readonly requestId: string | undefined }) {
  const words = useWords().firstHour.request;
  const session = useSession();
  const navigation = useNavigation();
  const isDone = requestId !== undefined;
  return (
    <Step number={4} title={words.title} isDone={isDone}>
      <p role="status" className="flex items-center gap-2 text-sm text-quiet">
        {!isDone && <span aria-hidden="true" className="size-2 rounded-full bg-accent motion-safe:animate-pulse" />}
        {isDone ? words.arrived : words.waiting}
      </p>
      <div className="flex flex-wrap items-center gap-4">
        {isDone && <RequestLink requestId={requestId} />}
        {!isDone && session.may('POST /console/api/playground-token') && (
          <Button icon="playground" onClick={() => navigation.go('/console/playground')}>
            {words.playground}
          </Button>
        )}
      </div>
    </Step>
  );
}

function RequestLink({ requestId }: { readonly requestId: string }) {
  const words = useWords().firstHour.request;
  return (
    <Link
      to={withQuery(useAddress(), { request: requestId })}
      className="text-sm text-accent underline underline-offset-2"
    >
      {words.view}
    </Link>
  );
}

function Complete({ requestId, onDismiss }: { readonly requestId: string; readonly onDismiss: () => void }) {
  const words = useWords().firstHour;
  return (
    <section className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-raised px-4 py-2">
      <Icon name="check" className="text-ok" />
      <p role="status" className="grow">
        {words.complete}
      </p>
      <RequestLink requestId={requestId} />
      <Button size="small" kind="quiet" aria-label={words.dismissThis} onClick={onDismiss}>
        {words.dismiss}
      </Button>
    </section>
  );
}
