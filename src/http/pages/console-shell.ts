/** The page that every URL of the console answers with: almost empty, it names the files that render the rest. */

import type { Entries } from './console-pack.ts';
import { escapeHtml } from './escape-html.ts';
import { pageHeaders } from './page-headers.ts';

interface ShellFacts {
  readonly entries: Entries;
  /** With `/v1`. */
  readonly apiAddress: string;
  readonly version: string;
  /** Fresh for every page. */
  readonly styleNonce: string;
  /** The path of the page, which decides what its first paint looks like. */
  readonly path: string;
}

export const pageIcon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' " +
  "rx='7' fill='%230e5a84'/%3E%3Cpath d='M5 11h10c4 0 3 10 7 10h5M5 16h6c4 0 3 8 7 8h9' fill='none' stroke='%23fff' " +
  "stroke-width='2.4' stroke-linecap='round'/%3E%3C/svg%3E";

export function consoleShell(facts: ShellFacts): Response {
  return new Response(shellHtml(facts), {
    headers: { ...pageHeaders({ contentType: html, styleNonce: facts.styleNonce }), 'cache-control': notKept },
  });
}

const html = 'text/html; charset=utf-8';
/** It contains file hashes and the requested URL: a cached copy would be wrong after an update. */
const notKept = 'no-store';

/** Pages without rail and top line. */
const barePaths: readonly string[] = ['/console/sign-in', '/console/set-up', '/console/invitation'];

const bars = (count: number): string => '<i></i>'.repeat(count);

/** The outline of a page, visible until the scripts have arrived and take its place; `outline.css` draws it. */
const outline = `<div class="outline" aria-hidden="true"><nav><b><img src="${pageIcon}" alt="">Weir</b>${bars(8)}</nav><div><header>${bars(1)}</header><section>${bars(4)}</section></div></div>`;

function shellHtml({ entries, apiAddress, version, styleNonce, path }: ShellFacts): string {
  const facts = { 'api-address': apiAddress, version, 'style-nonce': styleNonce };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
${Object.entries(facts)
  .map(([name, value]) => `<meta name="weir-${name}" content="${escapeHtml(value)}">`)
  .join('\n')}
<title>Weir</title>
<link rel="icon" href="${pageIcon}">
<script src="${entries.firstPaint}"></script>
<link rel="preload" href="${entries.mainFont}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${entries.foundation}">
<link rel="stylesheet" href="${entries.style}">
${entries.preloads.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
<script type="module" src="${entries.script}"></script>
</head>
<body>
<div id="console">${barePaths.includes(path) ? '' : outline}</div>
<noscript>The console needs JavaScript. The command line does everything it does: run "weir help".</noscript>
</body>
</html>
`;
}

/** Shown if the console could not be built, with what to do about it; only the operator sees the reason. */
export function consoleMissing(): Response {
  return new Response(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Weir</title>
</head>
<body>
<h1>The console could not be built</h1>
<p>Weir's log says why. Mostly its packages are missing, which <code>npm ci --include=dev</code> brings. Models are served as usual, and the command line does what the console does: <code>npx weir help</code>.</p>
</body>
</html>
`,
    { status: 503, headers: { ...pageHeaders({ contentType: html }), 'cache-control': notKept } },
  );
}
