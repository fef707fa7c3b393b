/** How old a table of prices is, and from when on people should hear of it. */

const dayMs = 86_400_000;

/** Prices move by the week; older than this, some are wrong. */
export const oldAfterDays = 45;

/** The day that the table's data is of; where it does not say, the day on which it was fetched. */
export function tableDay(head: { readonly asOf?: string | undefined; readonly fetchedAtMs: number }): string {
  return head.asOf ?? new Date(head.fetchedAtMs).toISOString().slice(0, 10);
}

export function ageDays(day: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(`${day}T00:00:00Z`)) / dayMs));
}
