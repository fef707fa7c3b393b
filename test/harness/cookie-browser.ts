/** A browser without pages: keeps cookies by host, follows redirects, and fills the forms of the provider of the tests. */

interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

const redirectsMax = 20;

export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every address that a redirect led to. */
  readonly visited: string[] = [];

  cookiesFor(url: string): string {
    return [...(this.#cookies.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  setCookies(url: string, header: string): void {
    const jar = new Map(header.split('; ').map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
    this.#cookies.set(new URL(url).host, jar);
  }

  /** One request, without following. */
  async step(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = this.cookiesFor(url);
    const reply = await fetch(url, {
      redirect: 'manual',
      method: form === undefined ? 'GET' : 'POST',
      headers: cookie === '' ? {} : { cookie },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    });
    for (const line of reply.headers.getSetCookie()) this.#keep(url, line);
    return reply;
  }

  /** Follows redirects until a page; stops before an address that begins like `until`. */
  async open(address: string, form?: Readonly<Record<string, string>>, until?: string): Promise<Visit> {
    let url = address;
    let reply = await this.step(url, form);
    for (let count = 0; count < redirectsMax; count++) {
      const location = reply.headers.get('location');
      if (location === null) break;
      await reply.body?.cancel();
      url = new URL(location, url).href;
      this.visited.push(url);
      if (until !== undefined && url.startsWith(until)) return { url, status: 0, text: '' };
      reply = await this.step(url);
    }
    return { url, status: reply.status, text: await reply.text() };
  }

  #keep(url: string, line: string): void {
    const [pair = '', ...terms] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
    const jar = this.#cookies.get(new URL(url).host) ?? new Map<string, string>();
    const isOver = terms.some((term) => /^max-age=0$/i.test(term) || /^expires=thu, 01 jan 1970/i.test(term));
    if (isOver) jar.delete(name);
    else jar.set(name, value);
    this.#cookies.set(new URL(url).host, jar);
  }
}

/** The login and consent pages of `oidc-provider`, until it sends the browser back. */
export async function passProvider(browser: CookieBrowser, start: string, login: string): Promise<Visit> {
  let page = await browser.open(start);
  for (let count = 0; count < 4 && page.text.includes('name="prompt"'); count++) {
    const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? page.url;
    page = await browser.open(new URL(action, page.url).href, { prompt, login, password: 'any' });
  }
  return page;
}
