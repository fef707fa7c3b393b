/** `weir set-up-link`: a new one-time link for the first account, while there is none. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSetUp } from '../admin/accounts/set-up.ts';
import { setUpAddress } from '../admin/contracts/contract.ts';
import { loadProcessConfig } from '../config/load-process-config.ts';
import { shownHost } from '../gateway/gateway-pieces.ts';
import { secretSources } from '../gateway/store-parts.ts';
import { createDigests } from '../secrets/digests.ts';
import { purposes } from '../secrets/purposes.ts';
import type { Config } from '../settings/config.ts';
import { databaseFileName } from '../store/engines/sqlite-connection.ts';
import { openSecretRing } from '../store/secret-keys/secret-key.ts';
import type { Store } from '../store/store.ts';
import { readArguments } from './arguments.ts';
import { exitCodes, type Output, reportMistakes } from './output.ts';
import { output, withStore } from './store-commands.ts';

const usage = `Usage: weir set-up-link

Prints a new set-up link for the console. The person who opens it creates the first account, which is the owner.
It works on the database of the running Weir, so run it with the same settings: in the same folder, or in its container
(docker exec CONTAINER weir set-up-link). The link works once, within a day.`;

const words = { usage, flags: {} };

export function setUpLink(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    if (readArguments(words, args).help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    const folder = emptyFolder(loadProcessConfig());
    if (folder !== undefined) {
      output.err(
        `There is no database in ${folder}. Run this in the folder where Weir runs, or with its settings (WEIR_DATA,\n` +
          'DATABASE_URL, WEIR_CONFIG): a link works only at the Weir whose database it was written to.\n',
      );
      return exitCodes.failed;
    }
    return withStore((store, config) => setUpLinkOn(store, config, output));
  });
}

/** Opening the store would make a new database there, and a link that no running Weir knows. */
function emptyFolder({ database, server }: Config): string | undefined {
  if (database.url !== undefined || existsSync(join(server.dataFolder, databaseFileName))) return undefined;
  return server.dataFolder;
}

async function setUpLinkOn(store: Store, config: Config, to: Output): Promise<number> {
  const warn = (message: string): void => to.err(`${message}\n`);
  const secrets = await openSecretRing({ ...secretSources(config), settings: store.settings, warn });
  const digests = createDigests(secrets.purpose(purposes.setUpDigests));
  const { host, port, publicUrl } = config.server;
  const base = publicUrl ?? `http://${shownHost(host)}:${port}`;
  const code = await openSetUp({ setUp: store.setUp, digests, nowMs: Date.now });
  if (code === undefined) {
    to.err(
      `This Weir is set up already: sign in at ${base}/console\n` +
        'Forgot the password? An owner or administrator can set a new one under Settings, People. If no account can sign in,\n' +
        'start Weir once with WEIR_ADMIN_PASSWORD set: it becomes the password of the account admin, an owner.\n',
    );
    return exitCodes.failed;
  }
  to.err('Open this link to create the first account. It works once, within a day:\n');
  to.out(`${setUpAddress(base, code)}\n`);
  return exitCodes.done;
}
