/** What an operator can do about a provider that did not answer as it should. */

import type { TrialFault } from '../../configuration/try-entry.ts';

export const trialHints: Readonly<Record<TrialFault, string>> = {
  key_refused:
    'Check the key: it must be complete, belong to this provider and project, be valid, and be allowed to list models.',
  credit_spent: 'The key works, but its account is out of credit. Add credit at the provider.',
  rate_limited: 'The key works, but is rate limited. Wait a moment, or use another key.',
  path_wrong: 'Path not found. The base URL must end with the version, for example /v1.',
  redirected: 'The server redirects to another URL. Use that URL, often https instead of http.',
  refused: 'The server rejected the request. Check the type and the base URL.',
  provider_failed: 'The provider has an outage. Try again in a minute.',
  not_a_list: 'The reply is not from this type of provider. Check the base URL and the type.',
  host_unknown: 'Host not found. Check the spelling of the base URL, and DNS on this machine.',
  connection_refused:
    'Connection refused. Check the port, and that the server is running and accepts connections from this machine.',
  tls_failed: 'The certificate is not trusted. Check the host name. For your own CA, set egress.ca_file.',
  timed_out: 'The connection timed out. Check the base URL, firewalls, and whether you need a proxy.',
  proxy_failed: 'The proxy rejected the request. Check its URL and password.',
  address_refused: 'This address is reserved for the machine itself and can’t be a provider.',
  unreachable: 'The connection failed. Check the base URL, the scheme (http or https) and this machine’s network.',
  not_tryable: 'You can still add it. The first request will show whether the key works.',
};
