/** What the palette finds beside pages and actions: tokens, providers, models, and a request by its id. */

import type { ModelView, OwnedTokenView, PageView } from '../../admin/contracts/account-contract.ts';
import { useAsk } from '../api/use-ask.ts';
import { useNavigation } from '../router/router.tsx';
import { useSessionState } from '../session/session.tsx';
import { useWords } from '../words/use-words.tsx';
import type { PaletteItem } from './palette-context.ts';

/** Beyond so many a list is searched on its own page. */
const shownMax = 200;
const requestId = /^req_[\w-]{8,}$/;

/** Asked for when the palette opens; until the answer is here the rest can be used. */
export function useThings(text: string): readonly PaletteItem[] {
  const words = useWords();
  const { groups } = words.palette;
  const navigation = useNavigation();
  const { session } = useSessionState();
  const isIn = session !== undefined;
  const seesProviders = session?.may('GET /console/api/providers') === true;
  const tokens = useAsk<PageView<OwnedTokenView>>(`/console/api/tokens?limit=${shownMax}`, { when: isIn });
  const models = useAsk<{ items: readonly ModelView[] }>('/console/api/models', { when: isIn });
  const providers = useAsk<{ items: readonly { name: string }[] }>('/console/api/providers', { when: seesProviders });
  if (!isIn || text.trim() === '') return [];
  const to = (path: string, word: string, value: string) => () =>
    navigation.go(`${path}?${new URLSearchParams({ [word]: value })}`);
  const wanted = text.trim();
  const request: PaletteItem = {
    id: 'request',
    group: groups.requests,
    title: words.palette.openRequest(wanted),
    keywords: wanted,
    icon: 'requests',
    run: to('/console/requests', 'request', wanted),
  };
  return [
    ...(requestId.test(wanted) ? [request] : []),
    ...(tokens.data?.items ?? []).map(
      ({ id, name, hint }): PaletteItem => ({
        id: `token-${id}`,
        group: groups.tokens,
        title: name,
        keywords: `${id} ${hint}`,
        icon: 'tokens',
        run: to('/console/tokens', 'token', id),
      }),
    ),
    ...(providers.data?.items ?? []).map(
      ({ name }): PaletteItem => ({
        id: `provider-${name}`,
        group: groups.providers,
        title: name,
        icon: 'providers',
        run: to('/console/providers', 'provider', name),
      }),
    ),
    ...(models.data?.items ?? []).slice(0, shownMax).map(
      ({ id }): PaletteItem => ({
        id: `model-${id}`,
        group: groups.models,
        title: id,
        icon: 'models',
        run: to('/console/models', 'model', id),
      }),
    ),
  ];
}
