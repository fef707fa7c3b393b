/** Small choices that outlive the page, kept by this browser alone; a browser that keeps nothing is no fault. */

const prefix = 'weir.';

type Choice = 'theme' | 'language' | 'rail' | 'density' | 'request-columns' | 'example-language' | 'first-hour';

export function remembered(choice: Choice): string | undefined {
  try {
    return localStorage.getItem(prefix + choice) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(choice: Choice, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(prefix + choice);
    else localStorage.setItem(prefix + choice, value);
  } catch {
    // Private windows may refuse; the choice then holds for this page only.
  }
}
