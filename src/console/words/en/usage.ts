/** English words for usage by dimension, its charts, comparisons and exports. */

import type { Dimension } from '../../../admin/contracts/analytics-contract.ts';

/** One row for each dimension: its name, the same within a sentence, and what requests without one are called. */
const dimensions = {
  model: { name: 'Model', by: 'model', none: 'No model' },
  provider: { name: 'Provider', by: 'provider', none: 'No provider' },
  token: { name: 'Token', by: 'token', none: 'No token' },
  label: { name: 'Label', by: 'label', none: 'No label' },
  owner: { name: 'Owner', by: 'owner', none: 'No owner' },
  team: { name: 'Team', by: 'team', none: 'No team' },
  project: { name: 'Project', by: 'project', none: 'No project' },
  user: { name: 'End user', by: 'end user', none: 'No end user' },
  tag: { name: 'Tag', by: 'tag', none: 'No tag' },
  endpoint: { name: 'Endpoint', by: 'endpoint', none: 'No endpoint' },
  key: { name: 'Provider key', by: 'provider key', none: 'No key' },
  code: { name: 'Error code', by: 'error code', none: 'Succeeded' },
} satisfies Readonly<Record<Dimension, Readonly<Record<'name' | 'by' | 'none', string>>>>;

export const usage = {
  dimensions,
  groupBy: 'Group by',
  notGrouped: 'None',
  charts: { spend: 'Spend', requests: 'Requests', tokens: 'Tokens' },
  chartBy: (figure: string, dimension: string) => `${figure} by ${dimension}`,
  others: 'All others',
  total: 'Total',
  share: { cost: 'Share of spend', requests: 'Share of requests', tokens: 'Share of tokens' },
  columns: {
    requests: 'Requests',
    errors: 'Error rate',
    tokens: 'Tokens',
    spend: 'Spend',
  },
  table: (dimension: string) => `Usage by ${dimension}`,
  overlapping: {
    label: 'A token can have several labels, so these rows can add up to more than the total.',
    tag: 'A request can have several tags and counts in the row of each, so these rows can add up to more than the total.',
  },
  showAll: 'Show all',
  showFewer: 'Show fewer',
  shownMost: (count: string) => `The largest ${count} are shown.`,
  filterBy: (name: string) => `Filter by ${name}`,
  noMatch: 'No requests match',
  noMatchHint: 'No requests in this period match all of the filters.',
  resetZoom: 'Reset zoom',
  bucket: { label: 'Interval', hour: 'Hourly', day: 'Daily' },
  chart: {
    label: (title: string) => `${title}, chart`,
    none: 'No point selected',
    keys: 'Left and Right move along the chart, with Shift they select, Enter zooms in, Escape zooms out.',
    partial: 'Incomplete interval',
    total: 'Total',
  },
  change: {
    new: 'New',
    none: 'No earlier data',
    same: 'No change',
    versus: (change: string) => `${change} vs previous period`,
    points: (points: string) => `${points} pp`,
  },
  sums: {
    label: 'Totals of these requests',
    requests: 'Requests',
    errors: 'Error rate',
    tokens: 'Tokens',
    spend: 'Spend',
    p95: 'p95 latency',
    histogram: 'Requests over time',
  },
  export: {
    open: 'Totals…',
    title: 'Export totals',
    hint: 'One row for each combination, within the current range and filters.',
    period: 'Per',
    periods: { none: 'Whole range', day: 'Day (UTC)', month: 'Month (UTC)' },
    by: 'Group by',
    nothing: 'Choose a period or at least one dimension.',
    download: 'Download CSV',
  },
};
