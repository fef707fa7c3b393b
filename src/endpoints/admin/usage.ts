/** `/console/api/usage`: usage and cost, over time, by request, and as a file. */

import { narrowedTo } from '../../admin/accounts/sessions.ts';
import { type ExportForm, exportForms } from '../../admin/contracts/contract.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { oneOf } from './query.ts';
import { breakdownQuestionOf, overviewQuestionOf, pageQuestionOf, questionOf, sumColumnsOf } from './usage-query.ts';

const contentTypes: Readonly<Record<ExportForm, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export const usageEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/usage/overview', ({ actor, query }, { admin }) =>
    admin.usage.overview(actor, overviewQuestionOf(query)),
  ),
  signedIn('GET /console/api/usage/breakdown', ({ actor, query }, { admin }) =>
    admin.usage.breakdown(actor, breakdownQuestionOf(query)),
  ),
  signedIn('GET /console/api/usage/requests', ({ actor, query }, { admin }) =>
    admin.usage.requests(actor, pageQuestionOf(query)),
  ),
  signedIn('GET /console/api/usage/requests/{id}', ({ actor, params }, { admin }) =>
    admin.usage.request(actor, params['id'] ?? ''),
  ),
  signedIn('GET /console/api/usage/count', ({ actor, query }, { admin }) =>
    admin.usage.count(actor, questionOf(query)),
  ),
  signedIn('GET /console/api/usage/export', ({ actor, query }, { admin }) => {
    const form = oneOf(query, 'form', exportForms) ?? 'csv';
    return fileReply(admin.usage.exportText(actor, questionOf(query), form), form, 'weir-requests');
  }),
  signedIn('GET /console/api/usage/export/sums', ({ actor, query }, { admin }) => {
    const form = oneOf(query, 'form', exportForms) ?? 'csv';
    return fileReply(admin.usage.exportSums(actor, questionOf(query), sumColumnsOf(query), form), form, 'weir-usage');
  }),
  signedIn('GET /console/api/usage/budgets', async ({ actor }, { admin }) => ({
    items: await admin.usage.budgets(actor),
  })),
  signedIn('GET /console/api/usage/unpriced', ({ actor }, { configuration }) => configuration.unpriced(actor)),
  signedIn('GET /console/api/usage/ending', async ({ actor }, { endings }) => ({
    items: await endings(narrowedTo(actor)),
  })),
];

function fileReply(pieces: AsyncIterable<string>, form: ExportForm, name: string): Response {
  return new Response(streamOf(pieces), {
    headers: {
      'content-type': contentTypes[form],
      'content-disposition': `attachment; filename="${name}.${form}"`,
    },
  });
}

/** The next piece is created when the last one was read, so that a file of any size needs the memory of two pieces. */
function streamOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}
