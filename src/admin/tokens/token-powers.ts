/** What an account may do with which token, where it may put one, and what it may give it. */

import type { AccountRecord } from '../../access/account.ts';
import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { type LevelTerms, organizationId } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Actor } from '../accounts/sessions.ts';
import { tokenUnitSchema } from '../contracts/account-contract.ts';
import { type Bound, type Given, requireEndUserTerms, requireWithinBounds } from '../organization/grants.ts';
import type { Place, Standing, TeamAccess } from '../organization/team-access.ts';
import { beyond, memberBudget, requireWithinDefaults } from './token-ceiling.ts';
import { requireOwner } from './token-owner.ts';
import { checked } from './token-terms.ts';
import { defaultTerms } from './tokens.ts';

/** `all`: an owner or admin of Weir. `team`: an admin of the token's team. `own`: its name, its secret and its end. */
export type TokenPower = 'all' | 'team' | 'own' | 'read' | 'none';

interface TokenPowersOptions {
  readonly access: TeamAccess;
  readonly organization: Pick<OrganizationStore, 'byId' | 'membershipsOf' | 'personTerms'>;
  readonly accountOf: (id: string) => Promise<AccountRecord | undefined>;
  readonly defaults: TokenDefaults;
  readonly nowMs: () => number;
}

/** Where a token will be, and whose it will be. */
interface TokenHome {
  readonly place: Place | undefined;
  readonly ownerId: string | undefined;
}

export interface TokenPowers {
  standingOf(actor: Actor): Promise<Standing>;
  placeOf(unitId: string | undefined): Promise<Place | undefined>;
  over(actor: Actor, record: TokenRecord): Promise<TokenPower>;
  /** The place that the actor chose for a token; throws where they may not put it there. */
  requirePlace(actor: Actor, unitId: string | null, act: 'create' | 'move'): Promise<Place | undefined>;
  /** The owner that the actor chose; throws where they may not. */
  requireOwnerIn(actor: Actor, ownerId: string | null, place: Place | undefined): Promise<AccountRecord | undefined>;
  /** Throws where a new token, or what a change gives a token, is more than the actor has. */
  requireGrant(actor: Actor, home: TokenHome, terms: TokenTerms, before?: TokenTerms): Promise<void>;
}

/** Absent where none was named; null for none. */
export function unitIn(input: unknown): { readonly unitId: string | null | undefined; readonly rest: unknown } {
  if (typeof input !== 'object' || input === null || !('unitId' in input)) return { unitId: undefined, rest: input };
  const { unitId, ...rest } = input;
  return { ...checked(tokenUnitSchema, { unitId }), rest };
}

const organizationName = 'the organization';

export function createTokenPowers(options: TokenPowersOptions): TokenPowers {
  const { access, organization, defaults } = options;

  const placeOf = async (unitId: string | undefined): Promise<Place | undefined> =>
    unitId === undefined ? undefined : access.placeOf(unitId);

  async function requirePlace(actor: Actor, unitId: string | null, act: 'create' | 'move') {
    const standing = await access.standingOf(actor);
    if (unitId === null) {
      if (actor.key?.team !== undefined) throw beyond('unitId', 'a key of a team has tokens in this team only');
      if (act === 'create' || standing.managesAll) return undefined;
      throw beyond('unitId', 'only an owner or admin of Weir can take a token out of its team');
    }
    const place = await placeOf(unitId);
    if (place === undefined || !standing.sees(place.team.id)) {
      throw new GatewayError('field_invalid', 'unitId: there is no such team or project', { param: 'unitId' });
    }
    const isAllowed = act === 'create' ? standing.mayCreateIn(place.team.id) : standing.manages(place.team.id);
    if (!isAllowed) throw beyond('unitId', `your role in ${place.team.name} does not allow this`);
    return place;
  }

  /** An admin of a team chooses among those who may have tokens in it. */
  async function requireOwnerIn(actor: Actor, ownerId: string | null, place: Place | undefined) {
    const manages = place !== undefined && (await access.standingOf(actor)).manages(place.team.id);
    if (!manages || actor.account.role !== 'member' || isOwn(actor, ownerId)) {
      return requireOwner(actor, ownerId, options.accountOf);
    }
    if (ownerId === null) return undefined;
    const owner = await options.accountOf(ownerId);
    const role = (await organization.membershipsOf(ownerId)).find(({ teamId }) => teamId === place.team.id)?.role;
    if (owner === undefined || role === undefined || role === 'viewer' || owner.disabledAtMs !== undefined) {
      throw beyond('ownerId', `must be a member of ${place.team.name} who may have tokens, or null`);
    }
    if (owner.role !== 'member')
      throw beyond('ownerId', `only an owner or admin of Weir can give ${owner.name} a token`);
    return owner;
  }

  /** The levels above the token, and what the giver has. */
  async function boundsOf({ account }: Actor, { place, ownerId }: TokenHome): Promise<readonly Bound[]> {
    const [above, own] = await Promise.all([organization.byId(organizationId), organization.personTerms(account.id)]);
    const levels: readonly (readonly [string, LevelTerms | undefined])[] = [
      [organizationName, above?.terms],
      [place?.team.name ?? '', place?.team.terms],
      [place?.project?.name ?? '', place?.project?.terms],
    ];
    const bounds: Bound[] = levels.flatMap(([name, terms]) => (terms === undefined ? [] : [{ name, terms }]));
    // The person's own limits do not hold for a token of another owner, so that it must have them itself.
    if (own !== undefined) bounds.push({ name: 'your account', terms: own, mustBeNamed: ownerId !== account.id });
    return bounds;
  }

  async function requireGrant(actor: Actor, home: TokenHome, terms: TokenTerms, before?: TokenTerms): Promise<void> {
    if (actor.account.role !== 'member') return;
    const { labels: _, ...limits } = before === undefined ? terms : probeOf(before, terms, defaults, options.nowMs());
    requireWithinDefaults(limits, defaults, options.nowMs());
    const fields = (['models', 'endpoints', 'tools', 'labels'] as const).filter(
      (field) => before === undefined || !Bun.deepEquals(before[field], terms[field]),
    );
    const bounds = await boundsOf(actor, home);
    requireWithinBounds(terms satisfies Given, bounds, fields);
    const standing = await access.standingOf(actor);
    const isManaged = home.place !== undefined && standing.manages(home.place.team.id);
    const above = bounds.map((level) => ({ ...level, isManaged: isManaged && level.name !== organizationName }));
    requireEndUserTerms(terms.endUsers, before?.endUsers, above.toReversed());
  }

  return {
    standingOf: (actor) => access.standingOf(actor),
    placeOf,
    requirePlace,
    requireOwnerIn,
    requireGrant,
    async over(actor, { unitId, ownerId }) {
      const [standing, place] = await Promise.all([access.standingOf(actor), placeOf(unitId)]);
      if (standing.managesAll) return 'all';
      if (place !== undefined && standing.manages(place.team.id)) return 'team';
      if (isOwn(actor, ownerId)) return actor.account.role === 'member' ? 'own' : 'read';
      const isSeen = standing.seesAll || (place !== undefined && standing.seesTokensOf(place.team.id));
      return isSeen ? 'read' : 'none';
    },
  };
}

/** What its creator has is not a team key's own. */
const isOwn = ({ account, key }: Actor, ownerId: string | null | undefined): boolean =>
  ownerId === account.id && key?.team === undefined;

/** The terms with the operator's defaults in the place of what stays as it is: only what changes is checked. */
function probeOf(before: TokenTerms, after: TokenTerms, defaults: TokenDefaults, nowMs: number): TokenTerms {
  const budget = memberBudget(defaults);
  const usual: TokenTerms = { ...defaultTerms(defaults, after.name, nowMs), ...(budget !== undefined && { budget }) };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(usual)])];
  const probed = (name: string): unknown => {
    const [old, given] = [Reflect.get(before, name), Reflect.get(after, name)];
    return Bun.deepEquals(old, given) ? Reflect.get(usual, name) : given;
  };
  const values = names.map((name) => [name, probed(name)] as const).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(values) as Omit<TokenTerms, 'name'>), name: after.name };
}
