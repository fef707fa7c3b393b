/** The page at `/`: the API base URL with a copy button, and settings for clients with that URL filled in. */

import { fillSnippet, type Snippet, type SnippetFacts, snippets } from '../../snippets/snippets.ts';
import type { Entries, PackedFile } from './console-pack.ts';
import { pageIcon } from './console-shell.ts';
import { escapeHtml } from './escape-html.ts';
import script from './home.client.js' with { type: 'text' };
import homeStyle from './home.css' with { type: 'text' };
import template from './home.html' with { type: 'text' };
import { type HomeWords, homeWords } from './home-words.ts';
import pageStyle from './page.css' with { type: 'text' };
import { pageHeaders } from './page-headers.ts';
import tokens from './tokens.css' with { type: 'text' };

export interface HomeFacts {
  /** Weir's public URL, with or without `/v1`; it may come from a Host header and is checked here. */
  readonly baseUrl: string;
  /** A model that Weir serves; it may have any name and is checked here. */
  readonly model: string;
  readonly acceptLanguage: string | null;
  /** Styles and fonts of the console; the page works without them. */
  readonly entries: Entries | undefined;
  /** The operator's text instead of Weir's: plain text, one paragraph per line. */
  readonly own?: { readonly title: string | undefined; readonly text: string | undefined };
}

const css = 'text/css; charset=utf-8';
const tokenFile = served('tokens', 'css', css, tokens);
const styleFiles = [served('page', 'css', css, pageStyle), served('home', 'css', css, homeStyle)];
const scriptFile = served('home', 'js', 'text/javascript; charset=utf-8', script);

/** What the page loads by its own path, because the content policy allows nothing inline. */
export const homeFiles: readonly PackedFile[] = [tokenFile, ...styleFiles, scriptFile];

function served(name: string, ending: string, type: string, text: string): PackedFile {
  const body = new TextEncoder().encode(text);
  const etag = new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 20);
  return {
    path: `/assets/${name}-${etag.slice(0, 8)}.${ending}`,
    type,
    etag,
    bodies: { identity: body, gzip: Bun.gzipSync(body) },
  };
}

export function homePage({ baseUrl, model, acceptLanguage, entries, own }: HomeFacts): Response {
  const words = homeWords(acceptLanguage);
  const facts = { origin: cleanOrigin(baseUrl) ?? fallbackOrigin, model: cleanModel(model) ?? fallbackModel };
  // The runtime's types take every HTML import for a bundle; this one is imported as text.
  const text = (template as unknown as string)
    .replace('lang="en"', () => `lang="${words.language}"`)
    .replace('%icon%', () => pageIcon)
    .replace('%head%', () => head(words, entries))
    .replace('%tabs%', () =>
      snippets
        .filter(({ common }) => common)
        .map(tab)
        .join('\n'),
    )
    .replace('%more%', () => moreChoices(words))
    .replace('%panels%', () => snippets.map((snippet, index) => panel(snippet, index === 0, words, facts)).join('\n'))
    .replace(/%w\.(\w+)%/g, (_, name: keyof HomeWords) => words[name]);
  // Last: placeholders in the operator's text are not replaced.
  const opened = Object.entries(opening(words, own)).reduce(
    (page, [place, html]) => page.replace(`%${place}%`, () => html),
    fillSnippet(text, facts),
  );
  return new Response(opened, {
    headers: {
      ...pageHeaders({ contentType: 'text/html; charset=utf-8' }),
      vary: 'accept-language',
      // The page contains the requested URL, so a cached copy must not be shown at another one.
      'cache-control': 'no-store',
    },
  });
}

/** The page's introduction: the operator's text, escaped, or Weir's own, which may contain markup. */
function opening(words: HomeWords, own: HomeFacts['own']): Readonly<Record<string, string>> {
  const lines = own?.text?.split('\n').filter((line) => line.trim() !== '') ?? [];
  const paragraphs = lines.length === 0 ? [words.lead] : lines.map(escapeHtml);
  return {
    headline: own?.title === undefined ? words.title : escapeHtml(own.title),
    opening: paragraphs.map((paragraph) => `<p class="lead">${paragraph}</p>`).join('\n  '),
    description: paragraphs[0] ?? '',
  };
}

/** For operators without a home page: reveals nothing about what answers here. */
export function homeHidden(): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>404</title>
</head>
<body>
<h1>404</h1>
<p>There is nothing here.</p>
</body>
</html>
`;
  const headers = { ...pageHeaders({ contentType: 'text/html; charset=utf-8' }), 'cache-control': 'no-store' };
  return new Response(html, { status: 404, headers });
}

function head(words: HomeWords, entries: Entries | undefined): string {
  const style = (path: string) => `<link rel="stylesheet" href="${path}">`;
  const spoken = (['copy', 'copied', 'copyByHand', 'copiedNote', 'copyByHandNote'] as const)
    .map(
      (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}="${escapeHtml(words[name])}"`,
    )
    .join(' ');
  return [
    ...(entries === undefined ? [] : [`<script src="${entries.firstPaint}"></script>`]),
    style(entries?.foundation ?? tokenFile.path),
    ...styleFiles.map(({ path }) => style(path)),
    `<script src="${scriptFile.path}" id="home-script" ${spoken}></script>`,
  ].join('\n');
}

function tab({ id, name }: Snippet, index: number): string {
  const rest = index === 0 ? 'aria-selected="true"' : 'aria-selected="false" tabindex="-1"';
  return `        <button type="button" role="tab" id="tab-${id}" aria-controls="panel-${id}" ${rest}>${name}</button>`;
}

/** The clients without a tab of their own, by kind. */
function moreChoices(words: HomeWords): string {
  const group = (name: Snippet['group']) => {
    const options = snippets
      .filter((snippet) => !snippet.common && snippet.group === name)
      .map(({ id, name: client }) => `<option value="${id}">${client}</option>`);
    return `          <optgroup label="${words[name]}">${options.join('')}</optgroup>`;
  };
  return `${group('agents')}\n${group('code')}`;
}

function panel(snippet: Snippet, isFirst: boolean, words: HomeWords, facts: SnippetFacts): string {
  const { id, name, common, parts } = snippet;
  const label = common ? `tab-${id}` : `name-${id}`;
  const blocks = parts.map((_, index) => block(snippet, index, words, facts)).join('\n');
  return `      <section class="panel${isFirst ? ' selected' : ''}" id="panel-${id}" aria-labelledby="${label}">
        <h3 id="name-${id}">${name}</h3>
${blocks}
      </section>`;
}

function block({ id, name, parts }: Snippet, index: number, words: HomeWords, facts: SnippetFacts): string {
  const { file = words.terminal, template: open } = parts[index] ?? { template: '' };
  // Escaped before the address is marked: what is left open holds no sign that escaping would change.
  const code = fillSnippet(escapeHtml(open), facts, (text) => `<b>${text}</b>`);
  const codeId = index === 0 ? `code-${id}` : `code-${id}-${index + 1}`;
  const label = [words.copySnippet, name, ...(parts.length > 1 ? [file] : [])].join(': ');
  return `        <div class="panel-head"><span>${file}</span>
          <button type="button" class="copy" data-copy="${codeId}" aria-label="${label}"><span class="word">${words.copy}</span></button></div>
        <pre><code id="${codeId}">${code}</code></pre>`;
}

/** Shown if the request's URL is not valid: the URL of a Weir with default settings. */
const fallbackOrigin = 'http://127.0.0.1:8787';
const fallbackModel = 'sandbox-chat';
const versionPath = '/v1';
const addressCharactersMax = 300;

/** As the home page shows it, with `/v1`. */
export function apiAddress(baseUrl: string): string {
  return (cleanOrigin(baseUrl) ?? fallbackOrigin) + versionPath;
}

/**
 * The URL without `/v1`, or undefined if it is not a plain http(s) URL.
 * Host and path have only characters without a meaning in HTML, a shell or a string literal, because users paste them
 * there.
 */
function cleanOrigin(baseUrl: string): string | undefined {
  if (baseUrl.length > addressCharactersMax) return undefined;
  const match = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?((?:\/[a-z0-9._~-]+)*)\/?$/i.exec(baseUrl);
  if (!match || !URL.canParse(baseUrl)) return undefined;
  const [, scheme = '', host = '', port = '', path = ''] = match;
  const prefix = path.endsWith(versionPath) ? path.slice(0, -versionPath.length) : path;
  return `${scheme.toLowerCase()}://${host}${port}${prefix}`;
}

/** A name without special characters of HTML, a shell or a string literal. */
function cleanModel(model: string): string | undefined {
  return /^[\w./:@-]{1,100}$/.test(model) ? model : undefined;
}
