/** Writes the table of docs/admin-api.md from the description of the admin API. */

import { roles } from '../src/access/account.ts';
import { openApiDocument } from '../src/endpoints/openapi/document.ts';

export const adminPageFile = 'docs/admin-api.md';

const begin = '<!-- `npm run docs:admin` writes this table. -->';
const end = '<!-- The end of the table. -->';

interface Operation {
  readonly summary: string;
  readonly 'x-weir-scope': string;
  readonly 'x-weir-roles': readonly string[];
}

/** The page with the current routes in its table. */
export function withAdminRoutes(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${adminPageFile} has no lines "${begin}" and "${end}".`);
  return `${page.slice(0, from)}${begin}\n\n${tableText()}\n\n${page.slice(to)}`;
}

function tableText(): string {
  const { paths } = openApiDocument({ origin: '', version: '' }) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const rows = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const { 'x-weir-scope': scope, 'x-weir-roles': admitted, summary } = operation;
        const who = admitted.length === roles.length ? 'all' : admitted.join(', ');
        return `| ${method.toUpperCase()} | \`${path}\` | \`${scope}\` | ${who} | ${summary} |`;
      }),
    );
  return ['| method | path | scope | roles | |', '|---|---|---|---|---|', ...rows].join('\n');
}
