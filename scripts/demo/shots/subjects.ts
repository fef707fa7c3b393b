/** Finds what screenshots show: a request of each kind, a token, and an instance that is not set up. */

import type { RequestsView } from '../../../src/admin/contracts/analytics-contract.ts';
import { setUpAddress } from '../../../src/admin/contracts/contract.ts';
import { setUpCodes } from '../../../test/harness/console-client.ts';
import { until } from '../../../test/harness/until.ts';
import { startWeir } from '../../../test/harness/weir.ts';
import { expectDone } from '../administrator.ts';
import type { Demo } from '../make-data.ts';
import { ownerName } from '../people.ts';
import type { Subjects } from './pages.ts';

interface FoundSubjects extends Subjects {
  end(): Promise<void>;
}

export async function findSubjects({ weir, administrator, secrets }: Demo): Promise<FoundSubjects> {
  const owner = await administrator.client(ownerName);
  const rows = async (query: string): Promise<RequestsView['items']> =>
    (expectDone(await owner.get(`/usage/requests?limit=200&${query}`)) as RequestsView).items;
  const [failed, refused, served] = await Promise.all([
    rows('status=5'),
    rows('code=budget_spent'),
    rows('model=fast'),
  ]);
  const other = await startWeir({ token: null, unchecked: 'only its set-up page is looked at' });
  await until(() => setUpCodes(other.output()).length > 0, 60_000, 'the set-up link');
  return {
    origin: weir.url,
    setUpUrl: setUpAddress(other.url, setUpCodes(other.output()).at(-1) ?? ''),
    // One that a provider answered says more than one that no provider was left for.
    failedRequest: (failed.find(({ attempts }) => attempts > 0) ?? failed[0])?.requestId ?? '',
    refusedRequest: refused[0]?.requestId ?? '',
    fallbackRequest: served.find(({ attempts, status }) => attempts > 1 && status === 200)?.requestId ?? '',
    tokenId: administrator.tokenId('sales-assistant'),
    tokenSecret: secrets.get('mobile-app') ?? '',
    end: () => other.remove(),
  };
}
