/** The page at `/`: the API base address with a copy button, and first calls with that address filled in. */

import script from './home.client.js' with { type: 'text' };
import homeStyle from './home.css' with { type: 'text' };
import template from './home.html' with { type: 'text' };
import pageStyle from './page.css' with { type: 'text' };

/** What the listener writes as it is. */
export interface Page {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file that a page loads by its own path, because the content policy allows nothing inline. */
export interface PageAsset {
  readonly body: string;
  readonly type: string;
}

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Headers of every page and of every asset. */
export const pageSecurityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export const pageAssets: Readonly<Record<string, PageAsset>> = {
  '/assets/page.css': { body: pageStyle, type: 'text/css; charset=utf-8' },
  '/assets/home.css': { body: homeStyle, type: 'text/css; charset=utf-8' },
  '/assets/home.js': { body: script, type: 'text/javascript; charset=utf-8' },
};

/** Shown where the address of the request cannot be trusted to be one: the address of a Weir with default settings. */
const fallbackOrigin = 'http://127.0.0.1:8787';
const versionPath = '/v1';
const addressCharactersMax = 300;

/** `baseUrl` is where people reach Weir, with or without `/v1`; it may stem from a Host header and is checked here. */
export function homePage({ baseUrl }: { baseUrl: string }): Page {
  const origin = escapeHtml(cleanOrigin(baseUrl) ?? fallbackOrigin);
  // The runtime's types take every HTML import for a bundle; this one is imported as text.
  const text = template as unknown as string;
  return {
    body: text.replaceAll('%api%', () => origin + versionPath),
    headers: {
      ...pageSecurityHeaders,
      'content-type': 'text/html; charset=utf-8',
      // The page names the address it was asked at, so a copy must not be shown at another.
      'cache-control': 'no-store',
    },
  };
}

/**
 * The address without `/v1`, or undefined when it is not a plain http(s) address.
 * Host and path keep to characters that mean nothing to HTML, a shell or a string literal, because the page offers them for pasting there.
 */
function cleanOrigin(baseUrl: string): string | undefined {
  if (baseUrl.length > addressCharactersMax) return undefined;
  const match = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?((?:\/[a-z0-9._~-]+)*)\/?$/i.exec(baseUrl);
  if (!match || !URL.canParse(baseUrl)) return undefined;
  const [, scheme = '', host = '', port = '', path = ''] = match;
  const prefix = path.endsWith(versionPath) ? path.slice(0, -versionPath.length) : path;
  return `${scheme.toLowerCase()}://${host}${port}${prefix}`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
