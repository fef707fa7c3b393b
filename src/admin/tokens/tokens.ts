/** Everything an operator can do with tokens, for the console and the command line alike. */

import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { checkShape, hintOf } from '../../access/token-format.ts';
import type { TokenPage, TokenRoom, TokenTable } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { newTokenSchema, type TokenView, tokenBounds, tokenChangesSchema } from '../contracts/contract.ts';
import { findToken } from './find-token.ts';
import { requireSecret, requireUnruled } from './ruled-token.ts';
import { type BudgetState, changedTerms, checked, tokenView, withoutAbsent } from './token-terms.ts';

interface TokenAdminOptions {
  readonly tokens: TokenTable;
  readonly mint: () => string;
  readonly digests: Digests;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly defaults: TokenDefaults;
  /** Names of the route table that a token may be narrowed to. */
  readonly endpoints: readonly string[];
  /** What the budget's current period has spent and holds. */
  readonly budgetState?: (record: TokenRecord, atMs: number) => Promise<BudgetState | undefined>;
}

/** The secret is shown this once and is nowhere else. */
export interface IssuedToken {
  readonly record: TokenRecord;
  readonly secret: string;
}

interface TokenCircumstances {
  /** The account that it will belong to. */
  readonly ownerId?: string;
  /** The team or project that it will count against. */
  readonly unitId?: string;
  /** In the place of no budget, where none is given. */
  readonly budget?: TokenTerms['budget'];
  /** How many the account may have. */
  readonly room?: TokenRoom;
  /** Throws where the caller may not have a token of these terms. */
  readonly check?: (terms: TokenTerms) => Promise<void>;
}

/** `reference` is an id, the beginning of one, or a name. Faults are GatewayErrors whose `param` names the field. */
export interface TokenAdmin {
  create(input: unknown, circumstances?: TokenCircumstances): Promise<IssuedToken>;
  /** Creates a token with this secret if there is none yet, for unattended set-up. */
  ensure(secret: string, input: unknown): Promise<{ readonly record: TokenRecord; readonly created: boolean }>;
  list(page: TokenPage): Promise<readonly TokenView[]>;
  show(reference: string): Promise<TokenView>;
  revoke(reference: string): Promise<TokenView>;
  /** The old secret works for `overlapMs` longer. */
  rotate(reference: string, options?: { readonly overlapMs?: number }): Promise<IssuedToken>;
  /** `check` throws where the caller may not give the token these terms. */
  updateTerms(reference: string, input: unknown, check?: (terms: TokenTerms) => Promise<void>): Promise<TokenView>;
  view(record: TokenRecord): TokenView;
}

const dayMs = 24 * 60 * 60 * 1_000;

export const newTokenId = (): string => `tok_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;

export function createTokenAdmin(options: TokenAdminOptions): TokenAdmin {
  const { tokens, digests, nowMs } = options;
  const newTokens = newTokenSchema(options);
  const changes = tokenChangesSchema(options);
  const view = (record: TokenRecord): TokenView => tokenView(record, nowMs());

  async function insert(
    input: unknown,
    secret: string,
    { ownerId, unitId, budget, room, check }: TokenCircumstances = {},
  ): Promise<TokenRecord> {
    const given = checked(newTokens, input);
    const usual = defaultTerms(options.defaults, given.name, nowMs());
    const terms = changedTerms(budget === undefined ? usual : { ...usual, budget }, given);
    await check?.(terms);
    const record: TokenRecord = {
      id: options.newId(),
      hint: hintOf(secret),
      createdAtMs: nowMs(),
      terms,
      ...(ownerId !== undefined && { ownerId }),
      ...(unitId !== undefined && { unitId }),
    };
    if (room === undefined) await tokens.insert(record, digests.of(secret));
    else if (!(await tokens.insertWithin(record, digests.of(secret), room))) throw noRoom(room);
    return record;
  }

  async function reread(id: string): Promise<TokenRecord> {
    const record = await tokens.byId(id);
    if (record === undefined) throw new GatewayError('not_found', `The token ${id} no longer exists.`);
    return record;
  }

  async function find(secret: string): Promise<TokenRecord | undefined> {
    const match = await digests.find(secret, (digest) => tokens.byDigest(digest));
    if (match?.olderDigest !== undefined) await tokens.moveDigest(match.olderDigest, digests.of(secret));
    return match?.found;
  }

  return {
    view,
    async create(input, circumstances) {
      const secret = options.mint();
      return { secret, record: await insert(input, secret, circumstances) };
    },
    async ensure(secret, input) {
      checkShape(secret);
      const existing = await find(secret);
      if (existing !== undefined) return { record: existing, created: false };
      try {
        return { record: await insert(input, secret), created: true };
      } catch (error) {
        // Another replica that starts at the same moment may have been first.
        const theirs = await find(secret);
        if (theirs === undefined) throw error;
        return { record: theirs, created: false };
      }
    },
    async list(page) {
      return (await tokens.list(page)).map(view);
    },
    async show(reference) {
      const record = await findToken(tokens, reference);
      return tokenView(record, nowMs(), await options.budgetState?.(record, nowMs()));
    },
    async revoke(reference) {
      const { id } = await findToken(tokens, reference);
      await tokens.revoke(id, nowMs());
      return view(await reread(id));
    },
    async rotate(reference, { overlapMs = 0 } = {}) {
      if (!Number.isSafeInteger(overlapMs) || overlapMs < 0 || overlapMs > tokenBounds.overlapMsMax) {
        const most = tokenBounds.overlapMsMax / dayMs;
        throw new GatewayError('field_invalid', `overlapMs: must be between 0 and ${most} days`, {
          param: 'overlapMs',
        });
      }
      const { id } = await findToken(tokens, reference);
      requireSecret(id);
      const secret = options.mint();
      if (!(await tokens.rotate(id, digests.of(secret), hintOf(secret), nowMs() + overlapMs))) {
        throw new GatewayError(
          'field_invalid',
          `The token ${id} was revoked and cannot be rotated. Create a new one.`,
          {
            param: 'id',
          },
        );
      }
      return { secret, record: await reread(id) };
    },
    async updateTerms(reference, input, check) {
      const given = checked(changes, input);
      const { id, terms } = await findToken(tokens, reference);
      requireUnruled(id, Object.keys(given));
      const after = changedTerms(terms, given);
      await check?.(after);
      await tokens.updateTerms(id, after);
      return view(await reread(id));
    },
  };
}

function noRoom({ most }: TokenRoom): GatewayError {
  const message = `You can have up to ${most} tokens. A revoked token counts until its budget period ends.`;
  return new GatewayError('role_not_allowed', message);
}

/** What a new token may do where nothing else is said. */
export function defaultTerms(defaults: TokenDefaults, name: string, nowMs: number): TokenTerms {
  const { rpm, tpm, concurrency, models, expiresInDays } = defaults;
  const expiresAtMs = expiresInDays === undefined ? undefined : nowMs + expiresInDays * dayMs;
  return withoutAbsent<TokenTerms>({ name, expiresAtMs, models, rpm, tpm, concurrency });
}
