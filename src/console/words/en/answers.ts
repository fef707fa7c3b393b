/** English words for the answers in the playground: models side by side, JSON, facts and live conversations. */

export const answers = {
  addModel: 'Compare with another model',
  removeModel: (id: string) => `Remove ${id} from the comparison`,
  raw: 'Raw',
  costUnknown: 'Sign in to see it',
  live: {
    connecting: { title: 'Connecting', hint: 'The session starts in a moment.' },
    live: {
      title: 'You are connected',
      hint: 'Send a message or turn the microphone on. You can interrupt the model at any time.',
    },
    ended: { title: 'The session has ended', hint: 'No messages were exchanged. Start a new session to try again.' },
  },
};
