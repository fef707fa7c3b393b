/** The request as code that does the same: curl for every request, the formats' own libraries for conversations. The token is a variable, never its value. */

import { pythonArguments } from '../../../texts/python.ts';
import { fieldsOf } from '../formats/read-values.ts';
import type { WireRequest } from '../playground-contract.ts';
import { shortenedData } from './shown-body.ts';
import chatNode from './snippets/chat.node.txt' with { type: 'text' };
import chatPython from './snippets/chat.python.txt' with { type: 'text' };
import generateNode from './snippets/generate.node.txt' with { type: 'text' };
import generatePython from './snippets/generate.python.txt' with { type: 'text' };
import messagesNode from './snippets/messages.node.txt' with { type: 'text' };
import messagesPython from './snippets/messages.python.txt' with { type: 'text' };
import responsesNode from './snippets/responses.node.txt' with { type: 'text' };
import responsesPython from './snippets/responses.python.txt' with { type: 'text' };

export type SnippetLanguage = 'curl' | 'python' | 'node';

interface Templates {
  readonly python: string;
  readonly node: string;
}

const templates: readonly { readonly path: RegExp; readonly templates: Templates }[] = [
  { path: /^\/v1\/chat\/completions$/, templates: { python: chatPython, node: chatNode } },
  { path: /^\/v1\/messages$/, templates: { python: messagesPython, node: messagesNode } },
  { path: /^\/v1\/responses$/, templates: { python: responsesPython, node: responsesNode } },
  {
    path: /^\/v1beta\/models\/.+:streamGenerateContent\?/,
    templates: { python: generatePython, node: generateNode },
  },
];

/** Without `/v1`: where the gateway is reached. Undefined where the language has no library for this request. */
export function snippetOf(request: WireRequest, language: SnippetLanguage, origin: string): string | undefined {
  if (language === 'curl') return curlOf(request, origin);
  const found = templates.find(({ path }) => path.test(request.path));
  if (found === undefined || request.body?.kind !== 'json') return undefined;
  const body = libraryBody(request.path, fieldsOf(shortenedData(request.body.value)));
  return found.templates[language]
    .trimEnd()
    .replace('%api%', () => `${origin}/v1`)
    .replace('%origin%', () => origin)
    .replace('%arguments%', () => pythonArguments(body))
    .replace('%body%', () => JSON.stringify(body, null, 2));
}

export function curlOf({ method, path, headers = {}, body }: WireRequest, origin: string): string {
  const lines = [`curl ${quoted(`${origin}${path}`)}`];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) lines.push(`-X ${method}`);
  lines.push('-H "Authorization: Bearer $WEIR_TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body?.kind === 'json') {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quoted(JSON.stringify(shortenedData(body.value), null, 2))}`);
  }
  for (const [name, value] of body?.kind === 'form' ? body.fields : []) {
    lines.push(`-F ${quoted(`${name}=${typeof value === 'string' ? value : `@${value.name}`}`)}`);
  }
  return lines.join(' \\\n  ');
}

/** Inside single quotes a shell reads nothing but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** One library takes the model, and what steers the answer, in other places than its wire does. */
function libraryBody(path: string, body: Record<string, unknown>): Record<string, unknown> {
  const model = /^\/v1beta\/models\/(.+):streamGenerateContent/.exec(path)?.[1];
  if (model === undefined) return body;
  const { contents, generationConfig, ...others } = body;
  const config = { ...fieldsOf(generationConfig), ...others };
  return { model: decodeURIComponent(model), contents, ...(Object.keys(config).length > 0 && { config }) };
}
