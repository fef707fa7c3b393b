/** The text of a price table, from the URL or the file that the operator configured. */

import { readTableFile } from '../store/prices/table-file.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { fetchTable, tableBytesMax } from '../upstream/fetch-table.ts';

type TableTextReader = (address: string, signal?: AbortSignal) => Promise<string>;

/** Through the same proxy and with the same certificates as all other egress. */
export function createTableTextReader(egressRoutes: Pick<EgressRoutes, 'of'>): TableTextReader {
  return async (address, signal) => {
    const bytes = await (/^https?:\/\//i.test(address) ? fetched(address, egressRoutes, signal) : inFile(address));
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new Error('It is not text in UTF-8.');
    }
  };
}

function fetched(
  address: string,
  egressRoutes: Pick<EgressRoutes, 'of'>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const transport = egressRoutes.of({}).transport;
  const guarded = egressRoutes.of({ guarded: true }).transport;
  return fetchTable(address, { transport, guarded, signal }).catch((error: unknown) => {
    throw new Error(`It could not be fetched. ${error instanceof Error ? error.message : String(error)}`);
  });
}

async function inFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await readTableFile(path, tableBytesMax);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === 'ENOENT') throw new Error('File not found.');
    throw new Error(`It could not be read. ${error instanceof Error ? error.message : String(error)}`);
  }
}
