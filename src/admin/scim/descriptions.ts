/** What SCIM says about itself (RFC 7643 sections 5 to 7): what is supported, the resource types and their schemas. */

import type { Resource } from './filter.ts';
import { schemas } from './resources.ts';

const resourceTypeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

export const pageItemsMax = 200;

export const serviceProviderConfig = (base: string): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: pageItemsMax },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of the setting scim.token in the Authorization header.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

export const resourceTypes = (base: string): readonly Resource[] => [
  {
    schemas: [resourceTypeSchema],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'Accounts',
    schema: schemas.user,
    schemaExtensions: [{ schema: schemas.enterprise, required: false }],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
  },
  {
    schemas: [resourceTypeSchema],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    description: 'Groups, whose members get teams and roles',
    schema: schemas.group,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/Group` },
  },
];

interface AttributeOptions {
  readonly type?: string;
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly Resource[];
}

const attribute = (name: string, options: AttributeOptions = {}): Resource => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const complex = (name: string, subAttributes: readonly Resource[], options: AttributeOptions = {}): Resource =>
  attribute(name, { type: 'complex', subAttributes, ...options });

const listed = ['value', 'display', 'type'].map((name) => attribute(name));

const schema = (base: string, id: string, name: string, attributes: readonly Resource[]): Resource => ({
  schemas: [schemaSchema],
  id,
  name,
  description: name,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

export const schemaList = (base: string): readonly Resource[] => [
  schema(base, schemas.user, 'User', [
    attribute('userName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('displayName'),
    complex(
      'name',
      ['formatted', 'familyName', 'givenName', 'middleName'].map((name) => attribute(name)),
    ),
    complex('emails', [...listed, attribute('primary', { type: 'boolean' })], { multiValued: true }),
    attribute('active', { type: 'boolean' }),
    attribute('title'),
    attribute('preferredLanguage'),
    attribute('locale'),
    attribute('timezone'),
    complex('groups', listed, { multiValued: true, mutability: 'readOnly' }),
  ]),
  schema(base, schemas.enterprise, 'EnterpriseUser', [
    ...['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map((name) => attribute(name)),
    complex(
      'manager',
      ['value', 'displayName'].map((name) => attribute(name)),
    ),
  ]),
  schema(base, schemas.group, 'Group', [
    attribute('displayName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    complex('members', listed, { multiValued: true }),
  ]),
];
