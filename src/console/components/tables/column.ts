/** A column of a table: what it shows, how much room it needs, and what it can be sorted by. */

import type { ReactNode } from 'react';
import type { SortValue } from './sort.ts';

export interface Column<Row> {
  readonly id: string;
  readonly head: ReactNode;
  /** The head as plain text, where it is more than that. */
  readonly name?: string;
  cell(row: Row): ReactNode;
  /** Numbers end where they end. */
  readonly align?: 'start' | 'end';
  /** Of the column, in pixels; absent takes what is left. */
  readonly widthPx?: number;
  /** The least that a column without a width needs. */
  readonly minPx?: number;
  /** Where the columns do not fit, those with the highest number are left out first; absent always stays. */
  readonly drop?: number;
  /** What its rows are sorted by; `server` where only the server knows all rows. */
  readonly sortBy?: 'server' | ((row: Row) => SortValue);
  /** The smallest first would say nothing. */
  readonly greatestFirst?: boolean;
}

/** The two lines of a row on a phone. */
export interface NarrowRow {
  readonly title: ReactNode;
  readonly titleEnd?: ReactNode;
  readonly detail: ReactNode;
  readonly detailEnd?: ReactNode;
}

export const headText = <Row>({ head, name, id }: Column<Row>): string =>
  name ?? (typeof head === 'string' ? head : id);
