/**
 * What a token may ask about itself, and the smaller tokens that it may create: for sub-agents, CI jobs and classrooms. A
 * smaller token counts against everything that its creator counts against, and ends with it.
 */

import type { Caller, TokenRecord, TokenTerms } from '../access/caller.ts';
import { creatorsMax } from '../access/levels/load-levels.ts';
import type { Limiter } from '../access/limits.ts';
import { mayUseTool } from '../access/terms.ts';
import { hintOf } from '../access/token-format.ts';
import { newTokenSchema } from '../admin/contracts/contract.ts';
import { createTokenSpends } from '../admin/tokens/token-spend.ts';
import { changedTerms, checked, isoText } from '../admin/tokens/token-terms.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { usdText } from '../ledger/money.ts';
import { allBudgets } from '../relay/cost-bounds/level-budgets.ts';
import type { Digests } from '../secrets/digests.ts';
import type { Store } from '../store/store.ts';
import { ownBudget, ownLevels, ownLimits, type ReadBudget } from './own-token-view.ts';

interface OwnTokensOptions {
  readonly store: Pick<Store, 'tokens' | 'analytics'>;
  readonly readBudget: ReadBudget;
  readonly limiter: Pick<Limiter, 'peek'>;
  readonly digests: Digests;
  readonly endpoints: readonly string[];
  readonly mint: () => string;
  readonly newId: () => string;
  readonly nowMs: () => number;
}

export interface OwnTokens {
  describe(caller: Caller): Promise<object>;
  create(caller: Caller, input: unknown): Promise<object>;
  list(caller: Caller): Promise<readonly object[]>;
  revoke(caller: Caller, id: string): Promise<void>;
}

/** The names of the API, as the console and the command line have them. */
const inputNames: Readonly<Record<string, string>> = {
  name: 'name',
  expires_at: 'expiresAt',
  models: 'models',
  endpoints: 'endpoints',
  tools: 'tools',
  rpm: 'rpm',
  tpm: 'tpm',
  concurrency: 'concurrency',
  budget_usd: 'budgetUsd',
  budget_period: 'budgetPeriod',
  labels: 'labels',
  sub_tokens_max: 'subTokensMax',
};

const expirySecondsMax = 10 * 365 * 24 * 3_600;

export function createOwnTokens(options: OwnTokensOptions): OwnTokens {
  const { store, nowMs } = options;
  const schema = newTokenSchema(options);
  const spends = createTokenSpends(store.analytics, nowMs);

  async function ownRecord({ tokenId }: Caller): Promise<TokenRecord> {
    const record = await store.tokens.byId(tokenId);
    if (record === undefined) throw new GatewayError('token_unknown', 'This token no longer exists.');
    return record;
  }

  return {
    async describe(caller) {
      const { terms } = caller;
      const [record, limits, spend, budgets] = await Promise.all([
        ownRecord(caller),
        options.limiter.peek(caller),
        spends([caller.tokenId]),
        Promise.all(allBudgets(caller).map((budget) => ownBudget(budget, caller.tokenId, options.readBudget, nowMs()))),
      ]);
      const { monthNano = 0n, totalNano = 0n, unpriced = 0 } = spend.get(caller.tokenId) ?? {};
      return {
        object: 'token',
        id: record.id,
        name: caller.tokenName,
        created_at: isoText(record.createdAtMs),
        expires_at: isoText(caller.jwt?.expiresAtMs ?? caller.expiresAtMs) ?? null,
        models: terms.models ?? null,
        endpoints: terms.endpoints ?? null,
        tools: terms.tools ?? null,
        labels: caller.labels,
        levels: ownLevels(caller),
        limits: ownLimits(limits),
        budgets,
        spend: { month_usd: usdText(monthNano), total_usd: usdText(totalNano), unpriced_requests: unpriced },
        sub_tokens_max: mayCreate(caller) ? (terms.subTokensMax ?? 0) : 0,
      };
    },
    async create(caller, input) {
      const most = requireCreator(caller);
      const terms = childTerms(caller, checkedInput(schema, input, nowMs()));
      const creator = await ownRecord(caller);
      const secret = options.mint();
      const { ownerId, unitId } = creator;
      const child = {
        ...{
          id: options.newId(),
          hint: hintOf(secret),
          terms,
          createdAtMs: nowMs(),
          digest: options.digests.of(secret),
        },
        ...{ parentId: creator.id, ownerId, unitId },
      };
      if (!(await store.tokens.insertChild(child, most))) {
        const message = `This token may have ${most} smaller tokens at a time. Revoke one with \`DELETE /v1/tokens/{id}\`, or wait until one expires.`;
        throw new GatewayError('role_not_allowed', message);
      }
      return { ...childView(child), token: secret };
    },
    async list({ tokenId }) {
      return (await store.tokens.childrenOf(tokenId)).map(childView);
    },
    async revoke({ tokenId }, id) {
      const child = await store.tokens.byId(id);
      if (child?.parentId !== tokenId) {
        throw new GatewayError('not_found', 'This token created no token with that id.', { param: 'id' });
      }
      await store.tokens.revoke(id, nowMs());
    },
  };
}

/** How deep its smaller tokens would be: a chain of creators is bounded. */
const mayCreate = ({ levels }: Caller): boolean => levels.filter(({ kind }) => kind === 'token').length <= creatorsMax;

function requireCreator(caller: Caller): number {
  const { subTokensMax = 0 } = caller.terms;
  if (subTokensMax === 0) {
    const message =
      'This token may not create tokens. The operator can allow a number of them with `subTokensMax`, or `--sub-tokens` of `weir token create`.';
    throw new GatewayError('role_not_allowed', message);
  }
  if (!mayCreate(caller)) {
    const message = `This token is the last of a chain of ${creatorsMax + 1} tokens, and may not create another.`;
    throw new GatewayError('role_not_allowed', message);
  }
  return subTokensMax;
}

type Schema = ReturnType<typeof newTokenSchema>;

/** Errors name the fields as the caller wrote them. */
function checkedInput(schema: Schema, input: unknown, nowMs: number) {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new GatewayError('field_invalid', 'The body must be a JSON object.');
  }
  const { expires_in: expiresIn, ...rest } = input as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(rest).find((field) => !Object.hasOwn(inputNames, field));
  if (unknown !== undefined) {
    throw new GatewayError('field_invalid', `${unknown}: is not a known field`, { param: unknown });
  }
  const given = Object.fromEntries(Object.entries(rest).map(([field, value]) => [inputNames[field], value]));
  if (expiresIn !== undefined) given['expiresAt'] = expiryIn(expiresIn, nowMs);
  try {
    return checked(schema, given);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    const own = error.param.split(/[.[]/)[0] ?? '';
    const field = Object.entries(inputNames).find(([, name]) => name === own)?.[0] ?? own;
    const param = `${field}${error.param.slice(own.length)}`;
    throw new GatewayError(error.code, error.message.replace(error.param, param), { param });
  }
}

function expiryIn(seconds: unknown, nowMs: number): string {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > expirySecondsMax) {
    const message = `expires_in: must be a whole number of seconds from 1 to ${expirySecondsMax}`;
    throw new GatewayError('field_invalid', message, { param: 'expires_in' });
  }
  return new Date(nowMs + seconds * 1_000).toISOString();
}

/** What it may do beyond its creator would never apply, so that asking for it is a mistake. */
function childTerms(creator: Caller, given: ReturnType<typeof checkedInput>): TokenTerms {
  const terms = changedTerms({ name: given.name }, given);
  const { expiresAtMs } = creator;
  if (terms.expiresAtMs !== undefined && expiresAtMs !== undefined && terms.expiresAtMs > expiresAtMs) {
    throw tooMuch('expires_at', `must not be after ${isoText(expiresAtMs)}, when this token expires`);
  }
  const endpoint = terms.endpoints?.find((name) => !creator.mayUseEndpoint(name));
  if (endpoint !== undefined) throw tooMuch('endpoints', `this token may not call ${endpoint}`);
  const tool = terms.tools?.find((name) => mayUseTool(creator, name) === 'no');
  if (tool !== undefined) throw tooMuch('tools', `this token may not use ${tool}`);
  const label = terms.labels?.find((name) => !creator.labels.includes(name));
  if (label !== undefined) throw tooMuch('labels', `this token does not have the label ${label}`);
  const { budget } = creator.terms;
  if (budget !== undefined && terms.budget !== undefined && terms.budget.limitNano > budget.limitNano) {
    throw tooMuch('budget_usd', `must be at most ${usdText(budget.limitNano)}, the budget of this token`);
  }
  for (const field of ['rpm', 'tpm', 'concurrency'] as const) {
    const [own, asked] = [creator.terms[field], terms[field]];
    if (own !== undefined && asked !== undefined && asked > own) {
      throw tooMuch(field, `must be at most ${own}, as for this token`);
    }
  }
  if ((terms.subTokensMax ?? 0) > (creator.terms.subTokensMax ?? 0)) {
    throw tooMuch('sub_tokens_max', `must be at most ${creator.terms.subTokensMax}, as for this token`);
  }
  return terms;
}

function tooMuch(param: string, why: string): GatewayError {
  return new GatewayError('role_not_allowed', `${param}: ${why}`, { param });
}

function childView({ id, hint, createdAtMs, terms }: Pick<TokenRecord, 'id' | 'hint' | 'createdAtMs' | 'terms'>) {
  const { budget } = terms;
  return {
    object: 'token',
    id,
    name: terms.name,
    hint,
    created_at: isoText(createdAtMs),
    expires_at: isoText(terms.expiresAtMs) ?? null,
    models: terms.models ?? null,
    endpoints: terms.endpoints ?? null,
    tools: terms.tools ?? null,
    rpm: terms.rpm ?? null,
    tpm: terms.tpm ?? null,
    concurrency: terms.concurrency ?? null,
    budget_usd: budget === undefined ? null : usdText(budget.limitNano),
    budget_period: budget?.period ?? null,
    sub_tokens_max: terms.subTokensMax ?? 0,
  };
}
