/** The security headers of every page of the console: no foreign script, no framing, no referrer. */

interface PageHeaderOptions {
  readonly contentType: string;
  /** Named after its content, so that it never changes under its name. */
  readonly immutable?: boolean;
  /** For style elements that a running page adds by itself; fresh for every page. */
  readonly styleNonce?: string;
}

/**
 * Scripts and styles only as files of Weir's own origin, never inline, never `eval`. Images, audio and video may also
 * be created by the page itself (`data:`, `blob:`): that is how the playground shows results. A socket of the same host
 * counts as `'self'`.
 */
const contentPolicy = (styleNonce: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    styleNonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${styleNonce}'`,
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

const yearSeconds = 365 * 24 * 60 * 60;

export function pageHeaders({ contentType, immutable = false, styleNonce }: PageHeaderOptions): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': contentPolicy(styleNonce),
    'x-content-type-options': 'nosniff',
    // For browsers without `frame-ancestors`.
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // The playground records speech; it needs no other device permission.
    'permissions-policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=()',
    'cache-control': immutable ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
  };
}
