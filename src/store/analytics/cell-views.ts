/**
 * The sets of cells that usage is summed into. A query reads the smallest one that distinguishes all that it names.
 *
 * One set that distinguishes everything would answer every query, and none of them quickly: where requests name their end users it
 * has nearly as many cells as there are rows. So what people group by has a small set of its own (`by-token`, `by-key`,
 * `by-user`), whose size does not depend on how many models or codes there are; `kind` and `token` answer combinations as long as
 * no user is asked for, and `user` those that name one. Requests without a user are in no cell of `user`: who does not
 * send users does not pay for them. The same holds for tags, `by-tag` and `tag`. No view distinguishes users and tags: both
 * together are read from rows.
 */

export const cellColumns = [
  'token_id',
  'model',
  'provider',
  'endpoint',
  'code',
  'status_class',
  'stream',
  'estimated',
  'key_id',
  'end_user',
  'tags',
] as const;
export type CellColumn = (typeof cellColumns)[number];

const kindColumns = ['model', 'provider', 'endpoint', 'code', 'status_class', 'stream', 'estimated'] as const;

/** What each distinguishes; the smallest first. */
const views = {
  all: [],
  // Ids of keys are their provider's own.
  'by-key': ['provider', 'key_id'],
  'by-token': ['token_id'],
  'by-user': ['end_user'],
  'by-tag': ['tags'],
  kind: kindColumns,
  token: [...kindColumns, 'token_id', 'key_id'],
  tag: [...kindColumns, 'token_id', 'key_id', 'tags'],
  user: [...kindColumns, 'token_id', 'key_id', 'end_user'],
} as const satisfies Readonly<Record<string, readonly CellColumn[]>>;

export type CellView = keyof typeof views;
export const cellViews = Object.keys(views) as readonly CellView[];

export const distinguishes = (view: CellView, column: CellColumn): boolean =>
  (views[view] as readonly CellColumn[]).includes(column);

/** The smallest view that distinguishes these. */
export function viewWith(columns: readonly CellColumn[]): CellView {
  return cellViews.find((view) => columns.every((column) => distinguishes(view, column))) ?? 'user';
}

/**
 * How many end users a period has in its cells: those that cost most. All others are one, under `otherUsers`, so that a caller
 * who makes up a user for every request cannot make the sums as large as the rows.
 */
export const usersPerPeriodMax = 1_000;
export const otherUsers = '(others)';
/**
 * How many combinations with users, and with tags, a period has in its cells. Where each user calls with many tokens and models,
 * further combinations are those of the others; the sums by user alone, and by tag alone, stay whole.
 */
export const combinationsPerPeriodMax = 20_000;
