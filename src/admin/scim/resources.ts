/** Accounts and groups as resources of SCIM (RFC 7643), and what of a sent resource is kept. Pure. */

import type { AccountRecord } from '../../access/account.ts';
import type { ScimGroupRow, ScimUserRow } from '../../store/scim/scim-store.ts';
import { isObject, keyIn, type Resource } from './filter.ts';
import { invalidValue } from './scim-error.ts';

export const schemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  enterprise: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
} as const;

/** What a directory may say of one person. */
const attributesLengthMax = 32_768;

/** Set by Weir, or never kept: a password that a directory sends opens nothing here. */
const ownKeys: ReadonlySet<string> = new Set(
  ['id', 'meta', 'schemas', 'groups', 'password', 'userName', 'externalId', 'active'].map((key) => key.toLowerCase()),
);

/** A user as a directory sent it. */
export interface SentUser {
  readonly userName: string;
  readonly externalId: string | undefined;
  /** Absent: as it is. */
  readonly active: boolean | undefined;
  /** Everything else, which is only returned. */
  readonly attributes: Resource;
}

function attributeOf(resource: Resource, name: string): unknown {
  const key = keyIn(resource, name);
  return key === undefined ? undefined : (resource[key] ?? undefined);
}

function textOf(resource: Resource, name: string): string | undefined {
  const value = attributeOf(resource, name);
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= 255) return value;
  throw invalidValue(`${name} must be text of at most 255 characters.`);
}

/** Entra ID also sends `"False"`, and a list with one value. */
function flagOf(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.length === 1) return flagOf(value[0]);
  if (isObject(value)) return flagOf(value['value']);
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidValue('active must be true or false.');
}

export function readUser(body: unknown): SentUser {
  if (!isObject(body)) throw invalidValue('The body must be a user.');
  const userName = textOf(body, 'userName')?.trim() ?? '';
  if (userName === '') throw invalidValue('userName is missing.');
  const attributes = Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !ownKeys.has(key.toLowerCase()) && value !== null),
  );
  if (JSON.stringify(attributes).length > attributesLengthMax) {
    throw invalidValue(`The user has more than ${attributesLengthMax} characters.`);
  }
  const active = flagOf(attributeOf(body, 'active'));
  return { userName, externalId: textOf(body, 'externalId'), active, attributes };
}

/** A group as a directory sent it. */
export interface SentGroup {
  readonly displayName: string;
  readonly externalId: string | undefined;
  /** Ids of users; absent: as they are. */
  readonly members: readonly string[] | undefined;
}

export function readGroup(body: unknown): SentGroup {
  if (!isObject(body)) throw invalidValue('The body must be a group.');
  const displayName = textOf(body, 'displayName')?.trim() ?? '';
  if (displayName === '') throw invalidValue('displayName is missing.');
  const members = attributeOf(body, 'members');
  return { displayName, externalId: textOf(body, 'externalId'), members: memberIds(members) };
}

function memberIds(members: unknown): readonly string[] | undefined {
  if (members === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(members) ? members : [members];
  const ids = list.map((member) => (isObject(member) ? attributeOf(member, 'value') : member));
  if (!ids.every((id): id is string => typeof id === 'string')) throw invalidValue('Each member needs a value.');
  return [...new Set(ids)];
}

/** What a resource is shown with. */
export interface Shown {
  /** The URL of this SCIM service. */
  readonly base: string;
}

export function userResource(
  account: AccountRecord,
  row: ScimUserRow | undefined,
  groups: readonly ScimGroupRow[],
  { base }: Shown,
): Resource {
  const attributes = row === undefined ? {} : (JSON.parse(row.attributes) as Resource);
  const isEnterprise = keyIn(attributes, schemas.enterprise) !== undefined;
  const resource = {
    schemas: [schemas.user, ...(isEnterprise ? [schemas.enterprise] : [])],
    id: account.id,
    ...(row?.externalId !== undefined && { externalId: row.externalId }),
    userName: account.name,
    ...attributes,
    active: account.disabledAtMs === undefined,
    groups: groups.map(({ id, displayName }) => ({
      value: id,
      display: displayName,
      type: 'direct',
      $ref: `${base}/Groups/${id}`,
    })),
  };
  const times = { created: row?.createdAtMs ?? account.createdAtMs, changed: row?.changedAtMs ?? account.createdAtMs };
  return withMeta(resource, 'User', `${base}/Users/${account.id}`, times);
}

/** `names` has those of the members. */
export function groupResource(
  row: ScimGroupRow,
  members: readonly string[],
  names: ReadonlyMap<string, string>,
  { base }: Shown,
): Resource {
  const { id, displayName, externalId, createdAtMs, changedAtMs } = row;
  const resource = {
    schemas: [schemas.group],
    id,
    ...(externalId !== undefined && { externalId }),
    displayName,
    members: members.map((value) => ({
      value,
      ...(names.has(value) && { display: names.get(value) }),
      type: 'User',
      $ref: `${base}/Users/${value}`,
    })),
  };
  return withMeta(resource, 'Group', `${base}/Groups/${id}`, { created: createdAtMs, changed: changedAtMs });
}

function withMeta(
  resource: Resource,
  resourceType: string,
  location: string,
  { created, changed }: { readonly created: number; readonly changed: number },
): Resource {
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(resource)).digest('hex').slice(0, 16);
  const meta = {
    resourceType,
    created: new Date(created).toISOString(),
    lastModified: new Date(changed).toISOString(),
    location,
    version: `W/"${digest}"`,
  };
  return { ...resource, meta };
}

export const versionOf = ({ meta }: Resource): string => (isObject(meta) ? String(meta['version']) : '');

/** Only these attributes, or all but these; what identifies a resource always stays. */
export function narrowed(resource: Resource, query: URLSearchParams): Resource {
  const named = (key: string): ReadonlySet<string> | undefined => {
    const text = query.get(key);
    // Of a path only the attribute: sub-attributes come together.
    return text === null || text === ''
      ? undefined
      : new Set(text.split(',').map((name) => name.trim().toLowerCase().split('.', 1)[0] ?? ''));
  };
  const [only, without] = [named('attributes'), named('excludedAttributes')];
  if (only === undefined && without === undefined) return resource;
  return Object.fromEntries(
    Object.entries(resource).filter(([key]) => {
      const name = key.toLowerCase();
      if (name === 'id' || name === 'schemas' || name === 'meta') return true;
      return (only === undefined || only.has(name)) && without?.has(name) !== true;
    }),
  );
}
