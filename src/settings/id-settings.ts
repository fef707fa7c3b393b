/** Settings about what requests name that lies elsewhere: ids of providers, and servers that providers call. */

import { count, optional, row } from './setting-row.ts';
import { choice, integer, names } from './values.ts';

export const idRows = {
  'ids.unknown': row(choice(['auto', 'allow', 'refuse']), 'auto', {
    variable: 'WEIR_IDS_UNKNOWN',
    meaning:
      'What happens to ids of files, containers and the like that no reply of Weir contained: `auto` forwards them while one person holds all tokens.',
  }),
  'ids.retention_days': row(integer(1, 3_650), 90, {
    variable: 'WEIR_IDS_RETENTION_DAYS',
    unit: 'days',
    meaning: 'How long the token of an id is remembered; after that the id counts as unknown.',
  }),
  'ids.per_token_max': count(
    'WEIR_IDS_PER_TOKEN_MAX',
    100_000,
    100_000_000,
    'Remembered ids of one token; the oldest are dropped first.',
  ),
  'ids.total_max': count('WEIR_IDS_TOTAL_MAX', 2_000_000, 1_000_000_000, 'Remembered ids of all tokens.'),
  'egress.mcp_hosts': optional(
    names('a list of hosts such as mcp.example.com, *.example.com or *, and of connectors'),
    {
      variable: 'WEIR_EGRESS_MCP_HOSTS',
      meaning:
        'MCP servers and connectors that callers may name for a provider to call; absent allows all while one person holds all tokens, else none.',
    },
  ),
} as const;
