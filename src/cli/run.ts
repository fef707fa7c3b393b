/** Finds the command that was asked for and runs it. Each command loads only what it needs. */

import { envFilesIn, readEnvFiles, unreadEnvFiles } from '../config/env-files.ts';
import { nearestName } from '../config/nearest-name.ts';
import { version } from '../gateway/version.ts';

const usage = `Weir ${version}, a self-hosted model gateway.

Usage: weir COMMAND

  serve      run the gateway (the default)
  token      create, list, show, revoke and rotate tokens
  team       list and create teams and projects, add and remove members
  admin-key  create, list and revoke keys of the admin API
  apply      make teams, people, tokens, providers, routes, prices and alerts what a file says
  export     write that file
  usage      show usage and cost
  prices     show, update and confirm price lists
  explain    show where a request would go, and why
  set-up-link print a new setup link for the console while it has no account
  login      sign this computer in to a Weir as a person; print a token for scripts
  logout     end that sign-in
  doctor     show every setting and check all connections
  health     call the health URL of the running Weir
  support-bundle write an archive for people who help, without secrets
  backup     copy the database to a file while Weir runs
  restore    put a backup into the data folder of a stopped Weir
  rotate-key replace the secret key that encrypts provider keys and content
  migrate    update the database schema and exit
  version    print the version

--env-file FILE reads variables from a file, with every command.
Run weir COMMAND --help for details. Settings: docs/configuration.md.
`;

type Command = (args: readonly string[]) => Promise<number>;

export const commands = {
  serve: async () => (await import('./serve.ts')).serve,
  token: async () => (await import('./store-commands.ts')).token,
  team: async () => (await import('./store-commands.ts')).team,
  'admin-key': async () => (await import('./store-commands.ts')).adminKey,
  apply: async () => (await import('./apply/commands.ts')).apply,
  export: async () => (await import('./apply/commands.ts')).exportOrganization,
  usage: async () => (await import('./store-commands.ts')).usage,
  prices: async () => (await import('./prices/run-prices.ts')).runPrices,
  explain: async () => (await import('./explain.ts')).explain,
  login: async () => (await import('./login/login.ts')).login,
  logout: async () => (await import('./login/login.ts')).logout,
  doctor: async () => (await import('./doctor/run-doctor.ts')).runDoctor,
  health: async () => (await import('./health.ts')).health,
  'set-up-link': async () => (await import('./set-up-link.ts')).setUpLink,
  'support-bundle': async () => (await import('./support/support-bundle.ts')).supportBundle,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restoreBackup,
  'rotate-key': async () => (await import('./keys/rotate-key.ts')).rotateKey,
  migrate: async () => (await import('./store-commands.ts')).migrate,
} as const satisfies Readonly<Record<string, () => Promise<Command>>>;

/** They have no settings, or are run by programs all the time. */
const quiet: readonly string[] = ['login', 'logout', 'explain', 'health'] satisfies readonly (keyof typeof commands)[];

/** `began` is called when the command has taken its first step, before anything that it wrote can have failed. */
export async function run(argv: readonly string[], began: () => void = () => undefined): Promise<number> {
  const { argv: words, files } = envFilesIn(argv);
  const [name = 'serve', ...args] = words;
  const load = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined;
  if (load === undefined) {
    began();
    return writeUsage(name);
  }
  const unreadable = readEnvFiles(files);
  if (unreadable !== undefined) {
    process.stderr.write(`--env-file: the file ${JSON.stringify(unreadable)} cannot be read.\n`);
    return 2;
  }
  if (files.length === 0 && !quiet.includes(name)) nameUnread();
  try {
    const ended = (await load())(args);
    began();
    return await ended;
  } catch (error) {
    // Loaded only now: `serve` starts the database's thread before anything else.
    const { isPlain } = await import('./plain-errors.ts');
    if (!isPlain(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function nameUnread(): void {
  const [file] = unreadEnvFiles();
  if (file === undefined) return;
  process.stderr.write(`The file ${file} of this folder is not read. To read it, add: --env-file ${file}\n`);
}

function writeUsage(name: string): number {
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage);
    return 0;
  }
  if (name === 'version' || name === '--version') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const near = nearestName(name, Object.keys(commands));
  process.stderr.write(`Unknown command: ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}\n\n${usage}`);
  return 2;
}
