/** A request of a directory that is refused, as RFC 7644 section 3.12 writes it. */

/** Words of the RFC that say which kind of mistake it is. */
type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'uniqueness';

export class ScimError extends Error {
  override readonly name = 'ScimError';
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export const scimErrorBody = (status: number, detail: string, scimType?: ScimType): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType !== undefined && { scimType }),
  detail,
});

export const invalidValue = (detail: string): ScimError => new ScimError(400, detail, 'invalidValue');
export const invalidPath = (detail: string): ScimError => new ScimError(400, detail, 'invalidPath');
