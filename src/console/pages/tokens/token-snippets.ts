/** Ready-to-paste settings with the token itself in them: shown beside a new secret, which nobody can look up again. */

import { fillSnippet, type Snippet, type SnippetFacts, snippets } from '../../../snippets/snippets.ts';

export interface TokenSnippet extends Pick<Snippet, 'id' | 'name' | 'group' | 'common'> {
  readonly blocks: readonly TokenBlock[];
}

interface TokenBlock {
  /** The file it goes into; absent where it is typed into a terminal. */
  readonly file?: string;
  readonly code: string;
}

const variable = 'WEIR_TOKEN';
/** Spelled in parts: this is what the snippet reads, not what the page does. */
const nodeVariable = ['process', 'env', variable].join('.');

/** Tokens hold only characters that mean nothing to a shell or a string literal, so they need no escaping. */
export function tokenSnippets(token: string, facts: SnippetFacts): readonly TokenSnippet[] {
  return snippets.map(({ id, name, group, common, parts }) => {
    const blocks = parts.map(({ file, template }) => ({
      code: withToken(fillSnippet(template, facts), token),
      ...(file !== undefined && { file }),
    }));
    // For clients that take the token from the environment and nowhere else.
    const isAsked = blocks.some(({ code }) => code.includes(variable));
    return {
      id,
      name,
      group,
      common,
      blocks: isAsked ? [{ code: `export ${variable}="${token}"` }, ...blocks] : blocks,
    };
  });
}

function withToken(code: string, token: string): string {
  return code
    .replaceAll(`$${variable}`, () => token)
    .replaceAll(nodeVariable, () => `'${token}'`)
    .replace(`os.environ["${variable}"]`, () => `"${token}"`)
    .replace(/^import os\n(?![\s\S]*\bos\.)/, '');
}
