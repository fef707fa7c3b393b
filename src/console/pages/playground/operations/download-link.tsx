/** Takes a result to the person's own disk. */

import { useWords } from '../../../words/use-words.tsx';

interface DownloadLinkProps {
  readonly href: string | undefined;
  readonly name: string;
  /** What is downloaded, for those who hear the page. */
  readonly what: string;
}

export function DownloadLink({ href, name, what }: DownloadLinkProps) {
  const words = useWords().operations;
  if (href === undefined) return null;
  return (
    <a
      href={href}
      download={name}
      aria-label={words.downloadThis(what)}
      className="inline-flex h-7 items-center rounded-md border border-line bg-raised px-2.5 text-sm font-medium whitespace-nowrap hover:bg-sunken"
    >
      {words.download}
    </a>
  );
}
