/**
 * Makes an organization what a file says: plans the whole change, refuses it whole where anything is wrong, and writes it
 * in one transaction.
 */

import { hintOf } from '../../access/token-format.ts';
import type { Passwords } from '../../admin/accounts/passwords.ts';
import { newTokenId } from '../../admin/tokens/tokens.ts';
import { openSecrets } from '../../alerts/channels/kept-channels.ts';
import { openEntries } from '../../configuration/kept-entries.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { Config } from '../../settings/config.ts';
import type { Store } from '../../store/store.ts';
import { Draft, type IssuedSecret, type Sign } from './draft.ts';
import { pathText } from './mistakes.ts';
import { readOrgFile } from './org-file.ts';
import { type AlertState, planAlerts } from './plan-alerts.ts';
import { planEntries } from './plan-entries.ts';
import { planPeople } from './plan-people.ts';
import { planTokens } from './plan-tokens.ts';
import { planUnits } from './plan-units.ts';
import type { KeySources } from './provider-keys.ts';

export interface ApplyParts {
  readonly store: Pick<Store, 'changeSets' | 'configuration'> & {
    readonly alerts: Pick<Store['alerts'], 'channels' | 'rules'>;
  };
  readonly config: Config;
  readonly digests: Digests;
  readonly sealing: Sealing;
  readonly channelSealing: Sealing;
  readonly passwords: Passwords;
  readonly sources: KeySources;
  /** Names of the route table. */
  readonly endpoints: readonly string[];
  readonly mint: () => string;
  readonly nowMs: () => number;
  /** Who the audit log names. */
  readonly by: string;
}

export interface ApplyMistake {
  /** The key's path; empty for the file itself. */
  readonly key: string;
  readonly line: number;
  readonly message: string;
}

export interface ApplyPlan {
  readonly lines: readonly { readonly sign: Sign; readonly text: string }[];
  /** How many are there that the file does not name, in the sections that it has. */
  readonly unnamed: ReadonlyMap<string, number>;
}

export type ApplyOutcome =
  | { readonly state: 'mistaken'; readonly mistakes: readonly ApplyMistake[] }
  | (ApplyPlan & { readonly state: 'planned' | 'written' })
  /** Others changed the same things in between, again and again. */
  | { readonly state: 'busy' };

interface ApplyOptions {
  readonly isPruning: boolean;
  /** Only says what would change. */
  readonly isDryRun: boolean;
  /** Called before anything is written: a secret that cannot be given out must not be in effect. */
  readonly give: (secrets: readonly IssuedSecret[]) => void;
}

/** A busy organization changes a few times a second at most. */
const triesMax = 10;

export async function applyOrgFile(parts: ApplyParts, text: string, options: ApplyOptions): Promise<ApplyOutcome> {
  for (let tries = 0; tries < triesMax; tries++) {
    const planned = await plan(parts, text, options.isPruning);
    if ('mistakes' in planned) return { state: 'mistaken', mistakes: planned.mistakes };
    const { draft, revisions } = planned;
    const { lines, unnamed } = draft;
    if (options.isDryRun || lines.length === 0) return { state: 'planned', lines, unnamed };
    await setPasswords(draft, parts.passwords);
    options.give(draft.secrets);
    if ((await parts.store.changeSets.write(draft.changeSet(revisions))) === 'written') {
      return { state: 'written', lines, unnamed };
    }
  }
  return { state: 'busy' };
}

interface Planned {
  readonly draft: Draft;
  readonly revisions: { readonly organization: number; readonly configuration: number };
}

async function plan(
  parts: ApplyParts,
  text: string,
  isPruning: boolean,
): Promise<Planned | { readonly mistakes: readonly ApplyMistake[] }> {
  const { store, sealing, config, sources, by } = parts;
  const { file, mistakes, lineOf } = readOrgFile(text, parts.endpoints);
  const state = await store.changeSets.read();
  const kept = await openEntries(await store.configuration.read(), sealing);
  const draft = new Draft(Math.round(parts.nowMs()), by);
  const common = { draft, mistakes, state, isPruning };
  const people = planPeople(file, common);
  const units = planUnits(file, { ...common, people });
  planTokens(file, { ...common, people, units, mint: () => minted(parts) });
  planAlerts(file.alerts, { ...common, alerts: await readAlertState(parts), sealing: parts.channelSealing, sources });
  planEntries(file, { draft, mistakes, isPruning, config, kept, sealing, sources, by });
  if (mistakes.list.length > 0) {
    const found = mistakes.list.map(({ path, message, line }) => {
      return { key: pathText(path), line: line ?? lineOf(path), message };
    });
    return { mistakes: found.sort((a, b) => a.line - b.line) };
  }
  return { draft, revisions: { organization: state.revision, configuration: kept.revision } };
}

export async function readAlertState({ store, channelSealing }: ApplyParts): Promise<AlertState> {
  const channels = (await store.alerts.channels.list()).map(async (record) => {
    return { record, secrets: await openSecrets(channelSealing, record) };
  });
  return { channels: await Promise.all(channels), rules: await store.alerts.rules.list() };
}

function minted({ mint, digests }: ApplyParts) {
  const secret = mint();
  return { id: newTokenId(), secret, digest: digests.of(secret), hint: hintOf(secret) };
}

/** New accounts get a first password, which has to be changed at the first sign-in. */
async function setPasswords({ rows, secrets }: Draft, passwords: Passwords): Promise<void> {
  for (const [index, account] of rows.accounts.entries()) {
    const secret = passwords.make();
    rows.accounts[index] = { ...account, passwordHash: await passwords.hash(secret) };
    secrets.push({ kind: 'person', name: account.name, id: account.id, secret });
  }
}
