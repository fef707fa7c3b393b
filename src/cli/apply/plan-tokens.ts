/** What changes of the tokens. A token is known by its name within its team, project and owner. */

import type { TokenTerms } from '../../access/caller.ts';
import { isJwtToken } from '../../access/jwt-source.ts';
import type { LevelTerms } from '../../access/organization.ts';
import { nameKeyOf } from '../../admin/accounts/name-key.ts';
import { playgroundTokenId } from '../../admin/tokens/account-tokens.ts';
import type { LivingToken, OrganizationState } from '../../store/organization/change-set-store.ts';
import type { Draft } from './draft.ts';
import { type Mistakes, type Path, suggestion } from './mistakes.ts';
import type { FileToken, OrgFile } from './org-file.ts';
import type { PeoplePlan, PlannedPerson } from './plan-people.ts';
import { levelsAbove, type PlannedUnit, type UnitPlan } from './plan-units.ts';
import { type FileEntry, fileKeyOf } from './section-reader.ts';
import { differences, fieldsOf, shownToken, tokenTermsOf } from './terms.ts';
import { checkWithin } from './within.ts';

/** A new token before it has a name. */
interface MintedToken {
  readonly id: string;
  readonly secret: string;
  readonly digest: string;
  readonly hint: string;
}

interface TokenParts {
  readonly draft: Draft;
  readonly mistakes: Mistakes;
  readonly state: OrganizationState;
  readonly people: PeoplePlan;
  readonly units: UnitPlan;
  readonly isPruning: boolean;
  readonly mint: () => MintedToken;
}

/** Where a token belongs. */
interface Home {
  readonly unit: PlannedUnit | undefined;
  readonly owner: PlannedPerson | undefined;
  /** Before the token's name. */
  readonly prefix: string;
}

/** Sub-tokens, tokens of the playground, of signed-in programs and of JWT subjects are made and ended by others. */
export function describedTokens(tokens: readonly LivingToken[]): readonly LivingToken[] {
  return tokens.filter(
    ({ id, parentId, ownerId, isOfSignIn }) =>
      parentId === undefined &&
      !isOfSignIn &&
      !isJwtToken(id) &&
      (ownerId === undefined || id !== playgroundTokenId(ownerId)),
  );
}

export const hasExpired = ({ terms }: Pick<LivingToken, 'terms'>, nowMs: number): boolean =>
  terms.expiresAtMs !== undefined && terms.expiresAtMs <= nowMs;

export const identityOf = (unitId: string | undefined, ownerId: string | undefined, name: string): string =>
  JSON.stringify([unitId ?? null, ownerId ?? null, name]);

export function planTokens(file: OrgFile, parts: TokenParts): void {
  const planner = new TokenPlanner(parts);
  const named = new Set((file.tokens ?? []).flatMap((entry) => planner.put(entry) ?? []));
  planner.end(file, named);
}

class TokenPlanner {
  readonly #parts: TokenParts;
  readonly #known: ReadonlyMap<string, readonly LivingToken[]>;
  readonly #seen = new Set<string>();

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#known = Map.groupBy(describedTokens(parts.state.tokens), ({ unitId, ownerId, terms }) =>
      identityOf(unitId, ownerId, terms.name),
    );
  }

  /** The id of the token that exists already. */
  put(entry: FileEntry<FileToken>): string | undefined {
    const { mistakes } = this.#parts;
    const { name, path } = entry;
    const home = this.#homeOf(entry);
    if (home === undefined) return undefined;
    const identity = identityOf(home.unit?.id, home.owner?.id, name);
    const place = entry.value.id ?? identity;
    if (this.#seen.has(place))
      mistakes.add([...path, 'name'], 'is the name of another token of the same team and owner');
    this.#seen.add(place);
    const before = this.#find(entry, identity);
    if (before === 'unclear') return undefined;
    const terms = this.#termsOf(entry, before);
    if (terms === undefined) return before?.id;
    const isChanged = before === undefined ? this.#add(home, terms) : this.#change(home, before, terms);
    this.#checkWithin(path, terms, home, isChanged);
    return before?.id;
  }

  #homeOf({ path, value }: FileEntry<FileToken>): Home | undefined {
    const { mistakes, units, people } = this.#parts;
    const { team: teamName, project: projectName, owner: ownerName } = value;
    const find = <Found extends { readonly name: string }>(
      field: string,
      name: string | undefined,
      all: ReadonlyMap<string, Found>,
      what: string,
    ): Found | undefined | null => {
      if (name === undefined) return undefined;
      const found = all.get(nameKeyOf(name));
      if (found !== undefined) return found;
      mistakes.add(
        [...path, field],
        `is not ${what}${suggestion(
          name,
          [...all.values()].map((each) => each.name),
        )}`,
      );
      return null;
    };
    const team = find('team', teamName, units.teams, 'a team');
    const projects = team?.projects ?? new Map<string, PlannedUnit>();
    if (projectName !== undefined && teamName === undefined)
      mistakes.add([...path, 'project'], 'needs its team beside it');
    const project = team ? find('project', projectName, projects, `a project of ${team.name}`) : undefined;
    const owner = find('owner', ownerName, people.byKey, 'a person');
    if (team === null || project === null || owner === null) return undefined;
    const names = [team, project].flatMap((unit) => (unit === undefined ? [] : [`${unit.name}/`]));
    return { unit: project ?? team, owner, prefix: names.join('') };
  }

  #find({ name, path, value }: FileEntry<FileToken>, identity: string): LivingToken | undefined | 'unclear' {
    const { mistakes, draft } = this.#parts;
    if (value.id !== undefined) {
      const found = [...this.#known].flatMap(([, tokens]) => tokens).find(({ id }) => id === value.id);
      const isThere = found !== undefined && identityOf(found.unitId, found.ownerId, name) === identity;
      if (!isThere) mistakes.add([...path, 'id'], 'is no token of this team and owner. Leave it out to create one');
      return isThere ? found : 'unclear';
    }
    const all = this.#known.get(identity) ?? [];
    const working = all.filter((token) => !hasExpired(token, draft.atMs));
    const [first, second] = working.length > 0 ? working : all;
    if (second === undefined) return first;
    const ids = (working.length > 0 ? working : all).map(({ id }) => id).slice(0, 5);
    mistakes.add(
      [...path, 'name'],
      `is the name of several tokens. Add the id of the one that is meant: ${ids.join(', ')}`,
    );
    return 'unclear';
  }

  #termsOf({ name, path, value }: FileEntry<FileToken>, before: LivingToken | undefined): TokenTerms | undefined {
    const { mistakes, draft } = this.#parts;
    const given = value.terms;
    if (given === undefined && before !== undefined) return { ...before.terms, name };
    const at = [...path, 'terms'];
    const terms = mistakes.take(
      at,
      () => tokenTermsOf(name, given ?? {}, before?.terms, draft.atMs),
      (param) => [...at, fileKeyOf(param)],
    );
    const expiresAtMs = given?.expiresAt ?? undefined;
    if (expiresAtMs !== undefined && expiresAtMs <= draft.atMs && expiresAtMs !== before?.terms.expiresAtMs) {
      mistakes.add([...at, 'expires_at'], 'must be in the future');
    }
    return terms;
  }

  #add({ unit, owner, prefix }: Home, terms: TokenTerms): true {
    const { draft, mint } = this.#parts;
    const { secret, ...minted } = mint();
    const { id } = minted;
    const owned = { ...(owner && { ownerId: owner.id }), ...(unit && { unitId: unit.id }) };
    draft.rows.tokens.push({ ...minted, terms, createdAtMs: draft.atMs, ...owned });
    const text = nameText(prefix, terms.name, owner?.name);
    draft.secrets.push({ kind: 'token', name: text, id, secret });
    const set = Object.entries(shownToken(terms, draft.atMs)).map(([field, value]) => `${field} ${value}`);
    draft.say('+', [`token ${text}`, ...(set.length > 0 ? [set.join('; ')] : [])].join(': '), {
      action: 'token-create',
      subject: `token:${id}`,
      detail: { name: terms.name, ...(owner && { owner: owner.name }), ...(unit && { team: unit.name }) },
    });
    return true;
  }

  #change({ prefix, owner }: Home, { id, terms: before }: LivingToken, terms: TokenTerms): boolean {
    const { draft } = this.#parts;
    const words = (of: TokenTerms) => ({ name: of.name, ...shownToken(of, draft.atMs) });
    const found = differences(words(before), words(terms));
    if (found.length === 0) return false;
    draft.rows.tokenChanges.push({ id, terms });
    const text = found.map((difference) => difference.text).join('; ');
    draft.say('~', `token ${nameText(prefix, before.name, owner?.name)}: ${text}`, {
      action: 'token-change',
      subject: `token:${id}`,
      detail: { fields: fieldsOf(found) },
    });
    return true;
  }

  #checkWithin(path: Path, terms: TokenTerms, { unit, owner }: Home, isChanged: boolean): void {
    const { mistakes, units } = this.#parts;
    const { budget, budgets = [], rpm, tpm, concurrency, models, endpoints, tools } = terms;
    const first = budget ? [{ id: '', unit: 'usd', limit: budget.limitNano, period: budget.period } as const] : [];
    const level: LevelTerms = {
      ...(rpm !== undefined && { rpm }),
      ...(tpm !== undefined && { tpm }),
      ...(concurrency !== undefined && { concurrency }),
      ...(models && { models }),
      ...(endpoints && { endpoints }),
      ...(tools && { tools }),
      budgets: [...first, ...budgets],
    };
    const nearest = unit ?? units.organization;
    const above = [...(owner ? [{ ...owner, title: owner.name }] : []), nearest, ...levelsAbove(nearest)];
    checkWithin(mistakes, { terms: level, isChanged }, above, (field, index = 0) => {
      if (field !== 'budgets') return [...path, 'terms', field];
      return [...path, 'terms', ...(index < first.length ? ['budget_usd'] : [field, index - first.length])];
    });
  }

  /** Revokes what must not outlive its team or membership, and what the file does not name. */
  end(file: OrgFile, named: ReadonlySet<string>): void {
    const { draft, mistakes, state, units, isPruning } = this.#parts;
    const revoked = new Set<string>();
    for (const unit of units.removed) {
      const own = state.tokens.filter(({ unitId }) => unitId === unit.id);
      if (own.length > 0 && file.tokens === undefined) {
        const count = own.length === 1 ? 'a token' : `${own.length} tokens`;
        const remedy = 'Name it, or add the section tokens: --prune then revokes those that it does not name';
        mistakes.add(['teams', unit.name], `is not in the file and has ${count}. ${remedy}`);
      }
      for (const { id } of own) revoked.add(id);
    }
    for (const { team, accountId } of units.left) {
      const ids = new Set([team.id, ...[...team.projects.values()].map(({ id }) => id)]);
      const own = state.tokens.filter((token) => token.ownerId === accountId && ids.has(token.unitId ?? ''));
      for (const { id } of own) if (!named.has(id)) revoked.add(id);
    }
    const living = describedTokens(state.tokens).filter((token) => !hasExpired(token, draft.atMs));
    const others = living.filter(({ id }) => !named.has(id) && !revoked.has(id));
    if (file.tokens !== undefined && isPruning) for (const { id } of others) revoked.add(id);
    else if (file.tokens !== undefined) draft.countUnnamed('token', others.length);
    for (const token of state.tokens) if (revoked.has(token.id)) this.#revoke(token);
  }

  #revoke({ id, terms, unitId, ownerId }: LivingToken): void {
    const { draft, state, people } = this.#parts;
    const unitOf = (of: string | undefined) => state.units.find((unit) => unit.id === of);
    const unit = unitOf(unitId);
    const names = [unit?.kind === 'project' ? unitOf(unit.parentId) : undefined, unit];
    const prefix = names.flatMap((each) => (each === undefined ? [] : [`${each.name}/`])).join('');
    draft.rows.revokedTokens.push(id);
    const text = nameText(prefix, terms.name, ownerId === undefined ? undefined : people.byId.get(ownerId)?.name);
    draft.say('-', `token ${text} (revoked)`, { action: 'token-revoke', subject: `token:${id}` });
  }
}

const nameText = (prefix: string, name: string, owner: string | undefined): string =>
  `${prefix}${name}${owner === undefined ? '' : ` of ${owner}`}`;
