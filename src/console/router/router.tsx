/** The navigation as components see it: the current address, links that do not reload, and state that lives in the query. */

import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  use,
  useCallback,
  useSyncExternalStore,
} from 'react';
import { type Navigation, pathOf, queryOf, withQuery } from './navigation.ts';

const NavigationContext = createContext<Navigation | undefined>(undefined);
export const NavigationProvider = NavigationContext.Provider;

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (navigation === undefined) throw new Error('No navigation was provided.');
  return navigation;
}

export function useAddress(): string {
  const { subscribe, address } = useNavigation();
  return useSyncExternalStore(subscribe, address);
}

export function usePath(): string {
  return pathOf(useAddress());
}

/** One word of the query and how to set it; with `replace` the back button skips the change. */
export function useQueryWord(
  name: string,
  how?: { readonly replace?: boolean },
): readonly [string | undefined, (value: string | undefined) => void] {
  const navigation = useNavigation();
  const value = queryOf(useAddress()).get(name) ?? undefined;
  const replace = how?.replace ?? false;
  const set = useCallback(
    (next: string | undefined) => navigation.go(withQuery(navigation.address(), { [name]: next }), { replace }),
    [navigation, name, replace],
  );
  return [value, set];
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A real link, so that a new tab, a copied address and a middle click work as everywhere. */
export function Link({ to, onClick, children, ...rest }: LinkProps) {
  const navigation = useNavigation();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere || rest.target !== undefined) return;
    event.preventDefault();
    navigation.go(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
