/** Single requests as a file: what the list shows, and what an invoice needs: labels, owner, team, end user, key and error. */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { RequestErrorStore } from '../../store/requests/request-errors.ts';
import type { TokenFacts, TokenStore } from '../../store/tokens/token-store.ts';
import type { ExportForm, ExportRowView } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { factsOf } from './dimensions.ts';
import { csvTable, jsonText } from './export-text.ts';
import { rowView } from './usage.ts';

export interface RequestExportParts {
  readonly tokens: Pick<TokenStore, 'facts'>;
  readonly errors: Pick<RequestErrorStore, 'messagesOf'>;
}

/** New ones go to the end: people have sheets that know the others by their place. */
export const exportColumns = [
  'requestId',
  'at',
  'tokenId',
  'tokenName',
  'endpoint',
  'model',
  'provider',
  'upstreamModel',
  'stream',
  'attempts',
  'status',
  'code',
  'inputTokens',
  'outputTokens',
  'costUsd',
  'costNano',
  'estimated',
  'firstEventMs',
  'totalMs',
  'priceVersion',
  'cacheReadTokens',
  'labels',
  'ownerId',
  'ownerName',
  'endUser',
  'keyId',
  'error',
  'requests',
  'teamId',
  'teamName',
  'projectId',
  'projectName',
  'tags',
] as const satisfies readonly (keyof ExportRowView)[];

/** Of tokens, that an export remembers. */
const factsMax = 10_000;

/** In pieces, each of some hundred rows. */
export function requestExport(
  parts: RequestExportParts,
  pages: AsyncIterable<readonly UsageRow[]>,
  form: ExportForm,
): AsyncIterable<string> {
  const rows = exportRows(parts, pages);
  return form === 'csv' ? csvTable(exportColumns, rows) : jsonText(rows);
}

/** Each token is looked for once, and the errors of a page together, however many rows there are. */
export async function* exportRows(
  { tokens, errors }: RequestExportParts,
  pages: AsyncIterable<readonly UsageRow[]>,
): AsyncGenerator<readonly ExportRowView[]> {
  const known = new Map<string, TokenFacts | undefined>();
  for await (const rows of pages) {
    if (known.size > factsMax) known.clear();
    const unknown = [...new Set(rows.map(({ tokenId }) => tokenId))].filter((id) => !known.has(id));
    const failed = rows.filter(({ code }) => code !== '').map(({ requestId }) => requestId);
    const [facts, messages] = await Promise.all([factsOf(tokens, unknown), errors.messagesOf(failed)]);
    for (const id of unknown) known.set(id, facts.get(id));
    yield rows.map((row) => exportRow(row, known.get(row.tokenId), messages.get(row.requestId)));
  }
}

function exportRow(row: UsageRow, token: TokenFacts | undefined, error: string | undefined): ExportRowView {
  return withoutAbsent<ExportRowView>({
    ...rowView(row),
    tokenName: token?.name,
    labels: token === undefined || token.labels.length === 0 ? undefined : token.labels,
    ownerId: token?.ownerId ?? undefined,
    ownerName: token?.ownerName ?? undefined,
    teamId: token?.teamId ?? undefined,
    teamName: token?.teamName ?? undefined,
    projectId: token?.projectId ?? undefined,
    projectName: token?.projectName ?? undefined,
    error,
  });
}
