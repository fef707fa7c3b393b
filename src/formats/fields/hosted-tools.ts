/** Tools that a provider runs, under one name for every format: terms of tokens and prices know them by it. */

/** Other names of a tool, without dates, versions and vendors. */
const names: Readonly<Record<string, string>> = {
  google_search: 'web_search',
  google_search_retrieval: 'web_search',
  enterprise_web_search: 'web_search',
  bing_grounding: 'web_search',
  code_execution: 'code_interpreter',
  url_context: 'web_fetch',
  image_gen: 'image_generation',
};

/** `web_search_20250305`, `web_search_preview_2025_03_11`, `googleSearch` and `vendor:web_search` are `web_search`. */
export function hostedToolName(type: string): string {
  const plain = type
    .slice(type.indexOf(':') + 1)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/_20\d{2}(?:_?\d{2}){0,2}$/, '')
    .replace(/_preview$/, '');
  return Object.hasOwn(names, plain) ? (names[plain] ?? plain) : plain;
}
