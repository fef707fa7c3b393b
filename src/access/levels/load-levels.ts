/** Finds the levels above a token: organization, team, project, person, and the tokens that it was created by. */

import type { Level, TokenRecord } from '../caller.ts';
import { type LevelTerms, organizationId, type UnitRecord } from '../organization.ts';

/** Where levels come from. Rejects where the database does not answer. */
export interface LevelSource {
  unit(id: string): Promise<UnitRecord | undefined>;
  person(accountId: string): Promise<PersonRecord | undefined>;
  token(id: string): Promise<TokenRecord | undefined>;
}

export interface PersonRecord {
  readonly name: string;
  readonly terms: LevelTerms | undefined;
}

/** What is above one token. */
export interface LevelsAbove {
  readonly levels: readonly Level[];
  /** The tokens that it was created by, the oldest first. They must be valid for it to be. */
  readonly creators: readonly TokenRecord[];
  /** Something that it belongs to does not exist any more. */
  readonly missing?: 'unit' | 'creator';
}

export const nothingAbove: LevelsAbove = { levels: [], creators: [] };

/** A token that a token created may create tokens; those may not. */
export const creatorsMax = 3;
/** Organization, team, project. */
const unitsMax = 3;

/** Remembers units and people until it is cleared: many tokens share them. */
interface LevelLoader {
  aboveOf(record: TokenRecord): Promise<LevelsAbove>;
  /** Something changed. Loads in progress finish with what they began with. */
  clear(): void;
}

interface Known {
  readonly units: Map<string, Promise<UnitRecord | undefined>>;
  readonly people: Map<string, Promise<PersonRecord | undefined>>;
}

/** So many units and people are remembered at a time. */
const knownMax = 10_000;

export function createLevelLoader(source: LevelSource): LevelLoader {
  const none = (): Known => ({ units: new Map(), people: new Map() });
  let known = none();

  async function unitsOf(unitId: string | undefined, { units }: Known): Promise<readonly UnitRecord[] | undefined> {
    const path: UnitRecord[] = [];
    for (let id = unitId; id !== undefined && path.length < unitsMax; ) {
      const unit = await remembered(units, id, source.unit);
      if (unit === undefined) return undefined;
      path.unshift(unit);
      id = unit.parentId;
    }
    return path;
  }

  async function creatorsOf(parentId: string | undefined): Promise<readonly TokenRecord[] | undefined> {
    const creators: TokenRecord[] = [];
    for (let id = parentId; id !== undefined && creators.length < creatorsMax; ) {
      const token = await source.token(id);
      if (token === undefined) return undefined;
      creators.unshift(token);
      id = token.parentId;
    }
    return creators;
  }

  return {
    async aboveOf({ unitId = organizationId, ownerId, parentId }) {
      const own = known;
      const [units, person, creators] = await Promise.all([
        unitsOf(unitId, own),
        ownerId === undefined ? undefined : remembered(own.people, ownerId, source.person),
        creatorsOf(parentId),
      ]);
      if (units === undefined) return { ...nothingAbove, missing: 'unit' };
      if (creators === undefined) return { ...nothingAbove, missing: 'creator' };
      const levels: Level[] = units.map(({ kind, id, name, terms }) => ({ kind, id, name, terms }));
      // An account that was removed has no terms; its tokens are then of the operator.
      if (ownerId !== undefined && person !== undefined)
        levels.push({ kind: 'person', id: ownerId, name: person.name, terms: person.terms ?? {} });
      return { levels, creators };
    },
    clear() {
      known = none();
    },
  };
}

function remembered<Value>(
  values: Map<string, Promise<Value>>,
  id: string,
  read: (id: string) => Promise<Value>,
): Promise<Value> {
  const known = values.get(id);
  if (known !== undefined) return known;
  if (values.size >= knownMax) values.clear();
  const reading = read(id);
  values.set(id, reading);
  reading.catch(() => values.delete(id));
  return reading;
}
