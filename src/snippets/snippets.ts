/**
 * Ready-to-paste settings for clients, as text files with the address left open: a vendor's name belongs to them, not to our code. The
 * home page, the console and the documents show the same ones.
 */

import list from './texts/list.json';
import { texts } from './texts.ts';

interface SnippetPart {
  /** The file it goes into; absent where it is typed into a terminal. */
  readonly file?: string;
  readonly template: string;
}

/** What one client needs, in the order in which it is done. */
export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly group: 'code' | 'agents';
  /** Shown at once; the others are a choice away. */
  readonly common: boolean;
  readonly parts: readonly SnippetPart[];
}

export const snippets: readonly Snippet[] = (list as readonly Listed[]).map(
  ({ parts, common = false, ...snippet }) => ({
    ...snippet,
    common,
    parts: parts.map(({ text, ...part }) => ({ ...part, template: texts[text].trimEnd() })),
  }),
);

interface Listed extends Pick<Snippet, 'id' | 'name' | 'group'> {
  readonly common?: boolean;
  readonly parts: readonly { readonly file?: string; readonly text: keyof typeof texts }[];
}

export interface SnippetFacts {
  /** Without `/v1`. */
  readonly origin: string;
  readonly model: string;
}

export function fillSnippet(template: string, { origin, model }: SnippetFacts, mark = (text: string) => text): string {
  return template
    .replace(/%api%[\w/]*/g, (place) => mark(place.replace('%api%', `${origin}/v1`)))
    .replaceAll('%origin%', () => mark(origin))
    .replaceAll('%model%', () => model);
}
