/** Puts text on the clipboard, also on plain http, where browsers withhold the Clipboard API. */

export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Permission was refused: the older way may still be allowed.
    }
  }
  return copyBySelection(text, near);
}

/** The field stands beside the button: a dialog keeps the focus inside itself and would not let it go to the page's end. */
function copyBySelection(text: string, near: HTMLElement): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // The class keeps hidden text on one line, and the copy would lose its indentation.
  field.style.whiteSpace = 'pre';
  (near.parentElement ?? document.body).append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

export function selectText(element: Node): void {
  const selection = getSelection();
  const range = document.createRange();
  range.selectNodeContents(element);
  selection?.removeAllRanges();
  selection?.addRange(range);
}
