/** Finds a token by its id, by the beginning of its id, or by its name. */

import type { TokenRecord } from '../../access/caller.ts';
import type { TokenTable } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

const pageSize = 500;
/** How many namesakes an error lists. */
const listedMax = 5;

/** An id wins over a name, a name over the beginning of an id, and a living token over revoked namesakes. */
export async function findToken(tokens: Pick<TokenTable, 'byId' | 'list'>, reference: string): Promise<TokenRecord> {
  if (reference === '') throw new GatewayError('field_missing', 'id: is required', { param: 'id' });
  const exact = await tokens.byId(reference);
  if (exact !== undefined) return exact;
  const named: TokenRecord[] = [];
  const begun: TokenRecord[] = [];
  for await (const record of allTokens(tokens)) {
    if (record.terms.name === reference) named.push(record);
    else if (record.id.startsWith(reference)) begun.push(record);
  }
  const living = named.filter((record) => record.revokedAtMs === undefined);
  const candidates = [living, named, begun].find((records) => records.length > 0) ?? [];
  const [only, another] = candidates;
  if (only === undefined) throw new GatewayError('not_found', 'No token has this ID or name.', { param: 'id' });
  if (another === undefined) return only;
  const listed = candidates.slice(0, listedMax).map((record) => `${record.id} (${record.terms.name})`);
  const more = candidates.length > listedMax ? ` and ${candidates.length - listedMax} more` : '';
  throw new GatewayError('field_invalid', `Several tokens match: ${listed.join(', ')}${more}. Enter a full ID.`, {
    param: 'id',
  });
}

async function* allTokens(tokens: Pick<TokenTable, 'list'>): AsyncGenerator<TokenRecord> {
  let afterId: string | undefined;
  for (;;) {
    const page = await tokens.list(afterId === undefined ? { limit: pageSize } : { afterId, limit: pageSize });
    yield* page;
    afterId = page.at(-1)?.id;
    if (page.length < pageSize || afterId === undefined) return;
  }
}
