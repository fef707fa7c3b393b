/**
 * Ready-to-paste settings for clients, as text files with the address left open: a vendor's name belongs to them, not to our code. The
 * home page and the console show the same ones.
 */

import aiSdk from './texts/ai-sdk.txt' with { type: 'text' };
import claudeCode from './texts/claude-code.txt' with { type: 'text' };
import codex from './texts/codex.txt' with { type: 'text' };
import curl from './texts/curl.txt' with { type: 'text' };
import geminiCli from './texts/gemini-cli.txt' with { type: 'text' };
import list from './texts/list.json';
import node from './texts/node.txt' with { type: 'text' };
import python from './texts/python.txt' with { type: 'text' };

export interface Snippet {
  readonly id: string;
  readonly name: string;
  /** The file it goes into; absent where it is typed into a terminal. */
  readonly file?: string;
  readonly template: string;
}

const templates = { curl, python, node, aiSdk, claudeCode, codex, geminiCli } as const;

export const snippets: readonly Snippet[] = list.map(({ template, ...snippet }) => ({
  ...snippet,
  template: templates[template as keyof typeof templates].trimEnd(),
}));

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
