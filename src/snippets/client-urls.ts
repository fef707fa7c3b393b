/** The base URL that each family of client libraries takes: they append different paths to it. */

import { fillSnippet } from './snippets.ts';
import list from './texts/client-urls.json';

interface ClientUrl {
  readonly id: string;
  /** Names of clients, which are the same in every language. */
  readonly clients: string;
  readonly url: string;
}

/** `origin` is without `/v1`. */
export function clientUrlsAt(origin: string): readonly ClientUrl[] {
  return (list as readonly ClientUrl[]).map((row) => ({ ...row, url: fillSnippet(row.url, { origin, model: '' }) }));
}
