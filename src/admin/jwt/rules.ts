/** What the rules of an issuer make of the claims of a JSON Web Token: team, models, budgets and limits. */

import type { TokenTerms } from '../../access/caller.ts';
import { compileGlobs } from '../../access/glob.ts';
import type { LevelBudget, UnitRecord } from '../../access/organization.ts';
import { amountOf } from '../../config/jwt-schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { JwtBudget, JwtIssuerConfig, JwtRule } from '../../settings/jwt-settings.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import { type Claims, claimAt, groupsIn } from '../sign-in/claims.ts';
import { teamFinder } from '../sign-in/provision.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';

/** Terms without a name, and where the subject counts. */
interface JwtOutcome {
  readonly unitId: string | undefined;
  readonly terms: Omit<TokenTerms, 'name'>;
}

/** Patterns that one claim may list. */
const claimedModelsMax = 200;

export function ruleFor({ rules }: Pick<JwtIssuerConfig, 'rules'>, claims: Claims): JwtRule {
  const found = rules.find(({ match }) =>
    Object.entries(match).every(([claim, patterns]) => {
      const matches = compileGlobs(patterns);
      return textsAt(claims, claim).some((text) => matches(text));
    }),
  );
  if (found !== undefined) return found;
  throw new GatewayError('jwt_not_allowed', 'No rule of its issuer admits the JWT. Ask an administrator to add one.');
}

/** A text, a number, true or false, or a list of these. */
function textsAt(claims: Claims, path: string): readonly string[] {
  const found = claimAt(claims, path);
  const list: readonly unknown[] = Array.isArray(found) ? found : [found];
  return list.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String);
}

/** `units` are read only where the rule names a team. */
export async function outcomeOf(
  rule: JwtRule,
  claims: Claims,
  units: () => Promise<readonly UnitRecord[]>,
): Promise<JwtOutcome> {
  const { rpm, tpm, concurrency, endpoints, tools, labels } = rule;
  const budgets = (rule.budgets ?? []).map((budget) => budgetOf(budget, claims));
  // The console shows the first budget in money of a token as its own one.
  const own = budgets.find(({ unit, models }) => unit === 'usd' && models === undefined);
  const further = budgets.filter((budget) => budget !== own);
  return {
    unitId: rule.team === undefined ? undefined : unitOf(rule, textOf(rule.team, claims), await units()),
    terms: withoutAbsent<Omit<TokenTerms, 'name'>>({
      ...{ rpm, tpm, concurrency, endpoints, tools, labels },
      models: modelsOf(rule.models, claims),
      budget: own && { limitNano: own.limit, period: own.period },
      budgets: further.length === 0 ? undefined : further,
    }),
  };
}

function missing(claim: string): GatewayError {
  return new GatewayError('jwt_refused', `The JWT has no usable claim ${claim}, which its rule reads.`);
}

function textOf(given: string | { readonly claim: string }, claims: Claims): string {
  if (typeof given === 'string') return given;
  const found = claimAt(claims, given.claim);
  if (typeof found === 'string' && found !== '') return found;
  throw missing(given.claim);
}

function unitOf({ project }: JwtRule, teamName: string, units: readonly UnitRecord[]): string {
  const team = teamFinder(units)(teamName);
  if (team === undefined) throw noUnit('team', teamName);
  if (project === undefined) return team.id;
  const inTeam = units.filter(({ parentId }) => parentId === team.id);
  const found =
    inTeam.find(({ id }) => id === project) ?? inTeam.find(({ name }) => nameKeyOf(name) === nameKeyOf(project));
  if (found === undefined) throw noUnit('project', project);
  return found.id;
}

function noUnit(kind: 'team' | 'project', name: string): GatewayError {
  const shown = name.slice(0, 100);
  return new GatewayError('jwt_not_allowed', `The ${kind} "${shown}" of the JWT does not exist. Create it first.`);
}

/** A list, or one text with patterns between spaces or commas. */
function modelsOf(given: JwtRule['models'], claims: Claims): readonly string[] | undefined {
  if (given === undefined || !('claim' in given)) return given;
  const listed = groupsIn(claims, given.claim).flatMap((text) => text.split(/[\s,]+/).filter(Boolean));
  if (listed.length === 0 || listed.length > claimedModelsMax) throw missing(given.claim);
  return listed;
}

/**
 * The id says what is counted, so that what was spent stays with the subject when a rule gets another limit, and with
 * another rule that counts the same.
 */
function budgetOf({ unit, limit, period, models }: JwtBudget, claims: Claims): LevelBudget {
  const counted = models === undefined ? '' : `-${Bun.hash.crc32(JSON.stringify(models)).toString(16)}`;
  return {
    id: `jwt-${unit}-${period}${counted}`,
    unit,
    limit: typeof limit === 'bigint' ? limit : claimedLimit(unit, limit.claim, claims),
    period,
    ...(models !== undefined && { models }),
  };
}

function claimedLimit(unit: JwtBudget['unit'], claim: string, claims: Claims): bigint {
  const found = claimAt(claims, claim);
  const amount = typeof found === 'string' || typeof found === 'number' ? amountOf(unit, found) : undefined;
  if (amount === undefined) throw missing(claim);
  return amount;
}
