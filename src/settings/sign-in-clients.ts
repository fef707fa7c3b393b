/** Programs that may ask for a device code: two of Weir's own list, and those of the operator. */

interface DeviceClient {
  readonly id: string;
  readonly name: string;
}

const ownClients: readonly DeviceClient[] = [
  { id: 'weir-cli', name: 'Weir command line' },
  { id: 'claude-code', name: 'Claude Code' },
];

/** Claude Code sends no client id (seen with version 2.1.197). It is the only client that may leave it out. */
export const unnamedClientId = 'claude-code';

/** `id` or `id=Name`. */
function clientOf(entry: string): DeviceClient {
  const at = entry.indexOf('=');
  const id = (at === -1 ? entry : entry.slice(0, at)).trim();
  const name = at === -1 ? '' : entry.slice(at + 1).trim();
  return { id, name: name === '' ? id : name };
}

export function findClient(id: string, entries: readonly string[] = []): DeviceClient | undefined {
  return [...ownClients, ...entries.map(clientOf)].find((client) => client.id === id && id !== '');
}
