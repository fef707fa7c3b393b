/** What of an OpenAPI description the page shows: read loosely, because whatever is missing in it is only not shown. */

export interface ApiField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** Where it goes: `path`, `query`, `header` or `body`. */
  readonly place: string;
  /** It is uploaded. */
  readonly isFile?: true;
  readonly example?: string;
}

export interface ApiOperation {
  /** `POST /v1/chat/completions`: it is in the page's address too. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly family: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: readonly ApiField[];
  readonly statuses: readonly { readonly status: string; readonly description: string }[];
  /** The body's type; absent where it takes none. */
  readonly bodyType?: string;
  /** A body that would be taken, where the description gives one or it can be told from the schema. */
  readonly sample?: unknown;
  /** It becomes a WebSocket. */
  readonly isSocket: boolean;
  /** It answers without a token. */
  readonly isPublic: boolean;
  /** Of the admin key that it needs in the place of a token. */
  readonly scope?: string;
}

export interface ApiFamily {
  readonly name: string;
  readonly operations: readonly ApiOperation[];
}

type Fields = Readonly<Record<string, unknown>>;

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const depthMax = 4;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Follows `$ref` inside the document; only there. */
function resolved(value: unknown, whole: Fields, depth = 0): Fields {
  const fields = fieldsOf(value);
  const reference = textOf(fields['$ref']);
  if (!reference.startsWith('#/') || depth > depthMax) return fields;
  const target = reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => fieldsOf(at)[part], whole);
  return resolved(target, whole, depth + 1);
}

export function readApi(document: unknown): readonly ApiFamily[] {
  const whole = fieldsOf(document);
  const families = new Map<string, ApiOperation[]>();
  for (const [path, item] of Object.entries(fieldsOf(whole['paths']))) {
    for (const method of methods) {
      const operation = fieldsOf(item)[method];
      if (operation === undefined) continue;
      const read = readOperation(method, path, fieldsOf(operation), fieldsOf(item), whole);
      families.set(read.family, [...(families.get(read.family) ?? []), read]);
    }
  }
  return [...families].map(([name, operations]) => ({ name, operations }));
}

function readOperation(method: string, path: string, operation: Fields, item: Fields, whole: Fields): ApiOperation {
  const body = readBody(operation, whole);
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) =>
    readParameter(resolved(one, whole), whole),
  );
  const statuses = Object.entries(fieldsOf(operation['responses'])).map(([status, response]) => ({
    status,
    description: textOf(resolved(response, whole)['description']),
  }));
  return {
    id: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    family: textOf(listOf(operation['tags'])[0]) || (path.split('/')[1] ?? ''),
    summary: textOf(operation['summary']),
    description: textOf(operation['description']),
    fields: [...parameters, ...body.fields],
    statuses,
    isSocket: statuses.some(({ status }) => status === '101'),
    isPublic: listOf(operation['security']).some((one) => Object.keys(fieldsOf(one)).length === 0),
    ...(textOf(operation['x-weir-scope']) !== '' && { scope: textOf(operation['x-weir-scope']) }),
    ...(body.type !== undefined && { bodyType: body.type }),
    ...(body.sample !== undefined && { sample: body.sample }),
  };
}

function readParameter(parameter: Fields, whole: Fields): ApiField {
  const example = textOf(parameter['example']);
  return {
    ...(example !== '' && { example }),
    name: textOf(parameter['name']),
    type: typeText(parameter['schema'], whole),
    required: parameter['required'] === true,
    description: textOf(parameter['description']),
    place: textOf(parameter['in']),
  };
}

/** JSON, unless only the other one has an example: then files are what the call is about. */
function preferred(content: readonly (readonly [string, unknown])[]): readonly [string, unknown] | undefined {
  const shown = content.filter(([, media]) => fieldsOf(media)['example'] !== undefined);
  const isJson = ([name]: readonly [string, unknown]) => name === 'application/json';
  return shown.find(isJson) ?? shown[0] ?? content.find(isJson) ?? content[0];
}

interface ReadBody {
  readonly type: string | undefined;
  readonly fields: readonly ApiField[];
  readonly sample: unknown;
}

function readBody(operation: Fields, whole: Fields): ReadBody {
  const content = Object.entries(fieldsOf(resolved(operation['requestBody'], whole)['content']));
  const [type, media] = preferred(content) ?? [];
  if (type === undefined) return { type: undefined, fields: [], sample: undefined };
  const schema = resolved(fieldsOf(media)['schema'], whole);
  const required = listOf(schema['required']);
  const fields = Object.entries(fieldsOf(schema['properties'])).map(([name, property]) => ({
    name,
    type: typeText(property, whole),
    required: required.includes(name),
    description: textOf(resolved(property, whole)['description']),
    place: 'body',
    ...(isUpload(property, whole) && { isFile: true as const }),
  }));
  return { type, fields, sample: bodySample(fieldsOf(media), schema, whole) };
}

function isUpload(given: unknown, whole: Fields, depth = 0): boolean {
  const schema = resolved(given, whole);
  if (schema['format'] === 'binary' || depth > depthMax) return schema['format'] === 'binary';
  return listOf(schema['anyOf']).some((choice) => isUpload(choice, whole, depth + 1));
}

function bodySample(media: Fields, schema: Fields, whole: Fields): unknown {
  const first = fieldsOf(Object.values(fieldsOf(media['examples']))[0])['value'];
  return media['example'] ?? first ?? schema['example'] ?? listOf(schema['examples'])[0] ?? made(schema, whole, 0);
}

/** The smallest value that the schema asks for. */
function made(given: unknown, whole: Fields, depth: number): unknown {
  const schema = resolved(given, whole);
  const known = schema['example'] ?? listOf(schema['examples'])[0] ?? schema['const'] ?? listOf(schema['enum'])[0];
  if (known !== undefined || depth > depthMax) return known;
  const choice = listOf(schema['oneOf'] ?? schema['anyOf'])[0];
  if (choice !== undefined) return made(choice, whole, depth + 1);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'array') return [made(schema['items'], whole, depth + 1)].filter((entry) => entry !== undefined);
  if (type === 'string') return '…';
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
  if (type === 'boolean') return true;
  const properties = fieldsOf(schema['properties']);
  const required = listOf(schema['required']).map(String);
  if (required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [name, made(properties[name], whole, depth + 1)]));
}

function typeText(given: unknown, whole: Fields, depth = 0): string {
  const schema = resolved(given, whole);
  const choices = listOf(schema['oneOf'] ?? schema['anyOf']);
  if (choices.length > 0 && depth < depthMax) {
    return [...new Set(choices.map((choice) => typeText(choice, whole, depth + 1)))].join(' | ');
  }
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const values = listOf(schema['enum']);
  if (values.length > 0 && values.length <= 6) return values.map((value) => JSON.stringify(value)).join(' | ');
  const type = Array.isArray(schema['type']) ? schema['type'].join(' | ') : textOf(schema['type']);
  if (type === 'array' && depth < depthMax) return `${typeText(schema['items'], whole, depth + 1)}[]`;
  return type || 'object';
}
