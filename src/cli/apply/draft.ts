/** A change in the making: what will be written, in words and as rows, and what is not in the file. */

import type { AuditRecord } from '../../access/account.ts';
import type { AuditEntry } from '../../admin/accounts/audit.ts';
import type { ChangeSet } from '../../store/organization/change-set-store.ts';

/** A secret that is shown once. */
export interface IssuedSecret {
  readonly kind: 'token' | 'person' | 'channel';
  /** As the diff writes it. */
  readonly name: string;
  readonly id: string;
  /** The token, the first password, or what signs the messages of a webhook. */
  readonly secret: string;
}

export type Sign = '+' | '~' | '-';

type Written = {
  -readonly [Name in keyof ChangeSet]: ChangeSet[Name] extends readonly (infer Row)[] ? Row[] : ChangeSet[Name];
};
type Lists = Omit<Written, 'atMs' | 'organizationRevision' | 'configurationRevision'>;

export class Draft {
  readonly lines: { readonly sign: Sign; readonly text: string }[] = [];
  readonly rows: Lists = {
    ...{ units: [], removedUnits: [], members: [], removedMembers: [] },
    ...{ accounts: [], accountChanges: [], accountTerms: [], tokens: [], tokenChanges: [], revokedTokens: [] },
    ...{ newProviders: [], providerChanges: [], entries: [], removedEntries: [], audit: [] },
    ...{ channels: [], removedChannels: [], rules: [], removedRules: [] },
  };
  readonly secrets: IssuedSecret[] = [];
  /** How many the file does not name, by what they are. */
  readonly unnamed = new Map<string, number>();
  readonly atMs: number;
  readonly #by: string;

  /** `by` is who the audit log names. */
  constructor(atMs: number, by: string) {
    this.atMs = atMs;
    this.#by = by;
  }

  /** A line of the diff with its row of the audit log. */
  say(sign: Sign, text: string, entry: AuditEntry): void {
    this.lines.push({ sign, text });
    const { action, subject, detail = {} } = entry;
    const id = `aud_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`;
    const record: AuditRecord = { id, atMs: this.atMs, accountName: this.#by, action, subject, detail, address: '' };
    this.rows.audit.push(record);
  }

  countUnnamed(what: string, count: number): void {
    if (count > 0) this.unnamed.set(what, (this.unnamed.get(what) ?? 0) + count);
  }

  get touchesOrganization(): boolean {
    const { units, removedUnits, members, removedMembers, accounts, accountChanges, accountTerms } = this.rows;
    const { tokens, tokenChanges, revokedTokens } = this.rows;
    return [
      ...[units, removedUnits, members, removedMembers, accounts, accountChanges, accountTerms],
      ...[tokens, tokenChanges, revokedTokens],
    ].some((rows) => rows.length > 0);
  }

  get touchesConfiguration(): boolean {
    const { newProviders, providerChanges, entries, removedEntries } = this.rows;
    return [newProviders, providerChanges, entries, removedEntries].some((rows) => rows.length > 0);
  }

  changeSet(revisions: { readonly organization: number; readonly configuration: number }): ChangeSet {
    return {
      ...this.rows,
      atMs: this.atMs,
      ...(this.touchesOrganization && { organizationRevision: revisions.organization }),
      ...(this.touchesConfiguration && { configurationRevision: revisions.configuration }),
    };
  }
}
