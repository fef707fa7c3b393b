/** How old a price table is, and from which age on people get a warning. */

const dayMs = 86_400_000;

/** Prices move by the week; older than this, some are wrong. */
export const oldAfterDays = 45;

/** The date of the table's data, or else the date on which it was fetched. */
export function tableDay(head: { readonly asOf?: string | undefined; readonly fetchedAtMs: number }): string {
  return head.asOf ?? new Date(head.fetchedAtMs).toISOString().slice(0, 10);
}

export function ageDays(day: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(`${day}T00:00:00Z`)) / dayMs));
}
