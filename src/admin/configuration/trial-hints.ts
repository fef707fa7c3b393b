/** What an operator can do about a provider that did not answer as it should. */

import type { TrialFault } from '../../configuration/try-entry.ts';

export const trialHints: Readonly<Record<TrialFault, string>> = {
  key_refused:
    'Check the key: that it is whole, of this provider and project, still valid, and allowed to list models.',
  credit_spent: 'The key is known, but its account has nothing left. Add credit at the provider.',
  rate_limited: 'The key is known, but has reached a limit. Wait a little, or use another key.',
  path_wrong: 'Nothing is at this path. The base URL must end with the version, for example /v1.',
  redirected: 'The server sends its callers elsewhere. Use the address that it points to, often https instead of http.',
  refused: 'The server did not understand the request. Check the kind and the base URL.',
  provider_failed: 'The provider has trouble of its own. Try again in a minute.',
  not_a_list: 'Something other than this provider answered. Check the base URL and the kind.',
  host_unknown: 'No such host. Check the spelling of the base URL, and that this machine can resolve names.',
  connection_refused: 'Connection refused. Check the port, and that the server runs and accepts connections from here.',
  tls_failed: 'The certificate is not trusted. Check the host name; for a certificate of your own set egress.ca_file.',
  timed_out: 'No answer came in time. Check the address, firewalls, and whether a proxy is needed.',
  proxy_failed: 'The proxy did not let the request through. Check its address and its password.',
  address_refused: 'This address belongs to the machine itself and is never asked.',
  unreachable: 'The connection broke. Check the address, the scheme (http or https) and the network of this machine.',
  not_tryable: 'It can be added all the same: a request will show whether the key is good.',
};
