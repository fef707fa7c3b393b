/** English words for signing in, set-up and the account. */

export const session = {
  name: 'Name',
  password: 'Password',
  passwordHint: 'At least 10 characters. A sentence you can remember is best.',
  showPassword: 'Show the password',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: (name: string, role: string) => `${name}, ${role}`,
  tokenInstead: 'Only have a token?',
  toPlayground: 'Try it in the playground',
  forgotten: 'Forgot the password? An administrator can set a new one.',
  setUpLead: 'You become the owner of this Weir. More people can be added later in the settings.',
  create: 'Create the account',
  yourName: 'Your name',
  yourNameHint: 'You sign in with this name.',
  mistakes: {
    nameMissing: 'Enter a name.',
    passwordMissing: 'Enter the password.',
    passwordShort: (least: number) => `Use at least ${least} characters.`,
  },
  again: {
    title: 'Your session has ended',
    lead: 'Sign in to continue. What you typed on this page is kept.',
    leave: 'Leave this page',
  },
  needsLink: 'Open the one-time link to begin',
  needsLinkHint:
    'When Weir starts it prints a link that works once. Open it from the terminal where Weir runs. It is valid for a day; a restart prints a new one.',
  needsLinkCommand:
    'Lost the link, or is it too old? This command prints a new one. Run it in the folder where Weir runs:',
  needsLinkContainer: 'If Weir runs in a container or as an executable, run `weir set-up-link` there.',
  linkUsed: 'This Weir is set up already',
  linkUsedHint: 'Sign in with your account. If you have none, ask whoever set it up.',
  roles: { owner: 'owner', admin: 'administrator', member: 'member', viewer: 'viewer' },
  notForRole: 'This page is not part of your role',
  notForRoleHint: (role: string) => `You are signed in as ${role}. An administrator can change that in the settings.`,
};
