/** What the server wrote into the page for the console to know before it asks anything. */

export interface PageFacts {
  /** With `/v1`: what people paste into their libraries. */
  readonly apiAddress: string;
  readonly version: string;
  /** Styles that are added while the page runs must carry it, or the content policy refuses them. */
  readonly styleNonce: string;
}

export function readPageFacts(page: Document): PageFacts {
  const fact = (name: string): string => page.querySelector(`meta[name="weir-${name}"]`)?.getAttribute('content') ?? '';
  return { apiAddress: fact('api-address'), version: fact('version'), styleNonce: fact('style-nonce') };
}
