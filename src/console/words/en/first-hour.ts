/** English words for the checklist of the first hour. */

export const firstHour = {
  title: 'Get started',
  lead: 'Four steps to your first answer through Weir.',
  dismiss: 'Dismiss',
  dismissThis: 'Dismiss the checklist',
  done: 'Done',
  open: 'To do',
  baseUrl: {
    title: 'Use this base URL',
    lead: 'Point your client library here. SDKs append different paths, so each needs its own base URL.',
    copyOf: (clients: string) => `the base URL for ${clients}`,
  },
  provider: {
    title: 'Add a provider',
    lead: 'Connect a model lab, a cloud, or your own server. Until then the built-in sandbox answers for free.',
    ready: (names: string) => `Connected: ${names}`,
    forAdmins: 'An administrator adds providers. Until then the built-in sandbox answers for free.',
    add: 'Add provider',
  },
  token: {
    title: 'Create a token',
    lead: 'Your clients send it in place of a provider key. It comes with snippets that are ready to paste.',
    ready: 'You have a token. Put it into WEIR_TOKEN:',
    forViewers: 'Your role can’t create tokens. Ask an administrator for one.',
    create: 'Create a token',
    snippet: (model: string) => `A first request to ${model}`,
  },
  request: {
    title: 'Send the first request',
    waiting: 'Waiting for the first request. It appears here automatically.',
    arrived: 'Your first request has arrived.',
    view: 'View the request',
    playground: 'Try it in the playground',
  },
  complete: 'Setup is complete. Your first request has arrived.',
};
