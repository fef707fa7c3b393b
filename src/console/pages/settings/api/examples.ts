/** The same call in three languages: with the library of its format where there is one, as plain HTTP elsewhere. The token is a variable. */

import { pythonArguments, pythonOf } from '../../../texts/python.ts';
import chatPython from './examples/chat.python.txt' with { type: 'text' };
import chatTypescript from './examples/chat.typescript.txt' with { type: 'text' };
import coherePython from './examples/cohere.python.txt' with { type: 'text' };
import cohereTypescript from './examples/cohere.typescript.txt' with { type: 'text' };
import endings from './examples/endings.json';
import generatePython from './examples/generate.python.txt' with { type: 'text' };
import generateTypescript from './examples/generate.typescript.txt' with { type: 'text' };
import httpPython from './examples/http.python.txt' with { type: 'text' };
import httpTypescript from './examples/http.typescript.txt' with { type: 'text' };
import messagesPython from './examples/messages.python.txt' with { type: 'text' };
import messagesTypescript from './examples/messages.typescript.txt' with { type: 'text' };
import socketPython from './examples/socket.python.txt' with { type: 'text' };
import socketTypescript from './examples/socket.typescript.txt' with { type: 'text' };
import { type LibraryCall, libraryCallOf } from './library-calls.ts';
import type { ApiOperation } from './openapi.ts';

export const exampleLanguages = ['curl', 'python', 'typescript'] as const;
export type ExampleLanguage = (typeof exampleLanguages)[number];

const templates = {
  chat: { python: chatPython, typescript: chatTypescript },
  messages: { python: messagesPython, typescript: messagesTypescript },
  generate: { python: generatePython, typescript: generateTypescript },
  cohere: { python: coherePython, typescript: cohereTypescript },
  http: { python: httpPython, typescript: httpTypescript },
  socket: { python: socketPython, typescript: socketTypescript },
} as const;

type Body = Readonly<Record<string, unknown>>;

/** Undefined where the language cannot make such a call. `origin` is without `/v1`. */
export function exampleOf(operation: ApiOperation, language: ExampleLanguage, origin: string): string | undefined {
  const code = codeOf(operation, language, origin);
  return operation.scope === undefined ? code : code?.replaceAll('WEIR_TOKEN', 'WEIR_ADMIN_KEY');
}

function codeOf(operation: ApiOperation, language: ExampleLanguage, origin: string): string | undefined {
  if (operation.isSocket) return language === 'curl' ? undefined : socketExample(operation, language, origin);
  if (language === 'curl') return curlOf(operation, origin);
  const call = libraryCallOf(operation);
  return call === undefined
    ? httpExample(operation, language, origin)
    : libraryExample(operation, call, language, origin);
}

/** With the samples of the description in the place of its parameters. */
export function examplePath({ path, fields }: ApiOperation): string {
  return fields
    .filter(({ place }) => place === 'path')
    .reduce((filled, { name, example = name.toUpperCase() }) => filled.replace(`{${name}}`, example), path);
}

/** The call as one would type it, with the address of this Weir and the token left to the environment. */
export function curlOf(operation: ApiOperation, origin: string): string {
  const lines = [`curl "${origin}${examplePath(operation)}"`];
  if (operation.method !== 'GET' && operation.method !== 'POST') lines[0] = `${lines[0]} -X ${operation.method}`;
  if (!operation.isPublic) lines.push('-H "Authorization: Bearer $WEIR_TOKEN"');
  if (operation.bodyType === 'application/json') {
    lines.push('-H "Content-Type: application/json"');
    const body = JSON.stringify(operation.sample ?? {}, null, 2).replaceAll('\n', '\n  ');
    // A quote inside the quotes of the shell is written by leaving them.
    lines.push(`-d '${body.replaceAll("'", `'\\''`)}'`);
  } else if (operation.bodyType?.startsWith('multipart/') === true) {
    for (const [name, value] of formOf(operation)) lines.push(`-F "${name}=${value}"`);
  } else if (operation.method === 'POST') lines[0] = `${lines[0]} -X POST`;
  return lines.join(' \\\n  ');
}

/** Files by an `@` and their name. */
function formOf({ fields, sample }: ApiOperation): [name: string, value: string][] {
  const given = Object.entries((sample ?? {}) as Body);
  return given.map(([name, value]) => {
    const isFile = fields.some((field) => field.place === 'body' && field.name === name && field.isFile === true);
    return [name, `${isFile ? '@' : ''}${String(value)}`];
  });
}

/** In the place of a file, until the language says how one is opened. */
const fileMark = (name: string): string => `@@${name}@@`;

function bodyOf({ fields, sample }: ApiOperation): Body {
  const files = new Set(fields.filter(({ isFile }) => isFile === true).map(({ name }) => name));
  const entries = Object.entries((sample ?? {}) as Body);
  return Object.fromEntries(entries.map(([name, value]) => [name, files.has(name) ? fileMark(String(value)) : value]));
}

const pythonFiles = (code: string): string => code.replaceAll(/"@@(.*?)@@"/g, 'open("$1", "rb")');
const scriptFiles = (code: string): string => code.replaceAll(/"@@(.*?)@@"/g, "fs.createReadStream('$1')");
function libraryExample(
  operation: ApiOperation,
  { library, call, reply, file = '', body: change }: LibraryCall,
  language: 'python' | 'typescript',
  origin: string,
): string {
  const ids = operation.fields.filter(({ place, name }) => place === 'path' && name !== 'model');
  const body = change?.(bodyOf(operation), language) ?? bodyOf(operation);
  const isEmpty = Object.keys(body).length === 0;
  const python = isEmpty ? '' : `\n${pythonFiles(pythonArguments(body))}\n`;
  const script = isEmpty ? '' : scriptFiles(JSON.stringify(body, null, 2));
  const given = ids.map(({ name }) => JSON.stringify(name.toUpperCase())).join(', ');
  const usesFiles = script.includes('fs.') || reply === 'file';
  return filled(templates[library][language], {
    api: `${origin}/v1`,
    origin,
    call: language === 'python' ? call.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : call,
    arguments: given || python,
    body: given ? given.replaceAll('"', "'") : script,
    imports: usesFiles ? endings.fileImport : '',
    show: endings[language][reply].replace('%file%', () => file),
  });
}

function httpExample(operation: ApiOperation, language: 'python' | 'typescript', origin: string): string {
  const { method, bodyType } = operation;
  const facts = { url: `${origin}${examplePath(operation)}`, method: method.toLowerCase(), METHOD: method };
  const body = bodyOf(operation);
  if (bodyType !== 'application/json') return filled(templates.http[language], { ...facts, type: '', body: '' });
  const python = `\n    json=${pythonOf(body, '    ')},`;
  const script = `\n  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`;
  return filled(templates.http[language], {
    ...facts,
    type: ", 'Content-Type': 'application/json'",
    body: language === 'python' ? python : script,
  });
}

function socketExample({ path, fields }: ApiOperation, language: 'python' | 'typescript', origin: string): string {
  const isModelAsked = fields.some(({ place, name }) => place === 'query' && name === 'model');
  const socket = `${origin.replace(/^http/, 'ws')}${path}${isModelAsked ? '?model=sandbox-realtime' : ''}`;
  return filled(templates.socket[language], { socket });
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.trimEnd().replaceAll(/%(\w+)%/g, (whole, name: string) => values[name] ?? whole);
}
