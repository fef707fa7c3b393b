/** What to give to a client library as its base URL, for each family of libraries. */

import { useRef } from 'react';
import { clientUrlsAt } from '../../../../snippets/client-urls.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useFacts } from '../../../frame/facts.tsx';
import { useWords } from '../../../words/use-words.tsx';

export function ClientUrls({ onCopied }: { readonly onCopied: () => void }) {
  const { apiAddress } = useFacts();
  return (
    <dl className="grid max-w-2xl gap-2">
      {clientUrlsAt(apiAddress.replace(/\/v1$/, '')).map(({ id, clients, url }) => (
        <ClientUrl key={id} clients={clients} url={url} onCopied={onCopied} />
      ))}
    </dl>
  );
}

interface ClientUrlProps {
  readonly clients: string;
  readonly url: string;
  onCopied(): void;
}

function ClientUrl({ clients, url, onCopied }: ClientUrlProps) {
  const words = useWords().firstHour.baseUrl;
  const shown = useRef<HTMLElement>(null);
  const copy = { text: url, what: words.copyOf(clients), shown, onCopied };
  return (
    <div className="grid items-center gap-x-4 sm:grid-cols-[220px_minmax(0,1fr)]">
      <dt className="text-sm text-quiet">{clients}</dt>
      <dd className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <code ref={shown} className="min-w-0 grow text-sm break-all">
          {url}
        </code>
        <span className="max-sm:hidden">
          <CopyButton {...copy} />
        </span>
        <span className="sm:hidden">
          <CopyButton {...copy} bare />
        </span>
      </dd>
    </div>
  );
}
