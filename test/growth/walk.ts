/** Judges every row in a process of its own, and prints what grows too fast as JSON. */

import { audioRows } from './audio.ts';
import { bodyRows } from './bodies.ts';
import { conversationRows } from './conversations.ts';
import { install } from './count-steps.ts';
import { judged, type Verdict } from './judge.ts';
import { operationRows } from './operations.ts';
import type { Row } from './row.ts';
import { schemaRows } from './schemas.ts';

install();
const only = process.argv[2] ?? '';
const verdicts: Verdict[] = [];
let rows = 0;
for (const row of allRows()) {
  if (!row.name.includes(only)) continue;
  rows += 1;
  verdicts.push(...judged(row));
}
console.log(JSON.stringify({ rows, verdicts }));

function* allRows(): Generator<Row> {
  yield* audioRows();
  yield* schemaRows();
  yield* conversationRows();
  yield* operationRows();
  yield* bodyRows();
}
