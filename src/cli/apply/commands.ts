/** `weir apply`: makes the organization what a file says. `weir export`: writes that file. */

import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { mintToken } from '../../access/token-format.ts';
import { createPasswords } from '../../admin/accounts/passwords.ts';
import { loadProcessConfig } from '../../config/load-process-config.ts';
import { processEnvironment } from '../../config/process-environment.ts';
import { openEntries } from '../../configuration/kept-entries.ts';
import { storeOptions } from '../../gateway/store-options.ts';
import { secretSources } from '../../gateway/store-parts.ts';
import { createDigests } from '../../secrets/digests.ts';
import { purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { Config } from '../../settings/config.ts';
import { endpointNames } from '../../snippets/endpoints.ts';
import { openStore } from '../../store/open-store.ts';
import { openSecretRing } from '../../store/secret-keys/secret-key.ts';
import type { Store } from '../../store/store.ts';
import { ArgumentError, type Arguments, readArguments } from '../arguments.ts';
import { exitCodes, type Output, reportMistakes } from '../output.ts';
import { output } from '../store-commands.ts';
import { printable } from '../table.ts';
import { type ApplyMistake, type ApplyParts, type ApplyPlan, applyOrgFile, readAlertState } from './apply.ts';
import type { IssuedSecret } from './draft.ts';
import { exportOrgFile } from './export-file.ts';

const applyUsage = `Usage: weir apply -f FILE [--dry-run] [--prune] [--secrets-out FILE] [--exit-code]

Makes the organization, its teams, people and tokens, the console's providers, routes and prices, and the channels and
rules of alerts what FILE says; - is standard input. docs/organisations-as-code.md describes the file, weir export writes
one. All of it is changed at once, or nothing where there is a mistake. What FILE does not name stays as it is; sections
that are absent change nothing.

  --dry-run      show what would change, and change nothing
  --prune        remove what the sections of FILE do not name: teams, projects and members are removed, tokens revoked,
                 accounts disabled (never an owner), the rest removed
  --secrets-out  write new tokens and first passwords to a new file instead of standard output
  --exit-code    with --dry-run: exit with 2 where something would change`;

const exportUsage = `Usage: weir export [-o FILE]

Writes the organization as the file that weir apply reads, to standard output or a new file. It has no secrets.`;

const applyWords = {
  usage: applyUsage,
  flags: { file: 'value', 'dry-run': 'switch', prune: 'switch', 'secrets-out': 'value', 'exit-code': 'switch' },
} as const;
const exportWords = { usage: exportUsage, flags: { out: 'value' } } as const;

/** One letter for a flag with a file. */
const spelled = (args: readonly string[], short: string, long: string): readonly string[] =>
  args.map((word) => (word === short ? long : word));

export function apply(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(applyWords, spelled(args, '-f', '--file'));
    if (given.help) return printUsage(applyUsage);
    const path = given.valueOf('file');
    if (path === undefined) throw new ArgumentError('-f FILE is required; - is standard input.', applyUsage);
    const text = readText(path);
    if (text === undefined) {
      output.err(`${printable(path)} cannot be read.\n`);
      return exitCodes.failed;
    }
    return withParts((parts) => applyOn(parts, { path, text, given }, output));
  });
}

interface Given {
  readonly path: string;
  readonly text: string;
  readonly given: Arguments;
}

export async function applyOn(parts: ApplyParts, { path, text, given }: Given, to: Output): Promise<number> {
  const isDryRun = given.has('dry-run');
  const secrets = secretWriter(given.valueOf('secrets-out'));
  const outcome = await applyOrgFile(parts, text, {
    isPruning: given.has('prune'),
    isDryRun,
    give: secrets.hold,
  }).catch((error: unknown) => {
    secrets.discard();
    throw error;
  });
  if (outcome.state === 'written') {
    printPlan(outcome, to, given.has('prune'));
    secrets.release(to);
    to.err(`${summary(outcome)}\n`);
    return exitCodes.done;
  }
  secrets.discard();
  if (outcome.state === 'mistaken') return printMistakes(outcome.mistakes, path === '-' ? 'standard input' : path, to);
  if (outcome.state === 'busy') {
    to.err(
      'The organization was changed by others each time that this change was prepared. Nothing was changed; run it again.\n',
    );
    return exitCodes.failed;
  }
  printPlan(outcome, to, given.has('prune'));
  if (outcome.lines.length === 0) to.err('Nothing to change.\n');
  else to.err(`This is a dry run: nothing was changed. ${summary(outcome)}\n`);
  return given.has('exit-code') && outcome.lines.length > 0 ? exitCodes.misused : exitCodes.done;
}

function printPlan({ lines, unnamed }: ApplyPlan, to: Output, isPruning: boolean): void {
  for (const { sign, text } of lines) to.out(`${sign} ${printable(text)}\n`);
  const others = [...unnamed].map(([what, count]) => `${count} ${count === 1 ? what : plural(what)}`);
  if (others.length === 0) return;
  const remedy = isPruning ? 'Owners are not disabled by --prune.' : '--prune removes them.';
  to.err(`Not in the file: ${others.join(', ')}. ${remedy}\n`);
}

const plural = (what: string): string => (what === 'person' ? 'people' : `${what}s`);

function summary({ lines, state }: ApplyPlan & { readonly state: 'planned' | 'written' }): string {
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  const [added, changed, removed] = [count('+'), count('~'), count('-')];
  return state === 'written'
    ? `Added ${added}, changed ${changed}, removed ${removed}.`
    : `It would add ${added}, change ${changed} and remove ${removed}.`;
}

function printMistakes(mistakes: readonly ApplyMistake[], source: string, to: Output): number {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`;
  to.err(`${printable(source)} has ${count}. Nothing was changed.\n`);
  for (const { key, line, message } of mistakes) {
    const place = key === '' ? `line ${line}` : `${key} (line ${line})`;
    to.err(`  ${printable(`${place}: ${message}`)}\n`);
  }
  return exitCodes.failed;
}

const secretWords = { token: 'token', person: 'first password of', channel: 'signing secret of' } as const;

/** A file is written before the change is: a secret that was issued is never lost with the process. */
function secretWriter(path: string | undefined) {
  let held: readonly IssuedSecret[] = [];
  let isWritten = false;
  const discard = (): void => {
    if (isWritten && path !== undefined) rmSync(path, { force: true });
    isWritten = false;
  };
  return {
    hold(secrets: readonly IssuedSecret[]): void {
      discard();
      held = secrets;
      if (path === undefined || secrets.length === 0) return;
      writeNew(path, `${JSON.stringify({ secrets }, undefined, 2)}\n`, '--secrets-out', applyUsage);
      isWritten = true;
    },
    discard,
    release(to: Output): void {
      if (held.length === 0) return;
      if (path !== undefined) {
        to.err(
          `${held.length === 1 ? 'A secret was' : `${held.length} secrets were`} written to ${printable(path)}.\n`,
        );
        return;
      }
      to.err("These can't be shown again:\n");
      for (const { kind, name, secret } of held) {
        to.out(`${secretWords[kind]} ${printable(name)}: ${secret}\n`);
      }
    },
  };
}

/** For its owner alone, and never over what is there. */
function writeNew(path: string, text: string, flag: string, usage: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'exists already' : 'cannot be written';
    throw new ArgumentError(`${flag}: ${printable(path)} ${reason}. Nothing was changed.`, usage);
  }
  writeSync(file, text);
  closeSync(file);
}

export function exportOrganization(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(exportWords, spelled(args, '-o', '--out'));
    if (given.help) return printUsage(exportUsage);
    return withParts(async (parts) => {
      const text = await exported(parts);
      const path = given.valueOf('out');
      if (path === undefined) output.out(text);
      else writeNew(path, text, '-o', exportUsage);
      return exitCodes.done;
    });
  });
}

export async function exported(parts: ApplyParts): Promise<string> {
  const { store, sealing, sources, nowMs } = parts;
  const state = await store.changeSets.read();
  const kept = await openEntries(await store.configuration.read(), sealing);
  return exportOrgFile({ state, kept, alerts: await readAlertState(parts) }, nowMs(), sources.environment);
}

function printUsage(text: string): number {
  output.out(`${text}\n`);
  return exitCodes.done;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A whole organization is written in one transaction, for which the limit of a request's statement is too short. */
const databaseTimeoutMs = 120_000;

async function withParts(work: (parts: ApplyParts) => Promise<number>): Promise<number> {
  const config = loadProcessConfig();
  const store = await openStore({ ...storeOptions(config), databaseTimeoutMs });
  try {
    return await work(await applyParts(store, config, output));
  } finally {
    await store.close();
  }
}

export async function applyParts(store: Store, config: Config, to: Output): Promise<ApplyParts> {
  const warn = (message: string): void => to.err(`${message}\n`);
  const secrets = await openSecretRing({ ...secretSources(config), settings: store.settings, warn });
  return {
    store,
    config,
    digests: createDigests(secrets.purpose(purposes.tokenDigests)),
    sealing: createSealing(secrets.purpose(purposes.consoleConfiguration)),
    channelSealing: createSealing(secrets.purpose(purposes.alertChannels)),
    passwords: createPasswords(),
    sources: { environment: processEnvironment(), readFile: readText },
    endpoints: endpointNames,
    mint: mintToken,
    nowMs: Date.now,
    by: `weir apply (${userName()})`,
  };
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
