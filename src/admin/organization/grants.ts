/** What a person may give away is at most what they have: models, endpoints, labels, limits and budgets of the levels above. */

import { compileGlobs } from '../../access/glob.ts';
import type { LevelBudget, LevelTerms } from '../../access/organization.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { beyond } from '../tokens/token-ceiling.ts';

/** A level above, by the name that an error calls it by. */
export interface Bound {
  readonly name: string;
  readonly terms: LevelTerms;
  /** Nothing below it is limited by it on its own: what is given must be limited by name. */
  readonly mustBeNamed?: boolean;
}

export type Given = Pick<LevelTerms, 'models' | 'endpoints' | 'tools' | 'labels'>;

/** `fields`: only these are checked. Throws where a list has an entry that a level above does not allow. An absent list is limited by the levels above. */
export function requireWithinBounds(
  given: Given,
  bounds: readonly Bound[],
  fields: readonly (keyof Given)[] = ['models', 'endpoints', 'tools', 'labels'],
): void {
  const isAsked = (field: keyof Given): boolean => fields.includes(field);
  for (const { name, terms, mustBeNamed = false } of bounds) {
    if (isAsked('models') && terms.models !== undefined && !coversGlobs(terms.models, given.models, mustBeNamed)) {
      throw beyond('models', `can only include ${terms.models.join(', ')}, as ${name} does`);
    }
    if (
      isAsked('endpoints') &&
      terms.endpoints !== undefined &&
      !covers(terms.endpoints, given.endpoints, mustBeNamed)
    ) {
      throw beyond('endpoints', `can only include ${terms.endpoints.join(', ')}, as ${name} does`);
    }
  }
  if (isAsked('tools')) requireTools(given.tools, bounds);
  const labels = new Set(bounds.flatMap(({ terms }) => terms.labels ?? []));
  const strange = !isAsked('labels') ? undefined : given.labels?.find((label) => !labels.has(label));
  if (strange !== undefined) throw beyond('labels', `only an administrator can give the label ${strange}`);
}

const covers = (allowed: readonly string[], given: readonly string[] | undefined, mustBeNamed: boolean): boolean =>
  given === undefined ? !mustBeNamed : given.every((entry) => allowed.includes(entry));

/** A pattern is within another that matches its text: each of its stars then lies within one of the other's. */
function coversGlobs(allowed: readonly string[], given: readonly string[] | undefined, mustBeNamed: boolean): boolean {
  if (given === undefined) return !mustBeNamed;
  const matches = compileGlobs(allowed);
  return given.every(matches);
}

/** A list also gives tools whose price is unknown, so that only those may be named that a level above names. */
function requireTools(given: Given['tools'], bounds: readonly Bound[]): void {
  const listed = bounds.flatMap(({ terms: { tools } }) => (tools === undefined ? [] : [compileGlobs(tools)]));
  const strange = given?.find((tool) => listed.length === 0 || !listed.every((matches) => matches(tool)));
  if (strange !== undefined) throw beyond('tools', `only an administrator can give the tool ${strange}`);
}

/** What a change gives: what stays as it is was given before. */
export function newIn(terms: LevelTerms, before: LevelTerms = {}): LevelTerms {
  const fresh = Object.entries(terms).filter(([field, value]) => !Bun.deepEquals(value, Reflect.get(before, field)));
  const given = Object.fromEntries(fresh) as LevelTerms;
  if (given.budgets === undefined) return given;
  const isNew = (budget: LevelBudget) => !before.budgets?.some((old) => Bun.deepEquals(old, budget));
  return { ...given, budgets: given.budgets.filter(isNew) };
}

/** A level above that has terms for end users; those who manage it may set others below it. */
interface EndUserBound extends Bound {
  readonly isManaged: boolean;
}

/** The nearest terms for end users count, so that those below a level would replace its own. `above`: nearest first. */
export function requireEndUserTerms(
  given: LevelTerms['endUsers'],
  before: LevelTerms['endUsers'],
  above: readonly EndUserBound[],
): void {
  if (given === undefined || Bun.deepEquals(given, before)) return;
  const nearest = above.find(({ terms }) => terms.endUsers !== undefined);
  if (nearest === undefined || nearest.isManaged) return;
  throw beyond('endUsers', `${nearest.name} has terms for end users, which only those who manage it can replace`);
}

/** The terms of a project, as an admin of its team may set them. */
export function requireProjectTerms(terms: LevelTerms, team: Bound, above: readonly Bound[]): void {
  requireWithinBounds(terms, [...above, team]);
  for (const limit of ['rpm', 'tpm', 'concurrency'] as const) {
    const most = team.terms[limit];
    if (most !== undefined && (terms[limit] ?? 0) > most) throw beyond(limit, `must be at most ${most}`);
  }
  for (const budget of terms.budgets ?? []) {
    const most = team.terms.budgets?.find((theirs) => isSameKind(theirs, budget));
    if (most === undefined) continue;
    if (budget.limit > most.limit || (budget.raise?.limit ?? 0n) > (most.raise?.limit ?? most.limit)) {
      throw tooMuch(budget);
    }
  }
}

const isSameKind = (theirs: LevelBudget, own: LevelBudget): boolean =>
  theirs.unit === own.unit && theirs.period === own.period && theirs.models === undefined;

function tooMuch({ period }: LevelBudget): GatewayError {
  return beyond('budgets', `the budget per ${period} must be at most that of the team`);
}
