/** English words for signing in, setup and the account. */

export const session = {
  name: 'Name',
  password: 'Password',
  passwordHint: 'At least 10 characters. A memorable sentence works best.',
  showPassword: 'Show password',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: (name: string, role: string) => `${name}, ${role}`,
  tokenInstead: 'Only have a token?',
  toPlayground: 'Try it in the playground',
  forgotten: 'Forgot your password? Ask an administrator to reset it.',
  setUpLead: 'You’ll be the owner. You can add more people later in Settings.',
  create: 'Create account',
  yourName: 'Sign-in name',
  needsLink: 'Open the setup link to get started',
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
  needsLinkHint:
    'Weir prints a one-time setup link when it starts. Copy it from the terminal or log. It is valid for one day; a restart prints a new one.',
  linkUsed: 'Weir is already set up',
  linkUsedHint: 'Sign in with your account. If you don’t have one, ask an administrator.',
  needsLinkCommand:
    'Lost the link, or is it too old? This command prints a new one. Run it in the folder where Weir runs:',
  needsLinkContainer: 'If Weir runs in a container or as an executable, run `weir set-up-link` there.',
  roles: { owner: 'owner', admin: 'administrator', member: 'member', viewer: 'viewer' },
  notForRole: 'You don’t have access to this page',
  notForRoleHint: (role: string) => `Your role is ${role}. An administrator can change it in Settings.`,
};
