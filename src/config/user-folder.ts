/** The folder for the settings of the person who runs a command, by the environment. */

import { homedir } from 'node:os';
import { join } from 'node:path';

export function userConfigFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const chosen = environment['XDG_CONFIG_HOME'];
  if (chosen?.startsWith('/')) return join(chosen, 'weir');
  const roaming = process.platform === 'win32' ? environment['APPDATA'] : undefined;
  return roaming === undefined ? join(environment['HOME'] ?? homedir(), '.config', 'weir') : join(roaming, 'weir');
}
