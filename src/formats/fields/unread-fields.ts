/**
 * Names what the neutral conversation does not have of a request or of a reply: every field at any depth, by one walk along
 * the format's table of fields.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import { carriedIn } from './carried-fields.ts';
import { type FieldTable, pathOf } from './field-table.ts';

type Step = string | number;

/** `at` is the place of the object in its body. The walk costs a look-up for each field of the structure that is read. */
export function reportUnread(tree: Tree, table: FieldTable, losses: LossList, at: readonly Step[] = []): void {
  // Nearly always there is nothing to name, so places are followed in a second walk.
  if (hasUnread(tree, table, undefined)) hasUnread(tree, table, { losses, trail: [...at] });
}

interface Report {
  readonly losses: LossList;
  /** Where the walk is. */
  readonly trail: Step[];
}

/** Of the objects of one kind, whose fields are mostly the same in the same order. */
const placesMax = 16;

/** Without a report it ends at the first one, with one where its list is full: a hostile body has a million. */
function isOver(report: Report | undefined): boolean {
  return report === undefined || report.losses.isFull;
}

function hasUnread(tree: Tree, table: FieldTable, report: Report | undefined): boolean {
  const fields = carriedIn(table, tree);
  if (fields === undefined) return false;
  const { rows, keepsOthers, latest } = fields;
  let found = false;
  let place = 0;
  for (const name in tree) {
    const before = latest[place];
    let inside: FieldTable | false | undefined;
    if (before !== undefined && before.name === name) inside = before.row;
    else {
      inside = rows[name];
      if (inside !== undefined && place < placesMax) latest[place] = { name, row: inside };
    }
    place += 1;
    // Most fields of most objects.
    if (inside === false) continue;
    const value = tree[name];
    if (value === null || value === undefined) continue;
    if (inside === undefined) {
      if (keepsOthers || (fields.counts === true ? saysNothing(value) : isEmptyList(value))) continue;
      found = true;
      report?.losses.addOnce(pathOf([...report.trail, name]), 'has no neutral field');
    } else if (typeof value === 'object') {
      report?.trail.push(name);
      found = hasUnreadInside(value, inside, report) || found;
      report?.trail.pop();
    }
    if (found && isOver(report)) return true;
  }
  return found;
}

function hasUnreadInside(value: object, table: FieldTable, report: Report | undefined): boolean {
  if (!Array.isArray(value)) return hasUnread(value as Tree, table, report);
  let found = false;
  for (let index = 0; index < value.length; index++) {
    const each: unknown = value[index];
    if (typeof each !== 'object' || each === null || Array.isArray(each)) continue;
    report?.trail.push(index);
    found = hasUnread(each as Tree, table, report) || found;
    report?.trail.pop();
    if (found && isOver(report)) return true;
  }
  return found;
}

/** Providers count what did not happen as nothing. */
function saysNothing(value: unknown): boolean {
  if (value === 0 || value === null || isEmptyList(value)) return true;
  return isObject(value) && Object.values(value).every(saysNothing);
}

/** Libraries write empty lists where they have nothing to say. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
