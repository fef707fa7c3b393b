/** The TypeScript client of the admin API, written from the description that `/openapi.json` gives. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/endpoints/openapi/document.ts';
import { fieldLine, fieldLines, type Schema, typeName, typeText } from './type-text.ts';

export const clientFile = 'clients/typescript/weir-admin.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-weir-scope': string;
  readonly 'x-weir-paging'?: { readonly next: string; readonly parameter: string };
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Method {
  readonly area: string;
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const root = '/admin/v1';
const emptyBody = '#/components/schemas/AdminEmpty';
const head = `/**
 * A client of Weir's admin API in one file, without dependencies: copy it into your project.
 * \`npm run client:admin\` writes it from \`/openapi.json\`; do not edit it.
 */`;

export async function clientText(): Promise<string> {
  const made = openApiDocument({ origin: 'https://weir.example', version: '' });
  const document = JSON.parse(JSON.stringify(made)) as Document;
  const methods = methodsOf(document);
  const areas = Map.groupBy(methods, ({ area }) => area);
  const parts = [
    head,
    factoryText([...areas.keys()]),
    runtimeText(),
    ...Array.from(areas, ([area, inside]) => areaText(area, inside, document)),
    ...Array.from(areas).flatMap(([area, inside]) => queryInterfaces(area, inside)),
    ...Object.entries(document.components.schemas)
      .filter(([name]) => name.startsWith('Admin') && !emptyBody.endsWith(`/${name}`))
      .map(([name, schema]) => schemaText(name.replace('Admin', ''), schema)),
  ];
  return formatted(`${parts.join('\n\n')}\n`);
}

function methodsOf({ paths }: Document): readonly Method[] {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(`${root}/`))
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => {
        const [, area = '', name = ''] = operation.operationId.split('.');
        return { area, name, verb: verb.toUpperCase(), path: path.slice(root.length), operation };
      }),
    );
}

function factoryText(areas: readonly string[]): string {
  return `export type WeirAdmin = ReturnType<typeof createWeirAdmin>;

export function createWeirAdmin(options: WeirAdminOptions) {
  const call = createCall(options);
  return {
    ${areas.map((area) => `${area}: ${area}(call),`).join('\n')}
  };
}`;
}

/** The client hands out its options and errors; what calls Weir stays inside. */
function runtimeText(): string {
  const text = readFileSync(join(import.meta.dir, 'runtime.ts'), 'utf8');
  return text
    .replace(/^\/\*\*.*?\*\/\n\n/, '')
    .replace(/^export (interface (?:Sent|Call) |function createCall|async function\* itemsOf)/gm, '$1')
    .trim();
}

function areaText(area: string, methods: readonly Method[], document: Document): string {
  return `const ${area} = (call: Call) => ({
    ${methods.map((method) => methodText(method, document)).join('\n\n')}
  });`;
}

function methodText(method: Method, document: Document): string {
  const { name, verb, path, operation } = method;
  const { before, sent } = argumentsOf(method, document);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, id) => `\${encodeURIComponent(${id})}`);
  const place = filled === path ? `'${path}'` : `\`${filled}\``;
  const reply = replyText(operation);
  const call = reply === 'Response' ? 'file' : 'json';
  const comment = `/** ${operation.summary} Scope: \`${operation['x-weir-scope']}\`. */`;
  const one = `${comment}
    ${name}: (${[...before, 'options?: CallOptions'].join(', ')}): Promise<${reply}> =>
      call.${call}('${verb}', ${place}, { ${[...sent, 'options'].join(', ')} }),`;
  return one + allText(method, document);
}

/** A list that has pages can also be read item by item. */
function allText({ area, name, path, operation }: Method, { components }: Document): string {
  const paging = operation['x-weir-paging'];
  if (paging === undefined) return '';
  const page = replyText(operation);
  const { items } = (components.schemas[`Admin${page}`]?.['properties'] ?? {}) as { items?: Schema };
  const item = typeText((items?.['items'] ?? {}) as Schema);
  const next = paging.next === 'next' ? 'next' : `${paging.next}: next`;
  return `

    /** Every item of \`${name}\`, page after page. */
    ${name}All: (query: Omit<${queryName(area, name)}, '${paging.parameter}'> = {}, options?: CallOptions): AsyncGenerator<${item}> =>
      itemsOf(async (${paging.parameter}) => {
        const { items, ${next} } = await call.json<${page}>('GET', '${path}', {
          query: { ...query, ${paging.parameter} },
          options,
        });
        return { items, next };
      }),`;
}

function argumentsOf({ area, name, verb, path, operation }: Method, { components }: Document) {
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, id]) => `${id}: string`);
  const described = operation.requestBody?.content['application/json']?.schema;
  // An empty body is sent without being given.
  const body = described?.['$ref'] === emptyBody ? undefined : described;
  const query = queryOf(operation);
  const isOptional = query.every(({ required }) => required !== true);
  // A change of nothing makes no sense; a rotation without options does.
  const schema = components.schemas[`Admin${typeText(body ?? {})}`] ?? {};
  const isBare = verb === 'POST' && 'properties' in schema && !('required' in schema);
  return {
    before: [
      ...ids,
      ...(body === undefined ? [] : [`body: ${typeText(body)}${isBare ? ' = {}' : ''}`]),
      ...(query.length === 0 ? [] : [`query: ${queryName(area, name)}${isOptional ? ' = {}' : ''}`]),
    ],
    sent: [...(body === undefined ? [] : ['body']), ...(query.length === 0 ? [] : ['query'])],
  };
}

const queryOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'query');

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const queryName = (area: string, name: string): string => `${capital(area)}${capital(name)}Query`;

function parameterLine({ name, schema, required = false, description }: Parameter): string {
  const isList = schema['type'] === 'array';
  const type = isList ? `string | ${typeText(schema)}` : typeText(schema);
  return fieldLine(name, required ? type : `${type} | undefined`, required, description);
}

/** What all queries of an area share is written once. */
function queryInterfaces(area: string, methods: readonly Method[]): readonly string[] {
  const queries = methods
    .map(({ name, operation }) => ({ name: queryName(area, name), lines: queryOf(operation).map(parameterLine) }))
    .filter(({ lines }) => lines.length > 0);
  const [first, ...others] = queries;
  if (first === undefined) return [];
  const shared = first.lines.filter((line) => others.every(({ lines }) => lines.includes(line)));
  if (others.length === 0 || shared.length === 0) return queries.map(({ name, lines }) => interfaceText(name, lines));
  const base = `${capital(area)}Query`;
  return [
    interfaceText(base, shared),
    ...queries.map(({ name, lines }) => {
      const own = lines.filter((line) => !shared.includes(line));
      return own.length === 0 ? `export type ${name} = ${base};` : interfaceText(`${name} extends ${base}`, own);
    }),
  ];
}

const interfaceText = (name: string, lines: readonly string[]): string =>
  `export interface ${name} {\n${lines.join('\n')}\n}`;

/** A file comes as it arrives. */
function replyText({ responses }: Operation): string {
  const content = responses['200']?.content;
  if (content === undefined) return 'void';
  const { $ref } = content['application/json']?.schema ?? {};
  return typeof $ref === 'string' ? typeName($ref) : 'Response';
}

function schemaText(name: string, schema: Schema): string {
  if (schema['properties'] !== undefined) return interfaceText(name, [fieldLines(schema)]);
  return `export type ${name} = ${typeText(schema)};`;
}

async function formatted(text: string): Promise<string> {
  const biome = Bun.spawn([join('node_modules', '.bin', 'biome'), 'format', `--stdin-file-path=${clientFile}`], {
    stdin: new Blob([text]),
    stderr: 'pipe',
  });
  const [written, problems, code] = await Promise.all([
    new Response(biome.stdout).text(),
    new Response(biome.stderr).text(),
    biome.exited,
  ]);
  if (code !== 0) throw new Error(`The client could not be formatted:\n${problems}`);
  return written;
}
