/** Which tools of providers a token or level may use, as a form holds it. */

import { entriesOf } from './budget-form.ts';

export const toolChoices = ['default', 'none', 'listed'] as const;

export interface ToolsForm {
  readonly choice: (typeof toolChoices)[number];
  /** One a line; counts for `listed` alone. */
  readonly list: string;
}

export const defaultTools: ToolsForm = { choice: 'default', list: '' };

export function toolsFormOf(tools: readonly string[] | undefined): ToolsForm {
  if (tools === undefined) return defaultTools;
  return { choice: tools.length === 0 ? 'none' : 'listed', list: tools.join('\n') };
}

/** What the admin interface is sent: a list in which nothing was written yet is none, not all. */
export function toolsWire({ choice, list }: ToolsForm): readonly string[] | null {
  if (choice === 'default') return null;
  return choice === 'none' ? [] : entriesOf(list);
}
