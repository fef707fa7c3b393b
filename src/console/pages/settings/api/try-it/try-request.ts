/** The request that someone filled in: its path with parameters, and its body as JSON or as a form. */

import type { ApiField, ApiOperation } from '../openapi.ts';

export interface TryValues {
  /** By place and name: `path.id`, `query.limit`, `body.prompt`. */
  readonly texts: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, File>>;
  /** The whole body of a JSON request, as it was typed. */
  readonly json: string;
}

interface TryRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData;
}

/** Why it cannot be sent: a field that is missing, or what is wrong with the JSON. */
export type TryFault = { readonly field: string } | { readonly json: string };

export const keyOfField = ({ place, name }: Pick<ApiField, 'place' | 'name'>): string => `${place}.${name}`;

/** What the form starts with: the samples of the description. */
export function firstValues({ fields, sample, bodyType }: ApiOperation): TryValues {
  const isForm = bodyType?.startsWith('multipart/') === true;
  const body = Object.entries((isForm ? (sample ?? {}) : {}) as Readonly<Record<string, unknown>>);
  const isFile = (name: string) => fields.some((field) => field.name === name && field.isFile === true);
  return {
    texts: Object.fromEntries([
      ...fields.flatMap((field) => (field.example === undefined ? [] : [[keyOfField(field), field.example]])),
      ...body.flatMap(([name, value]) => (isFile(name) ? [] : [[`body.${name}`, String(value)]])),
    ]),
    files: {},
    json: bodyType === 'application/json' ? JSON.stringify(sample ?? {}, null, 2) : '',
  };
}

export function requestOf(operation: ApiOperation, values: TryValues): TryRequest | TryFault {
  const { fields, method, bodyType } = operation;
  const textIn = (field: ApiField) => (values.texts[keyOfField(field)] ?? '').trim();
  const missing = fields.find(
    (field) =>
      field.required &&
      (field.place === 'path' || (bodyType?.startsWith('multipart/') === true && field.place === 'body')) &&
      (field.isFile === true ? values.files[field.name] === undefined : textIn(field) === ''),
  );
  if (missing !== undefined) return { field: missing.name };
  const path = pathOf(operation, textIn);
  if (bodyType === 'application/json') {
    const fault = jsonFault(values.json);
    return fault === undefined ? { method, path, body: values.json } : { json: fault };
  }
  if (bodyType?.startsWith('multipart/') !== true) return { method, path };
  const form = new FormData();
  for (const field of fields.filter(({ place }) => place === 'body')) {
    const file = values.files[field.name];
    if (file !== undefined) form.append(field.name, file);
    else if (textIn(field) !== '') form.append(field.name, textIn(field));
  }
  return { method, path, body: form };
}

/** Slashes stay in a path's parameter: the ids of models have some. */
function pathOf({ path, fields }: ApiOperation, textIn: (field: ApiField) => string): string {
  const filled = fields
    .filter(({ place }) => place === 'path')
    .reduce(
      (at, field) => at.replace(`{${field.name}}`, () => textIn(field).split('/').map(encodeURIComponent).join('/')),
      path,
    );
  const query = new URLSearchParams(
    fields
      .filter((field) => field.place === 'query' && textIn(field) !== '')
      .map((field) => [field.name, textIn(field)]),
  );
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
